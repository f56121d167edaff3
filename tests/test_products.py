"""Products in slices are products, whatever the shapes."""

from __future__ import annotations

import numpy as np
import pytest

from tiacam.products import product


@pytest.mark.parametrize("many", [0, 1, 11, 340, 1000])
@pytest.mark.parametrize("few", [0, 1, 2, 170, 5000])
@pytest.mark.parametrize("width", [1, 64, 768])
def test_is_the_product(many: int, few: int, width: int) -> None:
    generator = np.random.default_rng(0)
    one = generator.standard_normal((many, width), dtype=np.float32)
    other = generator.standard_normal((few, width), dtype=np.float32)
    np.testing.assert_allclose(product(one, other), one @ other.T, rtol=0, atol=1e-3)


def test_takes_rows_that_do_not_lie_together() -> None:
    table = np.random.default_rng(0).standard_normal((100, 40), dtype=np.float32)
    np.testing.assert_allclose(product(table[::2], table[:3]), table[::2] @ table[:3].T, rtol=0, atol=1e-5)
