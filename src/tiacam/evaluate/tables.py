"""The tables: each is a function that yields the rows of one of its parts, so that a run can stop between parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiacam.app.reader import VIEWS
from tiacam.capture.attacks import Group, attacks_of
from tiacam.evaluate.bench import Bench, Features
from tiacam.evaluate.metrics import (
    bit_accuracy,
    estimate_mean,
    estimate_rate,
    exact_recovery,
    false_claim_rate,
    summarise_cosines,
)
from tiacam.evaluate.paper import BIT_ACCURACY, COSINE
from tiacam.evaluate.record import Row

Measure = Callable[[Bench, str], Iterator[Row]]


@dataclass(frozen=True)
class Table:
    """A named table: its parts in order, and the function that measures one of them."""

    name: str
    summary: str
    parts: tuple[str, ...]
    measure: Measure


def attack_names(group: Group) -> dict[str, list[str]]:
    """Attacks by the row of the paper that they stand for, or by their own name; one row may mean several."""
    names: dict[str, list[str]] = {}
    for attack in attacks_of(group):
        names.setdefault(attack.paper or attack.name, []).append(attack.name)
    return names


def measure_cosines(bench: Bench, group: Group, part: str) -> Iterator[Row]:
    """Cosine with the untouched picture, and beside it that with all the other pictures."""
    (attack,) = attack_names(group)[part]
    yield from cosine_rows(bench, part, bench.attack(attack)[:, 0])


def measure_messages(bench: Bench, group: Group, part: str) -> Iterator[Row]:
    """Recovery of 100 bits by both heads, and beside it what unregistered pictures give."""
    views = [bench.attack(attack, VIEWS) for attack in attack_names(group)[part]]
    yield from keyed_rows(bench, part, views)
    yield from reference_rows(bench, part, [seen[:, 0] for seen in views])


def measure_occlusion(bench: Bench, part: str) -> Iterator[Row]:
    """Cosines and messages of one share of occlusion."""
    (attack,) = attack_names(Group.OCCLUSION)[part]
    views = bench.attack(attack, VIEWS)
    yield from cosine_rows(bench, part, views[:, 0])
    yield from keyed_rows(bench, part, [views])
    yield from reference_rows(bench, part, [views[:, 0]])


def cosine_rows(bench: Bench, part: str, attacked: Features) -> Iterator[Row]:
    found = summarise_cosines(bench.originals, attacked, bench.seed)
    yield Row.of(part, "cosine mean", found.genuine_mean, COSINE.get(part))
    yield Row.of(part, "cosine p5", found.genuine_p5)
    yield Row.of(part, "impostor cosine mean", found.impostor_mean)
    yield Row.of(part, "impostor cosine p99.9", found.impostor_p999)
    yield Row.of(part, "impostor cosine max", found.impostor_max)


def keyed_rows(bench: Bench, part: str, views: list[Features]) -> Iterator[Row]:
    """The default head: a message comes back whole or not at all, so exact recovery is all there is to count."""
    exact = average([bench.gallery.recover(seen) for seen in views])
    false = average([bench.gallery.claim_falsely(seen) for seen in views])
    yield Row.of(part, "keyed exact", estimate_rate(exact))
    yield Row.of(part, "unregistered keyed claims", false_claim_rate(float(false.sum()), bench.n))


def reference_rows(bench: Bench, part: str, features: list[Features]) -> Iterator[Row]:
    """The paper's head, with the picture's own record and with that of the next picture, which is unrelated."""
    own = list(range(bench.n))
    for prefix, records in (("", own), ("unrelated ", own[1:] + own[:1])):
        written = bench.gallery.messages[records]
        read = [bench.gallery.read_reference(seen, records) for seen in features]
        accuracy = average([bit_accuracy(bits, written) for bits in read])
        exact = average([exact_recovery(bits, written) for bits in read])
        paper = None if prefix else BIT_ACCURACY.get(part)
        yield Row.of(part, f"{prefix}reference bit accuracy", estimate_mean(accuracy, bench.seed), paper)
        yield Row.of(part, f"{prefix}reference exact", estimate_rate(exact))


def average(outcomes: list[NDArray[np.floating]]) -> NDArray[np.float64]:
    """Over the attacks that one row of the paper means, for every picture (N,)."""
    return np.asarray(np.mean(outcomes, axis=0), np.float64)


def _table(name: str, summary: str, group: Group, measure: Measure) -> Table:
    return Table(name, summary, tuple(attack_names(group)), measure)


TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        _table(
            "table1",
            "feature cosine under the six distortions and all of them (Table 1)",
            Group.DISTORTION,
            lambda bench, part: measure_cosines(bench, Group.DISTORTION, part),
        ),
        _table(
            "digital",
            "100 bits under digital attacks, both heads (S4)",
            Group.DIGITAL,
            lambda bench, part: measure_messages(bench, Group.DIGITAL, part),
        ),
        _table(
            "geometric",
            "100 bits under translation, rotation and scaling, both heads (S4)",
            Group.GEOMETRIC,
            lambda bench, part: measure_messages(bench, Group.GEOMETRIC, part),
        ),
        _table(
            "occlusion",
            "cosine and 100 bits with 10% to 90% covered, both heads (S8)",
            Group.OCCLUSION,
            measure_occlusion,
        ),
    )
}
