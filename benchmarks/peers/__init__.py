"""What users would pick instead: thin adapters over the published packages, measured in one run with TIACam."""
