"""Training: data in, one model file out. Nothing at run time imports this."""
