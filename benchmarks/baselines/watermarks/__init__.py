"""Encoder-decoder watermarks with their noise layers: HiDDeN, StegaStamp and PIMoG, in short form."""
