"""The text-anchored stage on a frozen backbone: extractor, discriminator and augmentor play (§3.2, S5).

    tiacam train tiacam --data SHARDS --captions EMBEDDINGS.npz --backbone anchor.pt --augmentor DIR --out runs/tiacam

on the anchor, or on a real CLIP from a local folder or by its hub name, with captions as JSON lines:

    tiacam train tiacam --data SHARDS --captions captions.jsonl.gz --clip FOLDER --augmentor DIR --out runs/tiacam

Several GPUs: `torchrun --nproc-per-node N -m tiacam.recipes.tiacam ...`, each process with --batch pictures of its own.
--augmentor takes what the augmentor's recipe left behind, or `operators` for the closed forms without networks. A run
that stopped goes on from the last checkpoint when the same command is given again. Cost and result of each run are in
docs/log.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import torch

from tiacam.augment import AutoAugmentor
from tiacam.features.anchor_encoder import AnchorEncoder
from tiacam.features.clip import ClipEncoder
from tiacam.features.discriminator import Discriminator, DiscriminatorSettings
from tiacam.features.dual import DualEncoder
from tiacam.features.extractor import Extractor, ExtractorSettings
from tiacam.features.losses import Form
from tiacam.training.augmentor import load_augmentor
from tiacam.training.negatives import MiningSettings
from tiacam.training.parallel import Team, joined
from tiacam.training.record import current_commit
from tiacam.training.seeds import derive_seed
from tiacam.training.tiacam import TiacamSettings, TiacamTrainer
from tiacam.training.tiacam_data import Dealer, build_pool
from tiacam.training.tiacam_game import Game, GameSettings
from tiacam.training.tiacam_sources import build_anchors, read_captioned

SETTINGS = TiacamSettings()
GAME = GameSettings()
BATCH = 512
SIZE = 128  # the paper's


def configure(parser: argparse.ArgumentParser) -> None:
    """The recipe's options."""
    parser.add_argument("--data", type=Path, required=True, help="folder with shard-*.tar")
    parser.add_argument(
        "--captions", type=Path, required=True, help="sentence vectors (.npz), or captions as JSON lines"
    )
    backbone = parser.add_mutually_exclusive_group(required=True)
    backbone.add_argument("--backbone", type=Path, help="checkpoint of `tiacam train anchor`")
    backbone.add_argument("--clip", help="folder or hub name of a CLIP model")
    parser.add_argument(
        "--augmentor", type=Path, required=True, help="folder of `tiacam train augmentor`, or `operators`"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for checkpoints and curves")
    parser.add_argument("--steps", type=int, default=SETTINGS.steps)
    parser.add_argument("--seconds", type=float, help="stop after so many seconds of training")
    parser.add_argument(
        "--batch", type=int, default=BATCH, help="pictures of one process (default %(default)s)"
    )
    parser.add_argument("--rate", type=float, default=GAME.rate, help="of Adam (default %(default)s)")
    parser.add_argument("--form", choices=list(Form), default=GAME.form, type=Form, help="of Eq. 2")
    parser.add_argument("--adversarial-weight", type=float, default=GAME.adversarial_weight)
    parser.add_argument("--contrast-weight", type=float, default=GAME.contrast_weight)
    parser.add_argument("--size", type=int, default=SIZE, help="of the pictures (default %(default)s)")
    parser.add_argument("--limit", type=int, help="read so many pictures of the shards")
    parser.add_argument("--log-every", type=int, default=SETTINGS.log_every)
    parser.add_argument("--save-every", type=int, default=SETTINGS.save_every)
    parser.add_argument("--seed", type=int, default=SETTINGS.seed)
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda")


def load_encoder(options: argparse.Namespace) -> DualEncoder:
    return ClipEncoder.load(options.clip) if options.clip else AnchorEncoder.load(options.backbone)


def build_augmentor(source: Path) -> AutoAugmentor:
    return AutoAugmentor.build(None) if str(source) == "operators" else load_augmentor(source)


def build_game(options: argparse.Namespace, encoder: DualEncoder, device: torch.device) -> Game:
    """Players of the widths that the encoder asks for, the same in every process."""
    torch.manual_seed(derive_seed(options.seed, "weights"))
    extractor = Extractor(ExtractorSettings(inputs=encoder.width)).to(device)
    widest = max(extractor.settings.outputs, encoder.width)
    discriminator = Discriminator(DiscriminatorSettings(inputs=widest)).to(device)
    settings = replace(
        GAME,
        rate=options.rate,
        form=options.form,
        adversarial_weight=options.adversarial_weight,
        contrast_weight=options.contrast_weight,
    )
    return Game(encoder, extractor, discriminator, build_augmentor(options.augmentor).to(device), settings)


def build_trainer(options: argparse.Namespace, team: Team, device: torch.device) -> TiacamTrainer:
    """Everything from files to the first step."""
    encoder = load_encoder(options).to(device)
    archives = sorted(options.data.glob("shard-*.tar"))
    found = read_captioned(archives, options.captions, options.size, options.limit)
    pool = build_pool(found.pixels, build_anchors(encoder, found, MiningSettings()), encoder, device)
    game = build_game(options, encoder, device)
    settings = replace(
        SETTINGS,
        steps=options.steps,
        log_every=options.log_every,
        save_every=options.save_every,
        seed=options.seed,
    )
    about = {
        "backbone": str(options.clip or options.backbone.name),
        "extractor": asdict(game.extractor.settings),
        "size": options.size,
        "batch": options.batch * team.world,
        "pictures": len(pool),
        "commit": current_commit(),
        "seed": options.seed,
    }
    return TiacamTrainer(game, Dealer(pool, encoder, options.batch, options.seed, team), settings, about)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="tiacam train tiacam",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    configure(parser)
    options = parser.parse_args(arguments)
    team = Team.from_environment()
    device = team.pick_device(options.device)
    with joined(team, device):
        trainer = build_trainer(options, team, device)
        trainer.run(options.out, time.time() + options.seconds if options.seconds else None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
