"""Messages of 32 bits: in the pixels of the other systems' pictures, in the registry of ours."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from benchmarks.peers.conditions import Shown, conditions, show, unreadable_rows
from benchmarks.peers.watermarks import BITS, WATERMARKS, Bits, Watermark, psnr
from PIL import Image

from tiacam.evaluate.bench import Bench
from tiacam.evaluate.metrics import (
    Estimate,
    bit_accuracy,
    estimate_mean,
    estimate_rate,
    exact_recovery,
)
from tiacam.evaluate.record import Row
from tiacam.evaluate.references import draw_messages
from tiacam.evaluate.rows import keyed_rows
from tiacam.evaluate.shelf import Source


def mark_rows(bench: Bench, part: str, sources: Sequence[Source]) -> Iterator[Row]:
    """Under every condition the bits of marked pictures, and beside them those that unmarked ones give."""
    if part not in WATERMARKS:
        yield from our_rows(bench, part, sources)
        return
    system = WATERMARKS[part][1]()
    messages = draw_messages(len(sources), BITS, bench.seed)
    marked = [mark(system, source, bits) for source, bits in zip(sources, messages, strict=True)]
    cost = [psnr(a.open().pixels, b.open().pixels) for a, b in zip(sources, marked, strict=True)]
    yield Row.of(part, "PSNR of the marked picture", estimate_mean(np.array(cost), bench.seed))
    spent: list[float] = []
    for condition in conditions(bench, real=False):
        shown = show(bench, condition, marked)
        start = time.perf_counter()
        read = extract(system, shown, sources)
        spent.append((time.perf_counter() - start) / len(sources))
        yield from bit_rows(bench, f"{part}, {condition}", read, messages)
        bare = extract(system, show(bench, condition, sources), sources)
        yield from bit_rows(bench, f"{part}, {condition}", bare, messages, "unmarked ")
    yield Row.of(part, "milliseconds a photo", Estimate(1e3 * float(np.mean(spent)), None, None))


def our_rows(bench: Bench, part: str, sources: Sequence[Source]) -> Iterator[Row]:
    """The default head: nothing is put into the pixels, so the real photos count as well."""
    for condition in conditions(bench, real=True):
        shown = show(bench, condition, sources)
        yield from unreadable_rows(bench, part, condition, shown)
        if not shown:
            continue
        numbers = np.array([item.picture for item in shown])
        images = [item.pixels for item in shown]
        yield from keyed_rows(bench, f"{part}, {condition}", images, numbers, (BITS, 100))


def mark(system: Watermark, source: Source, bits: Bits) -> Source:
    """The marked picture as a file without loss."""
    file = io.BytesIO()
    Image.fromarray(system.embed(source.open().pixels, bits)).save(file, "PNG", compress_level=1)
    return Source(source.name, file.getvalue())


def extract(system: Watermark, shown: Sequence[Shown], sources: Sequence[Source]) -> Bits:
    """The bits (Q, 32) of photos that are brought to their picture's size first, which all these systems need."""
    read = []
    for item in shown:
        size = sources[item.picture].open().size
        photo = item.pixels
        if (photo.shape[1], photo.shape[0]) != size:
            photo = cv2.resize(photo, size, interpolation=cv2.INTER_AREA)
        read.append(system.extract(photo))
    return np.stack(read)


def bit_rows(bench: Bench, name: str, read: Bits, written: Bits, prefix: str = "") -> Iterator[Row]:
    accuracy = estimate_mean(bit_accuracy(read, written), bench.seed)
    yield Row.of(name, f"{prefix}bit accuracy", accuracy)
    yield Row.of(name, f"{prefix}exact", estimate_rate(exact_recovery(read, written)))
