"""Bytes, path, file object, array or PIL image → RGB pixels."""
