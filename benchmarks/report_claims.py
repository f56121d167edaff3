"""Where the paper's claims did not hold here: what it says, what was measured, and the record that shows it.

Every number comes out of a record; a claim whose record is missing says so instead of a number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.report_records import Results

from tiacam.evaluate.paper import BIT_ACCURACY, COSINE, SAME_CAPTION_BITS, SAME_CAPTION_COSINE

TITLE = "Where the paper's claims did not hold"
NOTE = (
    "What we could not confirm, and why we think so. A number that differs is no proof that the paper is wrong: "
    "backbone, data and photos are others. The first two are of another kind, and hold for any features."
)
NEGATIVE_MEAN = -0.472  # of the cosines of all negative pairs, "Feature Robustness"
OWN_CAPTION, CHANGED_CAPTION = 0.91, 0.70  # S7


@dataclass(frozen=True)
class Number:
    """A place in a record."""

    table: str
    name: str
    metric: str
    model: str | None = None
    bound: bool = False  # its upper bound instead of the number


@dataclass(frozen=True)
class Finding:
    """A claim, and what was found instead: a text with a place for each number."""

    claim: str
    found: str
    numbers: tuple[Number, ...]


FINDINGS = (
    Finding(
        "The head of Eqs. 5-9 gives the registered message back, so a message that comes back shows that the picture "
        "is the registered one (Table 2, S4).",
        "It gives the message back whatever picture it is shown. From photos of prints it reads {:.1%} of 100 bits "
        "with the picture's own record, and {:.1%} with the record of an unrelated one. All rows of C end up along "
        "one line, so all bits agree or flip together, and the bias of Ψ is the same for every picture. Hence the "
        "keyed head, and the column of unrelated pictures beside every bit accuracy "
        "([decision 0001](decisions/0001-two-heads.md)).",
        (
            Number("camera", "Print Camera, real, raw", "reference bit accuracy, 100 bits"),
            Number("camera", "Print Camera, real, raw", "unrelated reference bit accuracy, 100 bits"),
        ),
    ),
    Finding(
        f"Negative pairs have a mean cosine of {NEGATIVE_MEAN}, unrelated pictures approach -1.",
        "No features can do that: the mean over all pairs of N unit vectors is at least -1/(N-1), that is -0.5 for "
        "three pictures and -0.001 for a thousand. Ours is {:+.3f} (99.9th percentile {:.3f}).",
        (
            Number("table1", "All", "impostor cosine mean"),
            Number("table1", "All", "impostor cosine p99.9"),
        ),
    ),
    Finding(
        f"Features keep a cosine of {COSINE['All']} under all distortions at once, and that is what makes them robust "
        "(Table 1).",
        "Ours keep {:.3f} whitened and {:.3f} as they come, and the own record is still the nearest for {:.1%}. "
        "A high cosine by itself is no merit: ImageNet features, not trained for this, keep {:.3f} under JPEG "
        "compression, but unrelated pictures are at {:.3f} already. What counts is the distance between the two.",
        (
            Number("table1", "All", "cosine mean"),
            Number("ssl", "All", "plain cosine mean"),
            Number("table1", "All", "top-1"),
            Number("ssl", "JPEG", "plain cosine mean", "bootstrap-0"),
            Number("ssl", "JPEG", "plain impostor cosine mean", "bootstrap-0"),
        ),
    ),
    Finding(
        "The text-anchored stage on a frozen backbone raises the cosine by 13 to 15 points (Table 3), the learned "
        "augmentor more than a manual one (S3).",
        "The cosine rises here too: under all distortions from {:.3f} to {:.3f} in two seeds' mean. But so does that "
        "of unrelated pictures, whose 99.9th percentile goes from {:.3f} to {:.3f}; the features collapse from {:.0f} "
        "directions to {:.1f}, and the own record is the nearest for {:.0%} instead of {:.0%}. Whitened, which cannot "
        "be satisfied by collapse, the cosine falls from {:.3f} to {:.3f}; with a manual augmentor to {:.3f}, without "
        "captions to {:.3f}, without the adversary to {:.3f}: no difference between them. Eqs. 1-4 have no term that "
        "keeps different pictures apart; with an instance contrast added, {:.3f}. These are 137 steps of 512 pictures "
        "at 128×128 with the operators' closed forms (395 steps of one seed look the same). The model that ships is "
        "the backbone, whose own training has that contrast ([training](training.md)).",
        tuple(
            Number("ablation", f"{variant}, {space}, all", metric, "anchor-whitened")
            for variant, space, metric in (
                ("backbone", "plain", "cosine mean"),
                ("tiacam", "plain", "cosine mean"),
                ("backbone", "plain", "impostor cosine p99.9"),
                ("tiacam", "plain", "impostor cosine p99.9"),
                ("backbone", "plain", "effective rank"),
                ("tiacam", "plain", "effective rank"),
                ("tiacam", "plain", "top-1"),
                ("backbone", "plain", "top-1"),
                ("backbone", "whitened", "cosine mean"),
                ("tiacam", "whitened", "cosine mean"),
                ("manual", "whitened", "cosine mean"),
                ("no-text", "whitened", "cosine mean"),
                ("no-adversary", "whitened", "cosine mean"),
                ("contrast", "whitened", "cosine mean"),
            )
        ),
    ),
    Finding(
        f"Two pictures of one caption have a cosine of {SAME_CAPTION_COSINE}, and {SAME_CAPTION_BITS:.0%} of the bits "
        "are read from the second (Distinctiveness).",
        "The paper takes this for a good separation. Photos with the same human caption have {:.3f} here (the largest "
        "{:.3f}); its head reads {:.1%} of the bits from them, the keyed head claims {:.1%} (at most {:.1%}).",
        (
            Number("distinctiveness", "same caption", "cosine mean"),
            Number("distinctiveness", "same caption", "cosine max"),
            Number("distinctiveness", "same caption", "reference bit accuracy"),
            Number("distinctiveness", "same caption", "keyed claims"),
            Number("distinctiveness", "same caption", "keyed claims", bound=True),
        ),
    ),
    Finding(
        f"A tenth of the picture suffices: {BIT_ACCURACY['Crop (0.1)']:.0%} of the bits after Crop (0.1), and "
        f"{BIT_ACCURACY['Translation 50%']:.1%} after a translation by half (S4).",
        "By whole messages we read {:.0%} and {:.0%}. With the paper's head every crop of every picture would be "
        "read, see the first line.",
        (
            Number("digital", "Crop (0.1)", "keyed exact"),
            Number("geometric", "Translation 50%", "keyed exact"),
        ),
    ),
    Finding(
        f"Picture and caption have a cosine of {OWN_CAPTION}, with one word of it changed {CHANGED_CAPTION:.2f} (S7).",
        "Ours are {:.3f} and {:.3f}; the true caption is the nearer one for {:.0%}. Contrastive image-text spaces "
        "have such values; the order is what they are trained for, not the cosine.",
        (
            Number("captions", "one word changed", "cosine with the caption"),
            Number("captions", "one word changed", "cosine with the changed caption"),
            Number("captions", "one word changed", "nearer to the true caption"),
        ),
    ),
    Finding(
        "Invariant features keep their meaning: linear probes on them have the highest accuracy on every set and under "
        "every distortion (Fig. 4, S6).",
        "Not beside the features that ours began from, those of an ImageNet classifier, which the paper has no row "
        "for. Top-1 with them and with ours: {:.1%} and {:.1%} on clean pictures of Imagenette, {:.1%} and {:.1%} on "
        "those of Caltech-101 (the classifier knew such labels), {:.1%} and {:.1%} on COCO pictures under moiré. "
        "A loss that tells every picture from every other one has no reason to keep classes together.",
        tuple(
            Number("probes", place, "Top-1", model)
            for place in ("imagenette: Clean", "caltech101: Clean", "coco-captions: Moiré")
            for model in ("bootstrap-0", None)
        ),
    ),
    Finding(
        "The whole frame of a photo can be read, without finding the picture in it first (limitations).",
        "The whole frame of a simulated photo of a print has a cosine of {:.3f} with its picture, rectified by the "
        "true corners {:.3f}. Raw photos are read about as often as rectified ones ({:.1%} and {:.1%} of the real "
        "ones) only because the picture is located and aligned "
        "([decision 0010](decisions/0010-locating-and-aligning.md)).",
        (
            Number("camera", "Print Camera, simulated typical, raw", "cosine mean"),
            Number("camera", "Print Camera, simulated typical, rectified", "cosine mean"),
            Number("camera", "Print Camera, real, raw", "keyed exact, 100 bits"),
            Number("camera", "Print Camera, real, rectified", "keyed exact, 100 bits"),
        ),
    ),
)


def findings(results: Results) -> Iterator[tuple[str, str, list[str]]]:
    """Claim, what was found, and the names of the records that it rests on."""
    for finding in FINDINGS:
        records = [results.of(number.table, number.model) for number in finding.numbers]
        values = [
            record.value(number.name, number.metric, bound=number.bound) if record else None
            for record, number in zip(records, finding.numbers, strict=True)
        ]
        names = list(dict.fromkeys(record.path.name for record in records if record))
        known = [value for value in values if value is not None]
        complete = len(known) == len(values)
        yield finding.claim, finding.found.format(*known) if complete else "Not measured yet.", names
