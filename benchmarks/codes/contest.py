"""What competes: each code with its decoder, seed length and stored magnitudes, and the cosines it is tried at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .bch import HardBch
from .channel import SIGNS_ONLY, UNQUANTISED
from .limits import least_cosine
from .listpolar import ListPolar
from .ordered import OrderedStatistics
from .polar import Polar
from .shipped import Shipped
from .tailbiting import TailBiting
from .trials import Code

LENGTHS = (512, 256)
SEED_BITS = (40, 48, 56, 64)
MAIN_BITS = 64
MAIN_LEVELS = 4
SWEPT_LEVELS = (SIGNS_ONLY, 2, 8, UNQUANTISED)
REFERENCE = "random linear, OSD-2"
CHOSEN = "polar, list 32"
TOGETHER = "polar, list 32, vectorised over words"

COARSE = (1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5, 0.45, 0.4, 0.35, 0.3)


@dataclass(frozen=True)
class Entry:
    """One curve: a decoder with what is stored, `trials` at each cosine around the knee."""

    name: str
    code: Code
    bits: int
    levels: int
    trials: int


def decoders(n: int, k: int) -> dict[str, Code]:
    """Every decoder, by the name it has in the plot and the record."""
    knee = round(least_cosine(n, k, MAIN_LEVELS, 0.05), 2)
    return {
        CHOSEN: Shipped(n, k),
        "polar, list 8": ListPolar(n, k, 8),
        "polar, list 128": ListPolar(n, k, 128),
        "polar by density evolution, list 32": Polar(n, k, 32, knee),
        "polar by density evolution, list 32, CRC-8": Polar(n, k, 32, knee, crc=8),
        "polar by density evolution, list 32, CRC-16": Polar(n, k, 32, knee, crc=16),
        "polar precoded (PAC), list 32": Polar(n, k, 32, knee, precode=0o133),
        "tail-biting, memory 8": TailBiting(n, k, 8),
        "tail-biting, memory 10": TailBiting(n, k, 10),
        REFERENCE: OrderedStatistics(n, k),
        "random linear, OSD-3 on 24": OrderedStatistics(n, k, 24),
        "random linear, OSD-3 on 32": OrderedStatistics(n, k, 32),
        "random linear, OSD-2, 4 restarts": OrderedStatistics(n, k, restarts=4),
        "random linear, OSD-2, 8 restarts": OrderedStatistics(n, k, restarts=8),
        "random linear, OSD-2, 16 restarts": OrderedStatistics(n, k, restarts=16),
    }


SLOW = tuple(f"random linear, OSD-2, {count} restarts" for count in (4, 8, 16))
IN_ALL_LENGTHS = (CHOSEN, "polar, list 8", "tail-biting, memory 10", REFERENCE, "random linear, OSD-3 on 24")
AT_ALL_LEVELS = (CHOSEN, "tail-biting, memory 10", REFERENCE, "random linear, OSD-3 on 24")


def entries(n: int, scale: float) -> Iterator[Entry]:
    """All curves for one length: every decoder once, the main ones at all seed lengths and magnitude levels."""
    for name, code in decoders(n, MAIN_BITS).items():
        yield Entry(name, code, MAIN_BITS, MAIN_LEVELS, round(scale * (500 if name in SLOW else 1000)))
    for k in SEED_BITS[:-1]:
        for name in IN_ALL_LENGTHS:
            trials = 1000 if name == CHOSEN else 600
            yield Entry(name, decoders(n, k)[name], k, MAIN_LEVELS, round(scale * trials))
    for levels in SWEPT_LEVELS:
        for name in AT_ALL_LEVELS:
            yield Entry(name, decoders(n, MAIN_BITS)[name], MAIN_BITS, levels, round(scale * 600))


def bch_entries(n: int) -> dict[int, HardBch]:
    """The algebraic baseline at each seed length."""
    return {k: HardBch(n, k) for k in SEED_BITS}


def cosines(entry: Entry) -> dict[float, bool]:
    """Cosines to try, and whether each lies around the knee, where the steps are finer and the trials many.

    Ordered statistics lose far above the limit, so that their knee is looked for further up.
    """
    limit = least_cosine(entry.code.n, entry.bits, entry.levels)
    above = 0.26 if isinstance(entry.code, OrderedStatistics) and entry.code.restarts == 1 else 0.16
    near = [c / 1000 for c in range(300, 1000, 25) if limit - 0.12 <= c / 1000 <= limit + above]
    return {c: c in near for c in sorted({*COARSE, *near}, reverse=True)}
