"""Simulated screen, print and screenshot captures, for measuring only."""
