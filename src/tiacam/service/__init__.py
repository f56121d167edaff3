"""The HTTP service: the product behind an address, with tokens, limits and a web page."""
