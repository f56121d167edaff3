"""`tiacam c2pa sign`: write a C2PA manifest whose soft binding leads back to a picture from a photo of it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tiacam.cli.extras import require_extra
from tiacam.cli.options import add_session, open_registry, open_session, registry_path
from tiacam.cli.output import print_json
from tiacam.errors import UsageError

if TYPE_CHECKING:
    from tiacam.model import FeatureModel

HELP = "sign C2PA manifests with a soft binding, and register them"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["sign"])
    parser.add_argument("picture", type=Path, metavar="PICTURE")
    parser.add_argument(
        "--certificate", type=Path, required=True, metavar="PEM", help="chain, the signer's own first"
    )
    parser.add_argument("--private-key", type=Path, required=True, metavar="PEM")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="the signed copy of the picture"
    )
    parser.add_argument(
        "--manifest", type=Path, metavar="FILE", help="also write the manifest store by itself"
    )
    parser.add_argument("--title", help="of the picture (default: its file name)")
    parser.add_argument(
        "--message",
        metavar="TEXT",
        help="also register the signed picture with this message and the manifest",
    )
    parser.add_argument("--note", default="", help="of the record")
    add_session(parser)


def run(options: argparse.Namespace) -> int:
    require_extra("c2pa", "c2pa")
    from tiacam.app.sights import frame
    from tiacam.image import load
    from tiacam.pipeline import foresee_each
    from tiacam.service.bindings import algorithm_of, encode_feature
    from tiacam.service.credentials import Binding, Identity, sign
    from tiacam.service.jumbf import parse_store

    if options.out.exists() and options.out.samefile(options.picture):
        raise UsageError("--out is the picture itself, which is never touched: name another file")
    picture = load(options.picture)
    identity = Identity(read(options.certificate), read(options.private_key))
    model = model_for(options)
    (feature,) = foresee_each(model, [(picture, frame(picture))])
    binding = Binding(algorithm_of(model), encode_feature(feature))
    title = options.title or options.picture.name
    signed = sign(read(options.picture), picture.media_type, title, binding, identity)
    options.out.write_bytes(signed.file)
    if options.manifest:
        options.manifest.write_bytes(signed.manifest)
    answer = {
        "file": str(options.out),
        "manifest_id": parse_store(signed.manifest).active.label,
        "id": register(options, signed.file, signed.manifest) if options.message else None,
    }
    report(options.json, answer)
    return 0


def model_for(options: argparse.Namespace) -> FeatureModel:
    """The registry's, where there is one: signing alone makes neither a registry nor a key."""
    from tiacam.app import model_of
    from tiacam.model import DEFAULT_MODEL, load_model

    place = registry_path(options)
    if isinstance(place, Path) and not place.exists():
        return load_model(options.model or DEFAULT_MODEL, threads=options.threads)
    with open_registry(options) as registry:
        return load_model(options.model or model_of(registry), threads=options.threads)


def register(options: argparse.Namespace, file: bytes, manifest: bytes) -> str:
    from tiacam.app import Submission
    from tiacam.watermark import Message

    submission = Submission(file, Message.from_text(options.message), options.note, manifest)
    with open_session(options, create=True) as session:
        return session.registry.add(session.draft(submission), session.key).id


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


def report(as_json: bool, answer: dict[str, str | None]) -> None:
    if as_json:
        print_json(answer)
        return
    print(f"{answer['file']}: signed, manifest {answer['manifest_id']}")
    if answer["id"]:
        print(f"registered as {answer['id']}", file=sys.stderr)
