"""Self-supervised baselines of Table 1 and S6: SimCLR, BYOL, Barlow Twins, VICReg, VIbCReg."""
