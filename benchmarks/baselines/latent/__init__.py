"""Marks made by changing pixels until frozen features point where a key wants them: ZBW and WSSL (S4)."""
