"""Both systems filled up to any number of records, for timing look-ups only.

Ours: copies of real features under random signed permutations of the axes (benchmarks.scale_ledger says why), each
with the landmarks of the picture that it was copied from and a message bound to it, signed and stored by the product.
RootSIFT: mixtures of two real descriptors of one cell, which lie in that cell again because cells are convex. So every
cell grows in proportion, and nothing has to be assigned. They belong to random records, at random places.
"""

from __future__ import annotations

import numpy as np
from benchmarks.against_contest import BITS, Ours, message_of
from benchmarks.peers.rootsift import LONG_SIDE
from benchmarks.peers.rootsift_ivf import SLOTS, RootSiftIndex
from benchmarks.scale_ledger import resample
from numpy.typing import NDArray
from tqdm import tqdm

from tiacam.registry import Draft
from tiacam.watermark import KeyedHead

SEED = 0
Codes = NDArray[np.uint8]


def fill_ours(ours: Ours, count: int, real: int, copied: int) -> None:
    """Up to `count` records, after `real` ones of which the first `copied` are copied; what is there is kept."""
    tiacam = ours.tiacam
    table = tiacam.registry.features(tiacam.model.id)
    done = len(tiacam.registry)
    landmarks = [tiacam.registry.get(record_id).landmarks for record_id in table.record_ids[:copied]]
    pieces = resample(table.matrix[:copied], count, SEED)
    next(pieces)  # the real ones
    number = real
    with tqdm(total=count, initial=done, desc="filling the registry", mininterval=5) as bar:
        for piece in pieces:
            numbers = range(number, min(number + len(piece), count))
            drafts = [
                draft(ours, wanted, feature, marks)
                for wanted, feature, marks in zip(numbers, piece, landmarks, strict=False)
                if wanted >= done
            ]
            tiacam.registry.add_many(drafts, tiacam.key)
            number = numbers.stop
            bar.update(len(drafts))


def draft(ours: Ours, number: int, feature: NDArray[np.float16], landmarks: bytes) -> Draft:
    wide = feature.astype(np.float32)
    mark = KeyedHead().bind(wide, message_of(number), ours.tiacam.key.head_secret)
    model = ours.tiacam.model.id
    return Draft(model=model, mark=mark, feature=wide, bits=BITS, note=str(number), landmarks=landmarks)


class Crowd:
    """Fills an inverted file; made when it holds the real descriptors that the others are mixed from."""

    def __init__(self, index: RootSiftIndex) -> None:
        self._index = index
        self._lists = index.ivf.invlists
        self._real = [self._lists.list_size(cell) for cell in range(index.ivf.nlist)]
        self._each = index.ivf.ntotal / index.described
        self._rng = np.random.default_rng(SEED)
        index.elsewhere = self._rng.uniform(0, LONG_SIDE, (SLOTS, 2)).astype(np.float32)

    def fill(self, count: int) -> None:
        """Up to `count` records with as many descriptors each as real ones have in the mean."""
        new = range(self._index.records, count)
        copies = len(new) * self._each / sum(self._real)
        for cell, real in enumerate(tqdm(self._real, "filling the cells", mininterval=5)):
            self._extend(cell, int(copies * real + self._rng.random()), new)
        self._index.records += len(new)
        self._index.made_up += len(new)

    def _extend(self, cell: int, more: int, records: range) -> None:
        import faiss

        if not more:
            return
        width = self._index.ivf.code_size
        here: Codes = faiss.rev_swig_ptr(self._lists.get_codes(cell), self._real[cell] * width).reshape(
            -1, width
        )
        codes = mix(here, more, self._rng)
        owners = self._rng.integers(records.start, records.stop, more)
        numbers = owners * SLOTS + self._rng.integers(0, SLOTS, more)
        self._lists.add_entries(cell, more, faiss.swig_ptr(numbers), faiss.swig_ptr(codes))
        self._index.ivf.ntotal += more


def mix(codes: Codes, count: int, rng: np.random.Generator) -> Codes:
    """`count` random points between two of the codes (N, D)."""
    first, second = codes[rng.integers(len(codes), size=(2, count))].astype(np.float32)  # (count, D)
    share = rng.random((count, 1), np.float32)
    return np.asarray(np.rint(share * first + (1 - share) * second), np.uint8)
