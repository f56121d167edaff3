"""The zero-watermarking heads: binding k bits to a feature, and deciding whether a reading is a claim (§3.3)."""
