"""Table 3 and the first table of S3: the backbone, the stage on top of it, and the stage without one of its parts."""

from __future__ import annotations

from benchmarks.report_lines import Line, Section

BACKBONE = "anchor-whitened"  # the run on which the ablations stand
COMMAND = "python -m benchmarks.ablations"
CLIP_COMMAND = "tiacam train tiacam --clip openai/clip-vit-large-patch14"
OTHER_SETS = {"Visual Genome": (0.78, 0.92), "Flickr30k": (0.84, 0.93), "ImageNet": (0.82, 0.93)}
VARIANTS = {  # label and the paper's number on MSCOCO, where it has one
    "backbone": ("MSCOCO: our backbone alone (paper: CLIP)", 0.76),
    "tiacam": ("MSCOCO: with the stage of Eqs. 1-4", 0.89),
    "manual": ("MSCOCO: with manual distortions", None),
    "no-text": ("MSCOCO: without captions", None),
    "no-adversary": ("MSCOCO: without the adversary", None),
    "contrast": ("MSCOCO: with an instance contrast, which the paper has not", None),
}
MANUAL_AND_LEARNED = {  # S3: cosine after training with manual distortions and with the augmentor
    "additive": (0.84, 0.98),
    "photometric": (0.86, 0.96),
    "perspective": (0.78, 0.92),
    "jpeg": (0.88, 0.97),
    "moire": (0.76, 0.89),
    "filtering": (0.89, 0.98),
}
HEADS = (
    "unrelated pictures, 99.9th percentile",
    "own record nearest",
    "directions in use",
    "whitened cosine",
)
NOTE = (
    "Plain cosines as in the paper, on our backbone, 137 steps of 512 pictures, two seeds (their range in brackets). "
    "A high cosine with few directions in use is a collapse: then unrelated pictures are as near, and whitening, which "
    "no collapse satisfies, shows less than the backbone alone."
)


def line(label: str, paper: float | None, variant: str, distortion: str) -> Line:
    plain, white = (f"{variant}, {space}, {distortion}" for space in ("plain", "whitened"))
    beside = ("impostor cosine p99.9", "top-1", "effective rank", (white, "cosine mean"))
    return Line(label, paper, "ablation", plain, "cosine mean", beside, model=BACKBONE, command=COMMAND)


def table3() -> Section:
    lines = [line(label, paper, variant, "all") for variant, (label, paper) in VARIANTS.items()]
    lines += [
        Line(
            f"{place}: {what}",
            paper,
            "",
            "",
            "",
            reason=f"needs CLIP ViT-L/14 and {place}",
            command=CLIP_COMMAND,
        )
        for place, papers in OTHER_SETS.items()
        for what, paper in zip(("CLIP alone", "with the stage of Eqs. 1-4"), papers, strict=True)
    ]
    return Section("Table 3: the feature extractor, all distortions", NOTE, HEADS, tuple(lines))


def manual_and_learned() -> Section:
    lines = (
        line(f"{distortion}, {how}", paper, variant, distortion)
        for distortion, papers in MANUAL_AND_LEARNED.items()
        for how, variant, paper in zip(("manual", "learned"), ("manual", "tiacam"), papers, strict=True)
    )
    return Section("S3, first table: manual and learned distortions", NOTE, HEADS, tuple(lines))
