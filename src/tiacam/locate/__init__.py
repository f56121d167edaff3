"""Where in a photo the registered picture may be."""
