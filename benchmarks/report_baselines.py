"""The systems that the paper compares with, as lines of its tables: trained here for a short time, or not run."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.baselines.paper import CAPTURES, DIGITAL, GEOMETRIC, TABLE_1, TABLE_2
from benchmarks.report_lines import Line, Section
from benchmarks.report_records import Record, Results

from tiacam.evaluate.paper import COSINE

PLAIN_SIDES = ("plain impostor cosine mean", "plain impostor cosine p99.9", "plain top-1")
SELF_SUPERVISED = {
    "simclr": "SimCLR",
    "byol": "BYOL",
    "barlow": "Barlow Twins",
    "vicreg": "VICReg",
    "vibcreg": "VIbCReg",
    "anchor-short": "TIACam's loss without captions",
}
SELF_SUPERVISED_NOTE = (
    "They began from the same ImageNet weights and had the same number of steps (in brackets), far fewer than their "
    "authors gave them; the row with TIACam's own loss had no more. All of them are unwhitened. A higher cosine may go "
    "with unrelated pictures that are nearer, too: see their columns (docs/baselines.md)."
)
WATERMARKS = {"hidden": "HiDDeN", "pimog": "PIMoG", "stegastamp": "StegaStamp"}
CAPTURE_TITLES = dict(zip(CAPTURES, ("Screen Camera", "Print Camera", "Screenshots"), strict=True))
LENGTHS = (30, 100)
WATERMARK_NOTE = (
    "Short trainings of our own implementations (seconds of a shared H200 in brackets), bit accuracies of simulated "
    "captures rectified by the true corners, which no user knows, and so not comparable with the paper's photos; the "
    "raw photo's column shows what is left without them. PSNR says what a mark costs: the systems of 100 bits had too "
    "little time to grow faint, and at 18 to 21 dB, where 28 to 36 dB are published, their marks are plain to see. "
    "Detected: so many bits right as coins reach once in a million pictures."
)
WATERMARK_HEADS = ("raw photo: bits right", "rectified: detected", "unmarked: detected", "PSNR of the marked")
ATTACKED_TITLE = "S4: marks in the pixels under digital and geometric attacks"
ATTACKED_NOTE = (
    "Bit accuracy, and in brackets the share of pictures detected at one false claim in a million. The paper prints "
    "none of these for the three systems; of DWSF, MuST and WOFA it does (reported, above)."
)


def self_supervised() -> list[Line]:
    """The baselines of Table 1, and our own loss under their budget."""
    return [
        Line(
            f"{title}, {part}",
            TABLE_1.get(name, {}).get(part),
            "ssl",
            part,
            "plain cosine mean",
            PLAIN_SIDES,
            model=name,
            reason="not trained yet",
            command="python -m benchmarks.baselines.ssl.train, then .measure",
        )
        for name, title in SELF_SUPERVISED.items()
        for part in COSINE
    ]


def watermarks() -> Section:
    """The encoder-decoder watermarks of Table 2."""
    lines = [
        Line(
            f"{title}, {CAPTURE_TITLES[capture]}, {bits} bits",
            TABLE_2[name][capture][LENGTHS.index(bits)],
            "watermark",
            f"{capture} rectified",
            "bit accuracy",
            (
                (f"{capture} raw", "bit accuracy"),
                "detected at 1e-6",
                ("Identity", "unmarked detected at 1e-6"),
                ("marked picture", "PSNR"),
            ),
            model=f"{name}-{bits}",
            reason="not trained yet",
            command="python -m benchmarks.baselines.watermarks.train, then .measure",
        )
        for name, title in WATERMARKS.items()
        for bits in LENGTHS
        for capture in CAPTURES
    ]
    return Section("Table 2: marks in the pixels, by others", WATERMARK_NOTE, WATERMARK_HEADS, tuple(lines))


def attacked_heads() -> list[str]:
    return ["", *(f"{title}, {bits} bits" for bits in LENGTHS for title in WATERMARKS.values())]


def attacked_rows(results: Results) -> Iterator[list[str]]:
    """An attack a row, a system a column; nothing where no system was measured."""
    systems = [results.of("watermark", f"{name}-{bits}") for bits in LENGTHS for name in WATERMARKS]
    if any(systems):
        yield ["PSNR of the marked picture, dB", *(psnr_cell(record) for record in systems)]
        for name in (*DIGITAL, *directed(GEOMETRIC)):
            yield [name, *(attacked_cell(record, name) for record in systems)]


def directed(names: tuple[str, ...]) -> Iterator[str]:
    """The paper's ± rows stand for two attacks."""
    for name in names:
        yield from [name.replace("±", sign) for sign in "+-"] if "±" in name else [name]


def psnr_cell(record: Record | None) -> str:
    value = record and record.value("marked picture", "PSNR")
    return "" if value is None else f"{value:.1f}"


def attacked_cell(record: Record | None, name: str) -> str:
    if record is None:
        return ""
    right, detected = (record.value(name, metric) for metric in ("bit accuracy", "detected at 1e-6"))
    return "" if right is None or detected is None else f"{right:.3f} ({detected:.2f})"
