"""What the paper reports for the systems that it compares with; shares, not per cent."""

from __future__ import annotations

DISTORTIONS = ("Additive", "Photometric", "Perspective", "JPEG", "Moiré", "Filtering", "All")
# Table 1: cosine of original and distorted features
TABLE_1: dict[str, dict[str, float]] = {
    name: dict(zip(DISTORTIONS, row, strict=True))
    for name, row in {
        "simclr": (0.82, 0.84, 0.87, 0.79, 0.85, 0.88, 0.74),
        "byol": (0.88, 0.84, 0.85, 0.80, 0.83, 0.88, 0.71),
        "barlow": (0.79, 0.81, 0.87, 0.87, 0.84, 0.89, 0.74),
        "vicreg": (0.83, 0.76, 0.83, 0.81, 0.89, 0.87, 0.77),
        "vibcreg": (0.89, 0.88, 0.88, 0.73, 0.87, 0.88, 0.77),
    }.items()
}
# Table 2 and the last table of S4: bit accuracy of 30 and 100 bits by screen, print and screenshot
CAPTURES = ("screen", "print", "screenshot")
TABLE_2: dict[str, dict[str, tuple[float, float]]] = {
    name: dict(zip(CAPTURES, row, strict=True))
    for name, row in {
        "hidden": ((0.706, 0.688), (0.671, 0.657), (0.745, 0.706)),
        "pimog": ((0.823, 0.801), (0.757, 0.723), (0.797, 0.786)),
        "stegastamp": ((0.938, 0.912), (0.922, 0.913), (0.937, 0.939)),
        "dwsf": ((0.774, 0.718), (0.694, 0.651), (0.649, 0.628)),
        "must": ((0.818, 0.806), (0.749, 0.723), (0.653, 0.641)),
        "wofa": ((0.867, 0.811), (0.714, 0.702), (0.677, 0.648)),
    }.items()
}
# S4, geometric: bit accuracy; the paper does not say of how many bits
GEOMETRIC = (
    "Translation 10%",
    "Translation 25%",
    "Translation 50%",
    "Rotation 15°",
    "Rotation 30°",
    "Rotation 45°",
    "Scaling ±10%",
    "Scaling ±20%",
    "Scaling ±25%",
)
S4_GEOMETRIC: dict[str, dict[str, float]] = {
    name: dict(zip(GEOMETRIC, row, strict=True))
    for name, row in {
        "dwsf": (0.5297, 0.4987, 0.4992, 0.5021, 0.4974, 0.4960, 0.5330, 0.5178, 0.5108),
        "must": (0.5000, 0.4998, 0.4974, 0.4979, 0.4973, 0.4982, 0.4998, 0.4999, 0.5000),
        "wofa": (0.9197, 0.9325, 0.8793, 0.9526, 0.9424, 0.9063, 0.9572, 0.9550, 0.9502),
    }.items()
}
# S4, digital: called bit accuracy there. 0.02 of a coin's bits cannot be right: these are shares of marks detected.
DIGITAL = (
    "Identity",
    "Rotation (25°)",
    "Crop (0.5)",
    "Crop (0.1)",
    "Resize (0.7)",
    "Blur (2.0)",
    "JPEG (50)",
    "Brightness (2.0)",
    "Contrast (2.0)",
    "Hue (0.25)",
    "Screenshot",
)
S4_DIGITAL: dict[str, dict[str, float]] = {
    name: dict(zip(DIGITAL, row, strict=True))
    for name, row in {
        "zbw": (1.00, 0.27, 1.00, 0.02, 1.00, 0.25, 0.96, 0.99, 1.00, 1.00, 0.86),
        "wssl": (1.00, 1.00, 1.00, 0.98, 1.00, 1.00, 0.97, 0.96, 1.00, 1.00, 0.97),
    }.items()
}
