"""Simulated screen, print and screenshot captures, for measuring only."""

from tiacam.capture.kinds import Capture, Kind, Strength
from tiacam.capture.simulator import apply, draw, simulate

__all__ = ["Capture", "Kind", "Strength", "apply", "draw", "simulate"]
