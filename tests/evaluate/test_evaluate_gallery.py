"""The gallery of a bench answers as the product does with the same pictures in its registry."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tiacam.app import Tiacam
from tiacam.app.reader import VIEWS
from tiacam.capture.attacks import ATTACKS
from tiacam.evaluate import Bench
from tiacam.evaluate.bench import SEED_STRIDE


@pytest.mark.parametrize("attack", ["jpeg-10", "crop-0.5", "occlusion-90"])
def test_a_bench_claims_what_the_product_claims(
    bench: Bench, attack: str, open_tiacam: Callable[..., Tiacam]
) -> None:
    product = open_tiacam()
    pictures = [source.open().pixels for source in bench.shelf.sources]
    records = [product.register(pixels, index).id for index, pixels in enumerate(pictures)]
    photos = (
        ATTACKS[attack].apply(pixels, bench.seed * SEED_STRIDE + index)
        for index, pixels in enumerate(pictures)
    )
    verdicts = [product.read(photo) for photo in photos]
    expected = [None if v.record_id is None else records.index(v.record_id) for v in verdicts]
    assert [bench.gallery.look_up(views) for views in bench.attack(attack, VIEWS)] == expected
