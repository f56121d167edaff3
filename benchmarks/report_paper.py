"""The paper's tables row by row: what it printed, what was measured here, the difference, and the other side.

A row that could not be run keeps its place, with the reason and the command that would run it.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.report_ablations import manual_and_learned, table3
from benchmarks.report_baselines import (
    PLAIN_SIDES,
    SELF_SUPERVISED_NOTE,
    self_supervised,
    watermarks,
)
from benchmarks.report_lines import Line, Section
from benchmarks.report_supplement import captions, latent, lengths, manual_cosines, reported

from tiacam.evaluate.paper import (
    BIT_ACCURACY,
    CAMERA_BITS,
    CAMERA_COSINE,
    COSINE,
    SAME_CAPTION_BITS,
    SAME_CAPTION_COSINE,
)
from tiacam.model import DEFAULT_MODEL


def evaluate(table: str, data: str = "PICTURES") -> str:
    return f"tiacam evaluate {table} --data {data}"


COSINE_SIDES = ("impostor cosine mean", "impostor cosine p99.9", "top-1")
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
KINDS = ("Screen Camera", "Print Camera", "Screenshots")
FORMS = ("real, raw", "real, rectified", "simulated typical, raw", "simulated typical, rectified")


def table1() -> Section:
    ours = [
        Line(
            f"TIACam, {part}", paper, "table1", part, "cosine mean", COSINE_SIDES, command=evaluate("table1")
        )
        for part, paper in COSINE.items()
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
        "the paper, they stand below, and so do the baselines. " + SELF_SUPERVISED_NOTE,
        ("unrelated, mean", "unrelated, p99.9", "own record nearest"),
        (*ours, *plain, *self_supervised()),
    )


def table2() -> Section:
    lines = [camera_line(kind, form, bits) for kind in KINDS for form in FORMS for bits in (30, 100, 200)]
    return Section(
        "Table 2: messages from photos of screens and prints and from screenshots",
        MESSAGE_NOTE
        + "The paper took its own photos, which are not published: ours are other real photos, and "
        "simulated ones. Watermarks of others stand in the next table.",
        MESSAGE_HEADS,
        tuple(lines),
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


def captures() -> Section:
    lines = [
        Line(
            f"{kind}, {form}",
            CAMERA_COSINE[kind],
            "camera",
            f"{kind}, {form}",
            "cosine mean",
            COSINE_SIDES,
            reason=f"no real photos of this kind here, with medium {medium(kind)!r} in pairs.jsonl"
            if form.startswith("real") and kind != "Print Camera"
            else "",
            command=evaluate("camera", "PHOTOS" if form.startswith("real") else "PICTURES"),
        )
        for kind in KINDS
        for form in FORMS
    ]
    return Section(
        "S3, second table: cosine under captures",
        "Our backbone was trained with simulated captures, the paper's model with its learned augmentor.",
        ("unrelated, mean", "unrelated, p99.9", "own record nearest"),
        (*lines, *manual_cosines()),
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
                "captions",
                "bits from the text",
                "reference bit accuracy",
                ("cosine max", "keyed claims"),
                command="python -m benchmarks.captions",
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
        watermarks(),
        table3(),
        manual_and_learned(),
        captures(),
        lengths(
            MESSAGE_HEADS,
            MESSAGE_NOTE + "The paper's table under captures has the numbers of Table 2, nearly.",
        ),
        distinctiveness(),
        messages("S4: digital distortions", "digital", names[:11]),
        latent(),
        messages("S4: geometric distortions", "geometric", names[11:]),
        reported(),
        captions(),
    ]


# What has no table here: the paper's place, what it is, why not, and what would run it.
ELSEWHERE = (
    (
        "Table 3",
        "CLIP itself in the place of our backbone",
        "needs the weights of CLIP ViT-L/14; Visual Genome, Flickr30k and ImageNet photos could not be had either",
        "tiacam train tiacam --clip openai/clip-vit-large-patch14",
    ),
    (
        "Table 2",
        "the paper's own photos of screens, prints and screenshots",
        "not published; ours are 160 photos of prints by four phones, and simulated ones",
        evaluate("camera", "PHOTOS"),
    ),
    (
        "Distinctiveness",
        "200 pairs of pictures generated from one text each",
        "no text-to-image model here; ours are photos whose human captions say the same",
        evaluate("distinctiveness"),
    ),
    ("S8", "occlusion", "the paper prints no numbers; ours stand above", evaluate("occlusion")),
)
