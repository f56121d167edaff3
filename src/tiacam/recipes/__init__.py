"""One file a training run: its command, cost and expected result are in its docstring."""
