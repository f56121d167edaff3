"""The learned auto-augmentor: six differentiable camera modules (§3.1, S5)."""
