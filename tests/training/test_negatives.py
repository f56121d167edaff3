"""Hard negatives: near, wrong, and never the picture's own."""

from __future__ import annotations

import pytest
import torch

from tiacam.training.negatives import Anchors, MiningSettings, find_owners, mine_negatives

# Along a circle: two captions of picture 0, then pictures 1 to 4 further and further away; picture 5 says what 0 says.
ANGLES = torch.tensor([0.0, 0.1, 0.5, 0.9, 1.4, 2.0, 0.02])
OWNER = torch.tensor([0, 0, 1, 2, 3, 4, 5])


def circle() -> torch.Tensor:
    return torch.stack([ANGLES.cos(), ANGLES.sin()], dim=1)


def test_negatives_are_the_nearest_captions_of_other_pictures() -> None:
    found = mine_negatives(circle(), OWNER, MiningSettings(keep=2, same=0.99))
    assert found[0].tolist() == [2, 3]
    assert found[4].tolist() in ([3, 5], [5, 3])


def test_captions_that_say_the_same_are_not_taken_for_wrong() -> None:
    strict = mine_negatives(circle(), OWNER, MiningSettings(keep=1, same=1.0))
    assert strict[0].tolist() == [6]
    lenient = mine_negatives(circle(), OWNER, MiningSettings(keep=1, same=0.95))
    assert lenient[0].tolist() == [2]


def test_no_caption_of_the_same_picture_is_ever_a_negative() -> None:
    generator = torch.Generator().manual_seed(0)
    vectors, owner = torch.randn(60, 8, generator=generator), torch.arange(60) // 5
    found = mine_negatives(vectors, owner, MiningSettings(keep=30))
    assert (owner[found] != owner[:, None]).all()


def test_a_choice_pairs_a_picture_with_its_own_caption_and_a_wrong_one() -> None:
    embeddings = torch.eye(6)
    first, count = torch.tensor([0, 2, 5]), torch.tensor([2, 3, 1])
    negatives = torch.tensor([[5], [5], [0], [0], [0], [3]])
    anchors = Anchors(embeddings, first, count, negatives)
    pictures = torch.tensor([0, 1, 2, 1])
    positive, negative = anchors.choose(pictures, torch.Generator().manual_seed(0))
    owner = find_owners(first, count, 6)
    assert owner[positive.argmax(1)].tolist() == [0, 1, 2, 1]
    assert negative.argmax(1).tolist() == [5, 0, 3, 0]


def test_a_share_of_the_negatives_is_any_other_pictures_caption() -> None:
    anchors = Anchors(
        torch.eye(3), torch.arange(3), torch.ones(3, dtype=torch.long), torch.zeros(3, 1).long(), 0.0
    )
    _, negative = anchors.choose(torch.tensor([0, 1, 2]), torch.Generator().manual_seed(0))
    assert negative.argmax(1).tolist() == [2, 0, 1]


def test_captions_without_a_picture_have_no_owner() -> None:
    owner = find_owners(torch.tensor([4, 1]), torch.tensor([2, 1]), 6)
    assert owner.tolist() == [-1, 1, -1, -1, 0, 0]


def test_settings_without_candidates_are_refused() -> None:
    with pytest.raises(ValueError, match="candidate"):
        MiningSettings(keep=0)
