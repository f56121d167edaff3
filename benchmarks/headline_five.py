"""The five lines that matter: what a reader of the README should know if he reads nothing else of the results.

Every number comes out of a record; a line whose record is missing is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tiacam.evaluate.paper import CAMERA_BITS

Record = dict[str, Any]
KINDS = {"Screen Camera": "screens", "Print Camera": "prints", "Screenshots": "screenshots"}


def real_photos(record: Record) -> str:
    row = next(row for row in record["rows"] if row["photos"] == "as taken")
    return (
        f"**Real phone photos of prints**, as taken, {record['records']:,} records: {row['exact']} of {row['n']} "
        f"messages of 100 bits exact ({row['low']:.1%} to {row['high']:.1%}), {row['another record']} wrong"
    )


def simulated(record: Record) -> str:
    found = {(row["name"], row["bits"], row["metric"]): row["value"] for row in record["rows"]}
    shares = [f"{name} {found[kind, 100, 'exact']:.1%}" for kind, name in KINDS.items()]
    coins = [f"{found[kind, 100, 'bit accuracy, unread ones as coins']:.1%}" for kind in KINDS]
    wrong = round(sum(found[kind, 100, "another record claimed"] for kind in KINDS) * record["n"])
    return (
        f"**Simulated captures** of {record['n']:,} held-out pictures, typical, as taken, messages of 100 bits exact: "
        f"{', '.join(shares)}, {wrong} of all wrong. With unread messages counted as coins that are "
        f"{', '.join(coins)} of the bits; the paper has {', '.join(f'{CAMERA_BITS[kind][100]:.1%}' for kind in KINDS)}"
    )


def strangers(record: Record) -> str:
    row = next(row for row in record["rows"] if row["part"] == "look-up, claimed")
    return (
        f"**Pictures that nobody registered**, {row['records']:,} records: {row['count']} of {row['trials']:,} claimed "
        f"by the feature of the frame alone (at most {row['high']:.2%}; stated: one in a million)"
    )


def beside_rootsift(record: Record) -> str:
    """Found photos: rates, bytes and processor time; and where we lose, time on photos of nothing registered."""
    found = {
        (row["system"], row["metric"], row["records"]): row
        for row in record["rows"]
        if row["part"] == "photos"
    }
    ours, theirs = (found[system, "accepted", 1040] for system in ("TIACam", "RootSIFT + RANSAC"))
    ratio = "TIACam / RootSIFT + RANSAC"
    size = found[ratio, "bytes a record", 1040]["value"]
    spent = [found[ratio, "core milliseconds, p50", records]["value"] for records in (1040, 1000)]
    return (
        f"**Beside RootSIFT and RANSAC** on the same photos: {ours['hits']} of {ours['n']} accepted against "
        f"{theirs['hits']}, {size:.2f} of its bytes a record, {spent[0]:.2f} of its processor time for a photo that is "
        f"found, {spent[1]:.2f} for one that is not"
    )


def papers_head(record: Record) -> str:
    rows = [row for row in record["rows"] if "unrelated pictures" in row["shown"] and row["bits"] == 100]
    unit, layer = (
        next(row["bit_accuracy"] for row in rows if row["head"] == f"reference, {kind}")
        for kind in ("unit features", "layer outputs")
    )
    return (
        f"**The paper's own head** reads {unit:.0%} of the bits from unrelated pictures by unit features, {layer:.0%} "
        "by a layer's outputs: bit accuracy without that number beside it says nothing"
    )


FIVE: dict[str, Callable[[Record], str]] = {
    "camera-photos.json": real_photos,
    "all-captures.json": simulated,
    "different-pictures.json": strangers,
    "against-rootsift.json": beside_rootsift,
    "reference-head.json": papers_head,
}


def five_lines(results: Path) -> Iterator[str]:
    """One sentence for each record that is there, with its link."""
    for name, tell in FIVE.items():
        if (results / name).is_file():
            record = json.loads((results / name).read_text(encoding="utf-8"))
            yield f"- {tell(record)} ([record](results/{name})).\n"
