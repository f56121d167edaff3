"""pgvector's half-precision vectors as the bytes that a record has: little-endian fp16, bit for bit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from psycopg.adapt import Buffer, Dumper, Loader
from psycopg.pq import Format
from psycopg.types import TypeInfo

from tiacam.registry.registration import HALF

if TYPE_CHECKING:
    from psycopg import Connection

ON_THE_WIRE = np.dtype(">f2")
HEADER = np.dtype(">u2")  # the number of elements, and a zero


class Halfvec(bytes):
    """A feature on its way into the database."""


class HalfvecDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: Halfvec) -> bytes:
        elements = np.frombuffer(obj, HALF).astype(ON_THE_WIRE)
        return np.array([elements.size, 0], HEADER).tobytes() + elements.tobytes()


class HalfvecLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> bytes:
        return np.frombuffer(bytes(data)[4:], ON_THE_WIRE).astype(HALF).tobytes()


def register_halfvec(connection: Connection) -> None:
    """Teach a connection the type; its number differs from database to database."""
    info = TypeInfo.fetch(connection, "halfvec")
    if info is None:
        return  # no pgvector yet: whoever needs it is told when the registry is prepared
    dumper = type("HalfvecDumper", (HalfvecDumper,), {"oid": info.oid})
    connection.adapters.register_dumper(Halfvec, dumper)
    connection.adapters.register_loader(info.oid, HalfvecLoader)
