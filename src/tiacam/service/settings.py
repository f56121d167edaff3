"""How much a service takes on: every limit in one place."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field

from tiacam.errors import UsageError
from tiacam.service.tokens import Scope

MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class Settings:
    """Limits of one service process; what is over them is refused, never queued without end."""

    max_bytes: int = 32 * MEBIBYTE  # of one body
    max_pixels: int = 50_000_000  # looked at in the header, before decoding
    bytes_in_flight: int = 128 * MEBIBYTE  # of all bodies that are being received or worked on
    max_header_bytes: int = 16 * 1024
    max_address: int = 8 * 1024  # characters of path and query
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    waiting: int = 16  # pictures that may wait for a worker
    receive_s: float = 30.0  # for a whole body to arrive
    work_s: float = 30.0  # for an answer
    requests_per_minute: int = 600  # of one token or, without one, one address; 0 is no limit
    public: frozenset[Scope] = frozenset()  # what needs no token

    def __post_init__(self) -> None:
        positive = ("max_bytes", "max_pixels", "bytes_in_flight", "workers", "receive_s", "work_s")
        for name in positive:
            if not 0 < getattr(self, name) < math.inf:
                raise UsageError(f"{name} is {getattr(self, name)}, wanted more than 0")
        for name in ("waiting", "requests_per_minute"):
            if getattr(self, name) < 0:
                raise UsageError(f"{name} is {getattr(self, name)}, wanted 0 or more")
