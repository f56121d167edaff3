"""A game of tiny players on a few pictures."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from tiacam.augment import AutoAugmentor
from tiacam.features.discriminator import Discriminator, DiscriminatorSettings
from tiacam.features.dual import DualEncoder, Sight
from tiacam.features.extractor import Extractor, ExtractorSettings
from tiacam.training.negatives import Anchors, MiningSettings, mine_negatives
from tiacam.training.parallel import Team
from tiacam.training.tiacam import TiacamSettings, TiacamTrainer
from tiacam.training.tiacam_data import Dealer, Pool, build_pool
from tiacam.training.tiacam_game import Game, GameSettings
from tiacam.training.vitals import Alarm

from .pictures import small_pictures

WIDTH = 16
CPU = torch.device("cpu")
QUIET = Alarm(grace=10**6)
GAME = GameSettings(rate=1e-3, ascent_pictures=4)


class TinyEncoder(DualEncoder):
    """Two convolutions, the mean over space, and words as sums of letters."""

    width = WIDTH

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, 2)
        self.second = nn.Conv2d(8, WIDTH, 3, 2)
        self.letters = nn.Embedding(128, WIDTH)
        self.freeze()

    def look(self, image: Tensor) -> Sight:
        low = self.first(image).relu()
        embedding = self.second(low).mean(dim=(2, 3))
        return Sight(embedding, (low.mean(dim=(2, 3)), embedding))

    @torch.no_grad()
    def embed_texts(self, texts: Sequence[str]) -> Tensor:
        rows = [self.letters(torch.tensor(list(text.encode()))).mean(0) for text in texts]
        return nn.functional.normalize(torch.stack(rows))


@functools.cache
def tiny_pool() -> tuple[TinyEncoder, Pool]:
    torch.manual_seed(0)
    encoder = TinyEncoder()
    pictures = small_pictures(24, 32)
    captions = encoder.embed_texts([f"picture {index} {'abc' * (index % 5)}" for index in range(48)])
    negatives = mine_negatives(captions, torch.arange(48) // 2, MiningSettings(keep=4))
    anchors = Anchors(captions, torch.arange(24) * 2, torch.full((24,), 2), negatives)
    return encoder, build_pool(pictures, anchors, encoder, CPU)


def tiny_trainer(
    steps: int = 6,
    game: GameSettings = GAME,
    alarm: Alarm = QUIET,
    team: Team | None = None,
    augmentor: AutoAugmentor | None = None,
) -> TiacamTrainer:
    encoder, pool = tiny_pool()
    torch.manual_seed(0)
    players = Game(
        encoder,
        Extractor(ExtractorSettings(WIDTH, 32, 16, 32)),
        Discriminator(DiscriminatorSettings(32, 16, 2, 2)),
        augmentor or AutoAugmentor.build(None),
        game,
    )
    settings = TiacamSettings(steps=steps, log_every=2, save_every=2, seed=3, alarm=alarm)
    return TiacamTrainer(players, Dealer(pool, encoder, 8, 3, team or Team()), settings)
