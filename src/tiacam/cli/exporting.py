"""`tiacam export`: all records as JSON lines; with --checkpoint, a trained model as ONNX file and card."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tiacam.cli.extras import require_extra
from tiacam.cli.options import add_registry, open_registry
from tiacam.cli.output import print_json
from tiacam.errors import UsageError

HELP = "write all records as JSON lines; with --checkpoint, write a trained model as ONNX file and card"
PRECISIONS = ("fp32", "fp16", "int8")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="where to (default: stdout)")
    add_registry(parser)
    model = parser.add_argument_group("a trained model instead (needs the extra `train`)")
    model.add_argument("--checkpoint", type=Path, help="of `tiacam train anchor` or `tiacam train tiacam`")
    model.add_argument("--out", type=Path, help="folder for the ONNX file and its card")
    model.add_argument("--data", type=Path, help="folder with shard-*.tar, for axes and whitening")
    model.add_argument("--unseen", type=Path, help="tar of pictures that training never saw, for the null")
    model.add_argument("--backbone", type=Path, help="the anchor that `tiacam train tiacam` was given")
    model.add_argument("--clip", help="the CLIP that `tiacam train tiacam` was given")
    model.add_argument("--precision", choices=PRECISIONS, default="fp16", help="of the stored weights")
    model.add_argument("--name", default="model", help="of the model and its files (default: %(default)s)")
    model.add_argument("--version", default="0")
    model.add_argument("--summary", default="exported from a checkpoint", help="one sentence for the card")
    model.add_argument("--size", type=int, default=224, help="of the pictures (default: %(default)s)")
    model.add_argument("--pictures", type=int, default=6000, help="for axes and whitening")
    model.add_argument("--training", type=Path, help="JSON object to add to the card's training section")


def run(options: argparse.Namespace) -> int:
    return export_model(options) if options.checkpoint else export_records(options)


def export_records(options: argparse.Namespace) -> int:
    with open_registry(options) as registry:
        count = registry.export(options.file if options.file else sys.stdout)
    if options.file and options.json:
        print_json({"file": str(options.file), "records": count})
    else:
        print(f"exported {count} records", file=sys.stderr)
    return 0


def export_model(options: argparse.Namespace) -> int:
    require_extra("torch", "train")
    missing = [f"--{name}" for name in ("out", "data", "unseen") if getattr(options, name) is None]
    if missing or options.file:
        raise UsageError(
            f"--checkpoint needs {', '.join(missing)}" if missing else "--checkpoint takes no FILE"
        )
    from tiacam.training.exporting import ExportRun, export
    from tiacam.training.precision import Precision

    names = ("checkpoint", "out", "data", "unseen", "backbone", "clip", "name", "version", "summary")
    chosen = {name: getattr(options, name) for name in (*names, "size", "pictures", "training")}
    card = export(ExportRun(**chosen, precision=Precision(options.precision)))
    path = options.out / card.file
    told = {"model": card.id, "file": str(path), "bytes": path.stat().st_size, **card.training["fidelity"]}
    if options.json:
        print_json(told)
    else:
        for name, value in told.items():
            print(f"{name:20} {value}")
    return 0
