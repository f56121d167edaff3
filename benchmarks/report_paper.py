"""The paper's tables row by row: what it printed, what was measured here, the difference, and the other side.

A row that could not be run keeps its place, with the reason and the command that would run it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.report_records import Record, Results

from tiacam.evaluate.paper import (
    BIT_ACCURACY,
    CAMERA_BITS,
    CAMERA_COSINE,
    COSINE,
    SAME_CAPTION_BITS,
    SAME_CAPTION_COSINE,
)
from tiacam.model import DEFAULT_MODEL

NOT_RUN = "not run"


@dataclass(frozen=True)
class Line:
    """One number of the paper, where its counterpart stands, and what is shown beside it."""

    label: str
    paper: float | None
    table: str
    name: str
    metric: str
    beside: tuple[str, ...] = ()  # further metrics of the same row
    model: str | None = None  # a baseline's; the default model's without
    reason: str = ""
    command: str = ""


@dataclass(frozen=True)
class Section:
    """One table of the paper."""

    title: str
    note: str
    heads: tuple[str, ...]  # of the columns beside paper, ours and difference
    lines: tuple[Line, ...]


def evaluate(table: str, data: str = "PICTURES") -> str:
    return f"tiacam evaluate {table} --data {data}"


COSINE_SIDES = ("impostor cosine mean", "impostor cosine p99.9", "top-1")
PLAIN_SIDES = ("plain impostor cosine mean", "plain impostor cosine p99.9", "plain top-1")
MESSAGE_SIDES = (
    "unregistered keyed claims",
    "look-alike keyed claims",
    "reference bit accuracy",
    "unrelated reference bit accuracy",
)
MESSAGE_HEADS = (
    "unregistered claimed",
    "look-alike claimed",
    "paper's head: bits right",
    "paper's head: bits right with an unrelated record",
)
MESSAGE_NOTE = (
    "Ours are whole messages by the default head, exact or not at all, held against the paper's share of right bits, "
    "the laxer measure. The paper's own head stands beside it; it reads any picture's message from any other (last "
    "column), so its bit accuracy says nothing. "
)
SSL = {
    "simclr": ("SimCLR", (0.82, 0.84, 0.87, 0.79, 0.85, 0.88, 0.74)),
    "byol": ("BYOL", (0.88, 0.84, 0.85, 0.80, 0.83, 0.88, 0.71)),
    "barlow": ("Barlow Twins", (0.79, 0.81, 0.87, 0.87, 0.84, 0.89, 0.74)),
    "vicreg": ("VICReg", (0.83, 0.76, 0.83, 0.81, 0.89, 0.87, 0.77)),
    "vibcreg": ("VIbCReg", (0.89, 0.88, 0.88, 0.73, 0.87, 0.88, 0.77)),
}
WATERMARKS = {
    "hidden": ("HiDDeN", ((0.706, 0.688), (0.671, 0.657), (0.745, 0.706))),
    "pimog": ("PIMoG", ((0.823, 0.801), (0.757, 0.723), (0.797, 0.786))),
    "stegastamp": ("StegaStamp", ((0.938, 0.912), (0.922, 0.913), (0.937, 0.939))),
}
KINDS = ("Screen Camera", "Print Camera", "Screenshots")
FORMS = ("real, raw", "real, rectified", "simulated typical, raw", "simulated typical, rectified")


def table1() -> Section:
    ours = [
        Line(
            f"TIACam, {part}", paper, "table1", part, "cosine mean", COSINE_SIDES, command=evaluate("table1")
        )
        for part, paper in COSINE.items()
    ]
    others = [
        Line(
            f"{title}, {part}",
            value,
            "ssl",
            part,
            "plain cosine mean",
            PLAIN_SIDES,
            model=name,
            reason="not trained yet",
            command="python -m benchmarks.baselines.ssl.train, then .measure",
        )
        for name, (title, values) in SSL.items()
        for part, value in zip(COSINE, values, strict=True)
    ]
    plain = [
        Line(f"{title}, {part}", printed, "ssl", part, "plain cosine mean", PLAIN_SIDES, model=model)
        for title, model, known in (
            ("TIACam unwhitened", DEFAULT_MODEL, True),
            ("ImageNet EfficientNet-Lite0", "bootstrap-0", False),
        )
        for part in COSINE
        for printed in (COSINE[part] if known else None,)
    ]
    return Section(
        "Table 1: cosine between a picture and its distorted self",
        "A cosine means little without that of unrelated pictures, and whitening spreads features, which lowers both. "
        "Ours are whitened, which is how they are compared when a photo is read; as they come from the network, as in "
        "the paper, they stand below, and so do the baselines.",
        ("unrelated, mean", "unrelated, p99.9", "own record nearest"),
        (*ours, *plain, *others),
    )


def table2() -> Section:
    lines = [camera_line(kind, form, bits) for kind in KINDS for form in FORMS for bits in (30, 100, 200)]
    others = [
        Line(
            f"{title}, {kind}, {bits} bits",
            values[KINDS.index(kind)][bits == 100],
            "watermark",
            kind_name(kind),
            "bit accuracy",
            model=f"{name}-{bits}",
            reason="not trained yet",
            command="python -m benchmarks.baselines.watermarks.train, then .measure",
        )
        for name, (title, values) in WATERMARKS.items()
        for kind in KINDS
        for bits in (30, 100)
    ]
    return Section(
        "Table 2: messages from photos of screens and prints and from screenshots",
        MESSAGE_NOTE
        + "The paper took its own photos, which are not published: ours are other real photos, and "
        "simulated ones. Watermarks of others are bit accuracies of simulated captures rectified by true corners.",
        MESSAGE_HEADS,
        (*lines, *others),
    )


def camera_line(kind: str, form: str, bits: int) -> Line:
    suffix = f", {bits} bits"
    beside = (*MESSAGE_SIDES[:2], *(f"{metric}{suffix}" for metric in MESSAGE_SIDES[2:]))
    missing = form.startswith("real") and kind != "Print Camera"
    return Line(
        f"TIACam, {kind}, {form}{suffix}",
        CAMERA_BITS[kind].get(bits),
        "camera",
        f"{kind}, {form}",
        f"keyed exact{suffix}",
        beside,
        reason=f"no real photos of this kind here, with medium {medium(kind)!r} in pairs.jsonl"
        if missing
        else "",
        command=evaluate("camera", "PHOTOS" if form.startswith("real") else "PICTURES"),
    )


def medium(kind: str) -> str:
    return {"Screen Camera": "screen", "Print Camera": "print", "Screenshots": "screenshot"}[kind]


def kind_name(kind: str) -> str:
    return f"{medium(kind)} rectified"


def captures() -> Section:
    lines = [
        Line(
            f"{kind}, {form}",
            CAMERA_COSINE[kind],
            "camera",
            f"{kind}, {form}",
            "cosine mean",
            COSINE_SIDES,
            reason="no real photos of this kind here"
            if form.startswith("real") and kind != "Print Camera"
            else "",
            command=evaluate("camera"),
        )
        for kind in KINDS
        for form in FORMS
    ]
    return Section(
        "S3, second table: cosine under captures",
        "Learned augmentor in the paper.",
        ("unrelated, mean", "unrelated, p99.9", "own record nearest"),
        tuple(lines),
    )


def messages(title: str, table: str, names: Sequence[str]) -> Section:
    return Section(
        title,
        MESSAGE_NOTE + "Messages of 100 bits.",
        MESSAGE_HEADS,
        tuple(
            Line(
                name,
                BIT_ACCURACY[name],
                table,
                name,
                "keyed exact",
                MESSAGE_SIDES,
                command=evaluate(table),
            )
            for name in names
        ),
    )


def distinctiveness() -> Section:
    part, command = "same caption", evaluate("distinctiveness")
    missing = "the run-time model has no text encoder"
    return Section(
        "Distinctiveness: two pictures of one caption",
        "The paper generated 200 pairs from one caption each; ours are photos whose human captions say the same.",
        ("largest cosine", "default head: claimed"),
        (
            Line(
                "cosine (lower is better)",
                SAME_CAPTION_COSINE,
                "distinctiveness",
                part,
                "cosine mean",
                ("cosine max", "keyed claims"),
                command=command,
            ),
            Line(
                "bits from the second picture, paper's head (lower is better)",
                SAME_CAPTION_BITS,
                "distinctiveness",
                part,
                "reference bit accuracy",
                ("cosine max", "keyed claims"),
                command=command,
            ),
            Line(
                "bits from the text (lower is better)",
                SAME_CAPTION_BITS,
                "distinctiveness",
                "text",
                "reference bit accuracy",
                reason=missing,
            ),
            Line(
                "consecutive shots (not in the paper)",
                None,
                "distinctiveness",
                "consecutive shots",
                "cosine mean",
                ("cosine max", "keyed claims"),
                command=evaluate("distinctiveness", "FLICKR8K"),
            ),
            Line(
                "nearest neighbours (not in the paper)",
                None,
                "distinctiveness",
                "nearest neighbour",
                "cosine mean",
                ("cosine max", "keyed claims"),
                command=command,
            ),
        ),
    )


def sections() -> list[Section]:
    names = list(BIT_ACCURACY)
    return [
        table1(),
        table2(),
        distinctiveness(),
        captures(),
        messages("S4: digital distortions", "digital", names[:11]),
        messages("S4: geometric distortions", "geometric", names[11:]),
    ]


# What has no table here: the paper's place, what it is, why not, and what would run it.
ELSEWHERE = (
    (
        "Table 3",
        "CLIP alone and with the extractor, four data sets",
        "needs CLIP ViT-L/14 weights, Visual Genome, Flickr30k and ImageNet; the same comparison on our backbone is in "
        "results/ablations.json where that file exists",
        "python -m benchmarks.ablations",
    ),
    (
        "S3, tables 1, 3, 4",
        "learned against manual augmentor",
        "part of the ablations",
        "python -m benchmarks.ablations",
    ),
    (
        "S4, last table",
        "DWSF, MuST, WOFA on captures",
        "their weights are not in any package; the paper's numbers: the tables reported, where they are kept",
        "",
    ),
    (
        "S4, digital",
        "ZBW and WSSL columns",
        "no package of either; watermarks of the kind: the table latent, where it is run",
        "",
    ),
    (
        "S6",
        "linear probe on CIFAR-100, Imagenette, MSCOCO, Caltech-256",
        "not here, but the loaders are in tiacam.data; sets of the kind: the table probes, where it is run",
        "python -m benchmarks.probes",
    ),
    (
        "S7",
        "cosine of a picture with its own and with a changed caption",
        "needs the text side of a checkpoint: the table captions, where it is run",
        "python -m benchmarks.captions",
    ),
    ("S8", "occlusion", "the paper prints no numbers; ours stand above", evaluate("occlusion")),
)


def found_value(results: Results, line: Line) -> tuple[Record | None, float | None]:
    record = results.of(line.table, line.model)
    return record, None if record is None else record.value(line.name, line.metric)


def cells(results: Results, section: Section, line: Line) -> list[str]:
    """label | paper | ours | difference | … for one line."""
    record, value = found_value(results, line)
    paper = "" if line.paper is None else f"{line.paper:.3f}"
    if record is None or value is None:
        reason = line.reason or "not in the records yet"
        told = f"{NOT_RUN}: {reason}" + (f"; `{line.command}`" if line.command else "")
        return [line.label, paper, told, "", *("" for _ in section.heads)]
    difference = "" if line.paper is None else f"{value - line.paper:+.3f}"
    shown = [beside_cell(record, line.name, metric) for metric in line.beside]
    shown += [""] * (len(section.heads) - len(shown))
    return [line.label, paper, with_interval(record, line), difference, *shown]


def beside_cell(record: Record, name: str, metric: str) -> str:
    """A number of the other side; of false claims also their bound."""
    row = record.rows.get((name, metric))
    if row is None:
        return ""
    bound = f" (at most {row['high']:.3f})" if metric.endswith("claims") else ""
    return f"{row['value']:.3f}{bound}"


def with_interval(record: Record, line: Line) -> str:
    row = record.rows[line.name, line.metric]
    if row["low"] is None:
        return f"{row['value']:.3f}"
    return f"{row['value']:.3f} ({row['low']:.3f} to {row['high']:.3f})"


def heads(section: Section) -> list[str]:
    return ["", "paper", "ours", "difference", *section.heads]


def table_rows(results: Results, section: Section) -> Iterator[list[str]]:
    for line in section.lines:
        yield cells(results, section, line)
