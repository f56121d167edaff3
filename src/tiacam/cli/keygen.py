"""`tiacam keygen`: a new owner's key."""

from __future__ import annotations

import argparse
from pathlib import Path

from tiacam.cli.options import add_json
from tiacam.cli.output import print_json

HELP = "make a new owner's key; an existing file is never overwritten"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from tiacam.registry import OwnerKey

    key = OwnerKey.generate()
    key.save(options.file)
    if options.json:
        print_json({"file": str(options.file), "fingerprint": key.fingerprint, "public": key.public.hex()})
    else:
        print(f"made {options.file} (key {key.fingerprint}): back it up, without it no message can be read")
    return 0
