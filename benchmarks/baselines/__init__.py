"""The systems that the paper compares with, written anew and short; docs/baselines.md says what each one is."""
