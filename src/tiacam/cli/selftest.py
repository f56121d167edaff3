"""`tiacam selftest`: does this installation work, from decoding to reading?"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from tiacam.cli.options import add_json
from tiacam.cli.output import print_json

HELP = "check this installation: models, codecs, registering and reading"
FORMATS = ("JPEG", "PNG", "WEBP", "AVIF", "TIFF", "GIF", "BMP", "HEIF")
PICTURES = Path(__file__).parent / "pictures"


def configure(parser: argparse.ArgumentParser) -> None:
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    failures = 0
    for name, check in CHECKS.items():
        try:
            detail, passed = check(), True
        except Exception as error:  # whatever is wrong with an installation is what this command reports
            detail, passed = f"{type(error).__name__}: {error}", False
            failures += 1
        if options.json:
            print_json({"check": name, "passed": passed, "detail": detail})
        else:
            print(f"{'ok    ' if passed else 'FAILED'}  {name}: {detail}")
    return 1 if failures else 0


def check_models() -> str:
    from tiacam.model import load_model, model_names

    models = [load_model(name) for name in model_names()]
    return ", ".join(f"{model.id} on {model.provider}" for model in models)


def check_codecs() -> str:
    import io

    import pillow_heif
    from PIL import Image

    from tiacam.image import load

    pillow_heif.register_heif_opener()
    picture = Image.open(PICTURES / "coffee.jpg").convert("RGB")
    for name in FORMATS:
        buffer = io.BytesIO()
        picture.save(buffer, name)
        assert load(buffer.getvalue()).size == picture.size, name
    return ", ".join(FORMATS)


def check_reading() -> str:
    from PIL import Image

    from tiacam.app import Tiacam

    with tempfile.TemporaryDirectory() as folder, Tiacam.open(Path(folder) / "registry.tiacam") as tiacam:
        record = tiacam.register(PICTURES / "coffee.jpg", "selftest")
        half = Image.open(PICTURES / "coffee.jpg").convert("RGB").reduce(2)
        genuine, other = tiacam.read(half), tiacam.read(PICTURES / "rocket.jpg")
        assert str(genuine.message) == "selftest", "a registered picture was not read"
        assert genuine.record_id == record.id
        assert not other.registered, "an unrelated picture was claimed"
        tiacam.registry.verify_chain()
    return f"message read back, false claim {genuine.p_value:.0e}; an unrelated picture is not claimed"


CHECKS: dict[str, Callable[[], str]] = {
    "models": check_models,
    "codecs": check_codecs,
    "reading": check_reading,
}
