"""Where in a photo the registered picture may be."""

from tiacam.locate.rectify import rectify
from tiacam.locate.views import CENTRES, WHOLE, View, centre

__all__ = ["CENTRES", "WHOLE", "View", "centre", "rectify"]
