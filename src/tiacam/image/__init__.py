"""Bytes, path, file object, array or PIL image → RGB pixels."""

from __future__ import annotations

from tiacam.image.loading import Source, load
from tiacam.image.picture import MAX_PIXELS, MIN_SIDE, Picture, shrink, shrink_whole, square

__all__ = ["MAX_PIXELS", "MIN_SIDE", "Picture", "Source", "load", "shrink", "shrink_whole", "square"]
