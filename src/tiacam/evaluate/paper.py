"""The paper's own numbers for its own method, by the row that they stand in; rates as shares, not per cent."""

from __future__ import annotations

# Table 1, cosine similarity between features of original and distorted images
COSINE = {
    "Additive": 0.97,
    "Photometric": 0.93,
    "Perspective": 0.95,
    "JPEG": 0.98,
    "Moiré": 0.97,
    "Filtering": 0.98,
    "All": 0.94,
}
# supplement S4, bit accuracy
BIT_ACCURACY = {
    "Identity": 1.00,
    "Rotation (25°)": 1.00,
    "Crop (0.5)": 0.98,
    "Crop (0.1)": 1.00,
    "Resize (0.7)": 1.00,
    "Blur (2.0)": 1.00,
    "JPEG (50)": 0.99,
    "Brightness (2.0)": 0.97,
    "Contrast (2.0)": 1.00,
    "Hue (0.25)": 1.00,
    "Screenshot": 0.99,
    "Translation 10%": 0.939,
    "Translation 25%": 0.921,
    "Translation 50%": 0.903,
    "Rotation 15°": 0.992,
    "Rotation 30°": 0.978,
    "Rotation 45°": 0.955,
    "Scaling ±10%": 0.974,
    "Scaling ±20%": 0.961,
    "Scaling ±25%": 0.934,
}
# Table 2, bit accuracy by length of the message; 200 bits are not in it
CAMERA_BITS = {
    "Screen Camera": {30: 0.991, 100: 0.982},
    "Print Camera": {30: 0.966, 100: 0.951},
    "Screenshots": {30: 0.974, 100: 0.952},
}
# supplement S3, second table, learned augmentor
CAMERA_COSINE = {"Screen Camera": 0.91, "Print Camera": 0.87, "Screenshots": 0.85}
# supplement S3, third table: bit accuracy under one of the six distortions, by length, for the learned augmentor
DISTORTED_BITS = {30: 0.987, 100: 0.964, 200: 0.961}
# "Distinctiveness", two pictures of one caption
SAME_CAPTION_COSINE = 0.73
SAME_CAPTION_BITS = 0.84
