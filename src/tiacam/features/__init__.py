"""The networks of the feature learner: image tower, text side, extractor and discriminator (§3.2, S5)."""
