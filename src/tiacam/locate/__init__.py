"""Where in a photo the registered picture may be."""

from tiacam.locate.card import LocatorCard
from tiacam.locate.locator import DEFAULT_LOCATOR, MOST_QUADS, Locator, default_locator, load_locator, locate
from tiacam.locate.quad import Quad
from tiacam.locate.rectify import rectify, straighten
from tiacam.locate.views import CENTRES, WHOLE, View, centre
from tiacam.locate.voting import same_place

__all__ = [
    "CENTRES",
    "DEFAULT_LOCATOR",
    "MOST_QUADS",
    "WHOLE",
    "Locator",
    "LocatorCard",
    "Quad",
    "View",
    "centre",
    "default_locator",
    "load_locator",
    "locate",
    "rectify",
    "same_place",
    "straighten",
]
