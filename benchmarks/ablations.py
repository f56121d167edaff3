"""The ablations of the text-anchored stage: same pictures, same number of steps, several seeds, both sides measured.

    python -m benchmarks.ablations --data SHARDS --captions EMBEDDINGS.npz --backbone anchor.pt --augmentor DIR \\
        --exam exam.tar --out runs/ablations --seconds 25 --seeds 3

The first variant, `tiacam`, trains for --seconds; all others get as many steps as it made (and at most twice the time).
`backbone` is no training at all. Written after every variant: OUT/ablations.json (one row for each variant, seed, space
and distortion) and OUT/VARIANT-SEED.csv. The exam comes from benchmarks.ablation_exam; --augmentor operators
leaves the pretrained networks out and plays with the closed forms alone, ten times faster.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import torch
from benchmarks.ablation_score import Exam, Row, embed_exam, score

from tiacam.augment import AutoAugmentor, ManualAugmentor
from tiacam.errors import TrainingError
from tiacam.features.anchor_encoder import AnchorEncoder
from tiacam.features.discriminator import Discriminator
from tiacam.features.extractor import Extractor
from tiacam.features.losses import Form
from tiacam.training.augmentor import load_augmentor
from tiacam.training.devices import describe_device, pick_device
from tiacam.training.negatives import MiningSettings
from tiacam.training.record import write_record
from tiacam.training.seeds import derive_seed
from tiacam.training.tiacam import TiacamSettings, TiacamTrainer
from tiacam.training.tiacam_data import Dealer, Pool, build_pool
from tiacam.training.tiacam_game import Game, GameSettings
from tiacam.training.tiacam_sources import build_anchors, read_captioned
from tiacam.training.vitals import Alarm

GAME = GameSettings()
# ours, so it may have its own rate: ten times the paper's suits a run of some hundred steps
CONTRAST = replace(GAME, contrast_weight=1.0, rate=1e-3)
STATISTICS = 8192  # training pictures from which a variant's whitening is measured


@dataclass(frozen=True)
class Variant:
    """What is taken away or put in the place of something, and the table of the paper that asks for it."""

    about: str
    game: GameSettings = GAME
    manual: bool = False
    head_start: float = 0.0  # share of the steps
    hard_share: float | None = None  # of the negatives, where it should differ


VARIANTS: Mapping[str, Variant] = MappingProxyType(
    {
        "tiacam": Variant("Eqs. 1-4 with captions and adversary (Table 3)"),
        "manual": Variant("hand-made distortions instead of the learned augmentor (S3)", manual=True),
        "no-text": Variant("without captions: L_inv alone", replace(GAME, adversarial_weight=0.0)),
        "no-adversary": Variant("the augmentor stays as pretrained", replace(GAME, ascent=False)),
        "saturating": Variant("Eq. 2 as printed: log(1 - D)", replace(GAME, form=Form.SATURATING)),
        "hard-only": Variant("every negative caption is a near miss", hard_share=1.0),
        "head-start": Variant(
            "the discriminator plays alone for a quarter of the steps and learns five times faster",
            replace(GAME, discriminator_rate=5e-4),
            head_start=0.25,
        ),
        "contrast": Variant("tiacam with instance contrast, which the paper has not", CONTRAST),
        "contrast-no-text": Variant("the same without captions", replace(CONTRAST, adversarial_weight=0.0)),
    }
)


@dataclass(frozen=True)
class Bench:
    """What all variants share."""

    encoder: AnchorEncoder
    pool: Pool
    exam: Exam
    device: torch.device
    options: argparse.Namespace

    def statistics(self) -> torch.Tensor:
        return self.pool.embeddings[:STATISTICS]


def prepare(options: argparse.Namespace) -> Bench:
    device = pick_device(options.device)
    encoder = AnchorEncoder.load(options.backbone)
    encoder.to(device)
    encoder.tower.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    archives = sorted(options.data.glob("shard-*.tar"))
    found = read_captioned(archives, options.captions, options.size, options.limit)
    pool = build_pool(found.pixels, build_anchors(encoder, found, MiningSettings()), encoder, device)
    return Bench(encoder, pool, embed_exam(encoder, options.exam, options.size, device), device, options)


def build_augmentor(variant: Variant, bench: Bench) -> AutoAugmentor:
    """Afresh for every run: the adversary changes it."""
    if variant.manual:
        return ManualAugmentor.build().to(bench.device)
    if str(bench.options.augmentor) == "operators":
        return AutoAugmentor.build(None).to(bench.device)
    return load_augmentor(bench.options.augmentor).to(bench.device)


def build_trainer(variant: Variant, seed: int, bench: Bench, steps: int | None) -> TiacamTrainer:
    """The players of a variant, started alike for the same seed. A collapse is measured, so it does not end a run."""
    options = bench.options
    torch.manual_seed(derive_seed(seed, "weights"))
    players = (Extractor().to(bench.device), Discriminator().to(bench.device))
    rate = options.rate or variant.game.rate
    game = replace(variant.game, rate=rate, ascent_pictures=options.ascent_pictures)
    settings = TiacamSettings(
        steps=steps or 10**9,
        log_every=options.log_every,
        seed=seed,
        head_start=round(variant.head_start * (steps or 0)),
        alarm=Alarm(grace=10**9),
    )
    return TiacamTrainer(
        Game(bench.encoder, *players, build_augmentor(variant, bench), game),
        Dealer(choose_pool(variant, bench.pool), bench.encoder, options.batch, seed),
        settings,
    )


def choose_pool(variant: Variant, pool: Pool) -> Pool:
    if variant.hard_share is None:
        return pool
    return replace(pool, anchors=replace(pool.anchors, hard_share=variant.hard_share))


def run_variant(name: str, seed: int, bench: Bench, steps: int | None) -> tuple[list[Row], int]:
    """Train and examine; the rows and the number of steps made."""
    variant, start = VARIANTS[name], time.time()
    trainer, trouble = build_trainer(variant, seed, bench, steps), ""
    limit = bench.options.seconds * (1 if steps is None else 2)
    until = None if bench.options.steps else time.time() + limit
    try:
        trainer.train(bench.options.out / f"{name}-{seed}.csv", until)
    except TrainingError as error:
        trouble = str(error)
    seconds = time.time() - start
    trainer.game.extractor.eval()
    rows = score(trainer.game.extractor, bench.exam, bench.statistics())
    vitals = trainer.vitals.as_row() if trainer.vitals else {}
    told = {
        "variant": name,
        "seed": seed,
        "steps": trainer.step,
        "seconds": round(seconds, 1),
        "trouble": trouble,
        "accuracy": round(vitals.get("accuracy", 0.0), 4),
    }
    return [told | row for row in rows], trainer.step


def backbone_rows(bench: Bench) -> list[Row]:
    """The frozen encoder alone."""
    told = {"variant": "backbone", "seed": None, "steps": 0, "seconds": 0.0, "trouble": "", "accuracy": None}
    return [told | row for row in score(lambda e: e, bench.exam, bench.statistics())]


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True, help="folder with shard-*.tar")
    parser.add_argument("--captions", type=Path, required=True, help="sentence vectors (ids, emb)")
    parser.add_argument("--backbone", type=Path, required=True, help="weights of the anchor")
    parser.add_argument("--augmentor", type=Path, required=True, help="pretrained augmentor, or `operators`")
    parser.add_argument("--exam", type=Path, required=True, help="tar of benchmarks.ablation_exam")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=25.0, help="of training for the first variant")
    parser.add_argument("--steps", type=int, help="of every variant, however long they take; not --seconds")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--variants", nargs="+", choices=list(VARIANTS), default=list(VARIANTS))
    parser.add_argument("--total-seconds", type=float, help="start no variant after so many seconds")
    parser.add_argument("--rate", type=float, help="for all variants, instead of their own")
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--ascent-pictures", type=int, default=GAME.ascent_pictures)
    parser.add_argument("--size", type=int, default=128)
    parser.add_argument("--limit", type=int, help="read so many pictures of the shards")
    parser.add_argument("--log-every", type=int, default=25)
    parser.add_argument("--device", default="auto")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    configure(parser)
    options = parser.parse_args(arguments)
    began = time.time()
    bench = prepare(options)
    print(f"{len(bench.pool)} pictures ready after {time.time() - began:.0f} s", file=sys.stderr)
    rows = backbone_rows(bench)
    steps: int | None = options.steps
    for seed in range(options.seeds):
        for name in options.variants:
            if options.total_seconds and time.time() - began > options.total_seconds:
                break
            found, made = run_variant(name, seed, bench, steps)
            steps = steps or made
            rows += found
            show(found)
            save(rows, bench)
    return 0


def save(rows: list[Row], bench: Bench) -> None:
    options = bench.options
    length = f"--steps {options.steps}" if options.steps else f"--seconds {options.seconds:g}"
    command = (
        f"benchmarks.ablations {length} --seeds {options.seeds} --batch {options.batch}"
        f" --rate {options.rate or 'own'} --size {options.size} --ascent-pictures {options.ascent_pictures}"
        f" --augmentor {options.augmentor.name} --backbone {options.backbone.name} --exam {options.exam.name}"
    )
    write_record(
        options.out / "ablations.json",
        rows,
        command=command,
        seed=0,
        device=describe_device(bench.device),
        n=len(bench.pool),
        variants={name: variant.about for name, variant in VARIANTS.items()},
    )


def show(rows: Sequence[Row]) -> None:
    """The rows that matter most, to the terminal."""
    for row in rows:
        if row["what"] in {"all", "photos rectified", "photos raw"}:
            print(
                f"{row['variant']:17} {row['seed']} {row['steps']:5} {row['space']:9} {row['what']:16}"
                f" genuine {row['genuine']:.3f} ({row['genuine_p5']:.3f}) impostor {row['impostor']:+.3f}"
                f" ({row['impostor_p999']:.3f}) top-1 {row['top1']:.3f} rank {row['rank']:.0f} {row['trouble']}",
                file=sys.stderr,
            )


if __name__ == "__main__":
    sys.exit(main())
