"""Watermarks in the pixels: dwtDct, dwtDctSvd and rivaGan of invisible-watermark, and blind-watermark; 32 bits each."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from typing import Any, Protocol

import cv2
import numpy as np
from benchmarks.peers.identifier import Pixels
from numpy.typing import NDArray

BITS = 32  # all that rivaGan carries

Bits = NDArray[np.uint8]


class Watermark(Protocol):
    """A system that hides bits in a picture and reads them from a photo of the same size."""

    name: str

    def embed(self, picture: Pixels, bits: Bits) -> Pixels: ...

    def extract(self, photo: Pixels) -> Bits: ...


class Invisible:
    """One method of the package invisible-watermark."""

    def __init__(self, method: str) -> None:
        from imwatermark import WatermarkDecoder, WatermarkEncoder

        self.name = method
        self._method = method
        self._encoder, self._decoder = WatermarkEncoder, WatermarkDecoder
        if method == "rivaGan":
            WatermarkEncoder.loadModel()

    def embed(self, picture: Pixels, bits: Bits) -> Pixels:
        encoder = self._encoder()
        encoder.set_watermark("bits", bits.tolist())
        return to_rgb(encoder.encode(to_bgr(picture), self._method))

    def extract(self, photo: Pixels) -> Bits:
        return np.asarray(self._decoder("bits", BITS).decode(to_bgr(photo), self._method), np.uint8)


class Blind:
    """The package blind-watermark, with its usual passwords."""

    name = "blind-watermark"

    def __init__(self) -> None:
        # The package sets the start method when it is imported, and fails where a progress bar did before it.
        multiprocessing.set_start_method(None, force=True)
        import blind_watermark

        blind_watermark.bw_notes.close()
        self._make: Callable[[], Any] = lambda: blind_watermark.WaterMark(password_img=1, password_wm=1)

    def embed(self, picture: Pixels, bits: Bits) -> Pixels:
        watermark = self._make()
        watermark.read_img(img=to_bgr(picture))
        watermark.read_wm(bits.astype(bool), mode="bit")
        return to_rgb(np.clip(np.rint(watermark.embed()), 0, 255).astype(np.uint8))

    def extract(self, photo: Pixels) -> Bits:
        read = self._make().extract(embed_img=to_bgr(photo), wm_shape=BITS, mode="bit")
        return np.asarray(np.asarray(read, np.float64) >= 0.5, np.uint8)


def to_bgr(pixels: Pixels) -> Pixels:
    return np.ascontiguousarray(cv2.cvtColor(np.ascontiguousarray(pixels), cv2.COLOR_RGB2BGR))


def to_rgb(pixels: Pixels) -> Pixels:
    return np.ascontiguousarray(cv2.cvtColor(np.ascontiguousarray(pixels), cv2.COLOR_BGR2RGB))


def psnr(original: Pixels, marked: Pixels) -> float:
    """In decibels; what the mark costs the picture."""
    error = float(np.mean((original.astype(np.float64) - marked) ** 2))
    return 10 * float(np.log10(255**2 / max(error, 1e-12)))


WATERMARKS: dict[str, tuple[str, Callable[[], Watermark]]] = {
    "dwtDct": ("imwatermark", lambda: Invisible("dwtDct")),
    "dwtDctSvd": ("imwatermark", lambda: Invisible("dwtDctSvd")),
    "rivaGan": ("imwatermark", lambda: Invisible("rivaGan")),
    "blind-watermark": ("blind_watermark", Blind),
}
