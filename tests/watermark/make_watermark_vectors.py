"""Writes the conformance vectors of messages and both heads; they pin the formats, so an existing file changes only
with a new version of its format.

    python tests/watermark/make_watermark_vectors.py FOLDER

`keyed-1.json` is exact to the byte on any machine: its features are chosen so that no projection comes nearer than
`MARGIN` to a place where a bit of the helper data changes, far more than float32 sums in another order differ.
`reference-1.json` holds floats: other machines may differ from them by rounding, so they are compared with a tolerance.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from watermark_samples import draw_probe

from tiacam.watermark import KeyedHead, Message, ReferenceHead
from tiacam.watermark.code import polar_code
from tiacam.watermark.keyed import LEVEL_EDGES, SEED_BITS, directions_of
from tiacam.watermark.reference import ReferenceParameters
from tiacam.watermark.rotation import rotate

MARGIN = 1e-4
KEYED = [  # name, width of the feature, message
    ("one bit, 256 axes", 256, Message.from_bits("1")),
    ("text, 512 axes", 512, Message.from_text("© Genève 日没")),
    ("100 bits, 300 axes padded to 512", 300, Message.from_hex("0123456789abcdef012345678")),
    ("1024 bits, 512 axes", 512, Message.from_bytes(bytes(range(128)))),
    ("leading zeros, 1024 axes", 1024, Message.from_int(0, 200)),
]
NOTATIONS: list[tuple[str, str, Any]] = [
    ("text", "text", "owner 4711"),
    ("text beyond ASCII", "text", "© Genève 日没"),
    ("hexadecimal", "hex", "0x00 FF a"),
    ("bytes", "bytes", "00ff10"),
    ("bits", "bits", "0001 0110_1"),
    ("integer", "int", 1_000_000),
    ("zero", "int", 0),
]


def draw_rounded(rng: np.random.Generator, width: int) -> NDArray[np.float32]:
    """A feature of three-digit decimals, so that its JSON is short and exact."""
    return np.round(rng.standard_normal(width), 3).astype(np.float32)


def distance_to_edges(feature: NDArray[np.float32], secret: bytes, salt: bytes) -> float:
    """How far the nearest projection is from changing its sign or its level."""
    projected = np.abs(rotate(feature, directions_of(feature), secret, salt))
    return float(np.abs(projected[:, None] - np.array([0.0, *LEVEL_EDGES])).min())


def draw_clear(rng: np.random.Generator, width: int, secret: bytes, salt: bytes) -> NDArray[np.float32]:
    while True:
        feature = draw_rounded(rng, width)
        if distance_to_edges(feature, secret, salt) > MARGIN:
            return feature


def draw_clear_probe(
    rng: np.random.Generator, feature: NDArray[np.float32], secret: bytes, salt: bytes
) -> NDArray[np.float32]:
    """A probe of cosine about 0.75 whose signs are clear, so that the count of agreeing signs is exact too."""
    while True:
        probe = np.asarray(np.round(3 * draw_probe(rng, feature, 0.75), 3), np.float32)
        if np.abs(rotate(probe, directions_of(probe), secret, salt)).min() > MARGIN:
            return probe


def make_keyed(rng: np.random.Generator, name: str, width: int, message: Message) -> dict[str, Any]:
    secret, salt, seed = rng.bytes(32), rng.bytes(16), int(rng.integers(0, 1 << SEED_BITS))
    feature = draw_clear(rng, width, secret, salt)
    probe = draw_clear_probe(rng, feature, secret, salt)
    mark = KeyedHead().bind(feature, message, secret, salt=salt, seed=seed)
    reading = KeyedHead().read(probe, mark, secret)
    assert reading.message == message
    return {
        "name": name,
        "message": {"bits": message.length, "hex": message.hex, "text": message.text},
        "secret": secret.hex(),
        "seed": seed,
        "codeword": np.packbits(polar_code(directions_of(feature), SEED_BITS).encode(seed)).tobytes().hex(),
        "feature": short(feature),
        "mark": mark.to_json(),
        "probe": short(probe),
        "reading": {"agreeing": reading.agreeing, "correlation": round(reading.correlation, 5)},
    }


def make_message(name: str, notation: str, source: Any) -> dict[str, Any]:
    given = bytes.fromhex(source) if notation == "bytes" else source
    message: Message = getattr(Message, f"from_{notation}")(given)
    return {
        "name": name,
        "notation": notation,
        "source": source,
        "bits": message.length,
        "hex": message.hex,
        "data": message.data.hex(),
        "text": message.text,
    }


def make_reference(rng: np.random.Generator, bits: int) -> dict[str, Any]:
    message = Message.from_bits(rng.integers(0, 2, bits).tolist())
    feature, salt = draw_rounded(rng, 6), rng.bytes(16)
    head = ReferenceHead(ReferenceParameters(width=4, steps=100, rate=0.05))
    mark = head.bind(feature, message, salt=salt)
    assert head.read(feature, mark).message == message
    return {
        "name": f"{bits} bits",
        "message": {"bits": bits, "hex": message.hex},
        "feature": short(feature),
        "mark": mark.to_json(),
    }


def short(values: NDArray[np.float32]) -> list[float]:
    return [round(float(value), 3) for value in values]


def write(path: Path, vectors: list[dict[str, Any]]) -> None:
    """One vector a line: features are long, and a changed vector shows as one changed line."""
    lines = ",\n".join(json.dumps(vector, ensure_ascii=False) for vector in vectors)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def main(folder: Path) -> None:
    rng = np.random.default_rng(20260101)
    write(folder / "message.json", [make_message(*entry) for entry in NOTATIONS])
    write(folder / "keyed-1.json", [make_keyed(rng, *entry) for entry in KEYED])
    write(folder / "reference-1.json", [make_reference(rng, bits) for bits in (1, 8, 30)])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
