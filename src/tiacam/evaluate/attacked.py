"""The tables of fixed attacks: Table 1, both of supplement S4, the occlusions of S8, and what others report."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tiacam.capture.attacks import Group, attacks_of
from tiacam.evaluate.bench import Bench
from tiacam.evaluate.paper import BIT_ACCURACY, COSINE, DISTORTED_BITS
from tiacam.evaluate.record import Row
from tiacam.evaluate.rows import cosine_rows, keyed_rows, reference_rows
from tiacam.evaluate.table import Measure, Table

LENGTHS = (30, 100, 200)
ONE_OF_SIX = "One of six"


def attack_names(*groups: Group) -> dict[str, list[str]]:
    """Attacks by the row of the paper that they stand for, or by their own name; one row may mean several."""
    names: dict[str, list[str]] = {}
    for attack in (attack for group in groups for attack in attacks_of(group)):
        names.setdefault(attack.paper or attack.name, []).append(attack.name)
    return names


def measure_cosines(bench: Bench, group: Group, part: str) -> Iterator[Row]:
    """Cosine with the untouched picture, and beside it that with all the other pictures."""
    (attack,) = attack_names(group)[part]
    features, owners = bench.attack(attack), np.arange(bench.n)
    yield from cosine_rows(bench, part, features, owners, COSINE.get(part), gallery=bench.features)


def measure_messages(bench: Bench, *groups: Group, part: str, cosines: bool = False) -> Iterator[Row]:
    """Recovery of 100 bits by both heads, and beside it what the other sides give."""
    attacks = attack_names(*groups)[part]
    pictures = [picture.pixels for attack in attacks for picture in bench.attacked(attack)]
    owners = np.tile(np.arange(bench.n), len(attacks))
    features = bench.look_at(part, pictures)
    if cosines:
        yield from cosine_rows(bench, part, features, owners)
    yield from keyed_rows(bench, part, pictures, owners)
    paper = {100: BIT_ACCURACY[part]} if part in BIT_ACCURACY else None
    yield from reference_rows(bench, part, features, owners, paper=paper)


def measure_distorted(bench: Bench, part: str) -> Iterator[Row]:
    """Messages of three lengths; the paper draws one of its distortions for each picture, here they take turns."""
    names = [name for (name,) in attack_names(Group.DISTORTION).values() if name != "all"]
    shown = bench.attacked_in_turn(names) if part == ONE_OF_SIX else bench.attacked("all")
    pictures, owners = [picture.pixels for picture in shown], np.arange(bench.n)
    features = bench.look_at(part, pictures)
    yield from cosine_rows(bench, part, features, owners)
    yield from keyed_rows(bench, part, pictures, owners, LENGTHS)
    paper = DISTORTED_BITS if part == ONE_OF_SIX else None
    yield from reference_rows(bench, part, features, owners, LENGTHS, paper)


def attack_table(name: str, summary: str, measure: Measure, n: int, *groups: Group) -> Table:
    return Table(name, summary, tuple(attack_names(*groups)), measure, n)


TABLE1 = attack_table(
    "table1",
    "feature cosine under the six distortions and all of them (Table 1)",
    lambda bench, part: measure_cosines(bench, Group.DISTORTION, part),
    500,
    Group.DISTORTION,
)
DIGITAL = attack_table(
    "digital",
    "100 bits under digital attacks, both heads (S4)",
    lambda bench, part: measure_messages(bench, Group.DIGITAL, part=part),
    100,
    Group.DIGITAL,
)
GEOMETRIC = attack_table(
    "geometric",
    "100 bits under translation, rotation and scaling, both heads (S4)",
    lambda bench, part: measure_messages(bench, Group.GEOMETRIC, part=part),
    100,
    Group.GEOMETRIC,
)
DISTORTED = Table(
    "distorted",
    "30, 100, 200 bits under one of the six distortions and under all of them, both heads (S3)",
    (ONE_OF_SIX, "All"),
    measure_distorted,
    n=100,
)
OCCLUSION = attack_table(
    "occlusion",
    "cosine and 100 bits with 10% to 90% covered, both heads (S8)",
    lambda bench, part: measure_messages(bench, Group.OCCLUSION, part=part, cosines=True),
    100,
    Group.OCCLUSION,
)
FIELD = attack_table(
    "field",
    "cosine and 100 bits under attacks that others report, alone and combined, both heads",
    lambda bench, part: measure_messages(bench, Group.FIELD, Group.COMBINED, part=part, cosines=True),
    50,
    Group.FIELD,
    Group.COMBINED,
)
