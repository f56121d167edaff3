"""The pictures of the web page in docs/: a phone that reads a print with its camera, and a desktop.

python -m benchmarks.service_pictures --out docs
"""

from __future__ import annotations

import argparse
import io
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.service_load import serving
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tiacam.app import Tiacam
from tiacam.capture import Kind, Strength, simulate

PICTURE = Path("src/tiacam/cli/pictures/astronaut.jpg")
MESSAGE, NOTE = "Archive no. 4711", "Eileen Collins, astronaut. Ask the archive for prints."
PORT = 8797
SHOTS: dict[str, dict[str, Any]] = {
    "service-phone.png": {
        "viewport": {"width": 360, "height": 740},
        "color_scheme": "light",
        "device_scale_factor": 2,
    },
    "service-desktop.png": {
        "viewport": {"width": 1280, "height": 860},
        "color_scheme": "dark",
        "device_scale_factor": 1,
    },
}


def film(path: Path) -> Path:
    """A camera that sees the print on a table."""
    pixels = np.asarray(Image.open(PICTURE).convert("RGB"))
    photo = Image.fromarray(simulate(pixels, Kind.PRINT, Strength.MILD, seed=3, long_side=960).photo)
    stream = io.BytesIO()
    photo.resize((photo.width // 2 * 2, photo.height // 2 * 2)).save(stream, "JPEG", quality=92)
    path.write_bytes(stream.getvalue() * 20)
    return path


def read_with_camera(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="Use the camera").click()
    page.locator("#read-result article").wait_for(timeout=30_000)
    page.wait_for_timeout(800)


def shrink(path: Path) -> None:
    """Few colours are enough for a page, and the repository stays small."""
    Image.open(path).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--browser", default=shutil.which("chromium"))
    parser.add_argument("--out", type=Path, default=Path("build"))
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        with Tiacam.open(folder / "r.tiacam", threads=1) as tiacam:
            tiacam.register(PICTURE, MESSAGE, note=NOTE)
        flags = ["--no-sandbox", "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"]
        flags.append(f"--use-file-for-fake-video-capture={film(folder / 'camera.mjpeg')}")
        browser = playwright.chromium.launch(executable_path=chosen.browser, args=flags)
        with serving(folder, PORT) as (_, token):
            for file, options in SHOTS.items():
                page = browser.new_context(permissions=["camera"], **options).new_page()
                read_with_camera(page, f"http://127.0.0.1:{PORT}/#token={token}")
                page.screenshot(path=chosen.out / file, full_page=True)
                shrink(chosen.out / file)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
