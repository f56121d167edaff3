"""A shelf whose index is a Milvus collection, for more records than one machine holds.

The primary key is a record's number in the ledger, so adding twice changes nothing, and any number of processes may
follow the same ledger. The row with the number 0 is no record: it says how far the collection has followed.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import numpy as np
from numpy.typing import NDArray

from tiacam.errors import RegistryUnavailableError, UsageError
from tiacam.registry.following import NOTHING, Coverage, ModelFeatures
from tiacam.registry.index import Hits, to_unit_rows
from tiacam.registry.shelves import IndexState

SCHEMES = {"milvus": "http", "milvus+tls": "https"}
DEFAULT_PORT = 19530
PATIENCE_S = 60.0
ROWS_AT_ONCE = 2048  # 6 MB a message at width 768; the server's limit is 64 MB
BUILD = {"HNSW": {"M": 16, "efConstruction": 128}}  # others are built as the server has it
SEARCH_BREADTH = 256
LONGEST_NOTE = 512
LEAST_LISTED, LISTED = 32, 2  # compared with the ledger's features: twice as many as are asked for

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class MilvusAddress:
    """Where a Milvus is: a server, or a file that milvus-lite keeps; `shown` has no password in it."""

    uri: str
    token: str
    index_type: str
    shown: str

    @classmethod
    def parse(cls, text: str) -> MilvusAddress:
        """`milvus://[user:password@]host[:port][?index=HNSW]`, `milvus+tls://…` or `milvus:///path/to/file.db`."""
        parts = urlsplit(text)
        if parts.scheme not in SCHEMES or not (parts.hostname or parts.path):
            raise UsageError(f"{text!r} is no Milvus address, wanted milvus://host:port")
        index_type = parse_qs(parts.query).get("index", ["HNSW"])[0].upper()
        if not parts.hostname:
            return cls(unquote(parts.path), "", index_type, f"milvus://{parts.path}")
        try:
            place = f"{parts.hostname}:{parts.port or DEFAULT_PORT}"
        except ValueError as error:
            raise UsageError(f"{error}, wanted milvus://host:port") from error
        token = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else ""
        return cls(f"{SCHEMES[parts.scheme]}://{place}", token, index_type, f"{parts.scheme}://{place}")

    @property
    def way_back(self) -> str:
        if "://" in self.uri:
            return "it catches up when it is back"
        return "if the file is damaged, delete it: the next look-up makes it again"


class MilvusShelf:
    """One model's features in a collection that is named after the ledger and the model."""

    def __init__(self, features: ModelFeatures, address: MilvusAddress) -> None:
        self._features = features
        self._address = address
        self._client: Any = None
        self._covered = NOTHING
        origin = features.coverage(1).head + features.model
        self.collection = f"tiacam_{hashlib.sha256(origin.encode()).hexdigest()[:24]}"

    def catch_up(self) -> None:
        with self._reaching() as client:
            if self._features.coverage(self._covered.last) != self._covered or self._is_behind():
                self._covered = self._agreed_coverage(client)
            for page in self._features.pages(self._covered.last):
                self._push(client, page.numbers, page.matrix)
                self._covered = self._features.coverage(page.last)
                self._note(client, self._covered)

    def search(self, queries: NDArray[np.float32], count: int) -> list[Hits]:
        with self._reaching() as client:
            found = client.search(
                self.collection,
                data=list(queries),
                limit=max(LEAST_LISTED, LISTED * count),
                output_fields=["number"],
                search_params={"params": {"ef": SEARCH_BREADTH}},
                consistency_level="Strong",
                timeout=PATIENCE_S,
            )
        return self._features.rescored(queries, [to_hits(near) for near in found], count)

    def state(self) -> IndexState:
        covered = self._covered
        with suppress(RegistryUnavailableError), self._reaching() as client:
            covered = self._noted(client) or NOTHING
        lagging = self._features.total() - covered.records
        return IndexState("milvus", self._address.shown, covered.records, lagging)

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def _is_behind(self) -> bool:
        return self._features.total() > self._covered.records

    def _agreed_coverage(self, client: Any) -> Coverage:
        """How far the collection has come; one that was made from other records is made anew."""
        noted = self._noted(client)
        if noted is not None and noted == (self._features.coverage(noted.last) if noted.last else NOTHING):
            return noted
        if noted is not None:
            logger.warning(
                "the collection %s at %s was made from other records than this registry holds: it is made again",
                self.collection,
                self._address.shown,
            )
            client.drop_collection(self.collection, timeout=PATIENCE_S)
        self._create(client)
        return NOTHING

    def _noted(self, client: Any) -> Coverage | None:
        """What the row 0 says, checked against the number of rows; None where there is no collection."""
        if not client.has_collection(self.collection, timeout=PATIENCE_S):
            return None
        client.load_collection(self.collection, timeout=PATIENCE_S)  # a server that was restarted has not
        strongly = {"consistency_level": "Strong", "timeout": PATIENCE_S}
        rows = client.query(self.collection, filter="number == 0", output_fields=["note"], **strongly)
        (counted,) = client.query(self.collection, filter="", output_fields=["count(*)"], **strongly)
        try:
            noted = Coverage(**json.loads(rows[0]["note"]))
        except (IndexError, KeyError, TypeError, ValueError):
            return Coverage(-1, -1, "unreadable")
        # Another process may have added rows that it has not noted yet, never noted some that it has not added.
        return noted if int(counted["count(*)"]) > noted.records else Coverage(-1, -1, "incomplete")

    def _create(self, client: Any) -> None:
        from pymilvus import DataType, MilvusClient

        schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field("number", DataType.INT64, is_primary=True)
        schema.add_field("note", DataType.VARCHAR, max_length=LONGEST_NOTE)
        schema.add_field("feature", DataType.FLOAT_VECTOR, dim=self._features.width)
        index = MilvusClient.prepare_index_params()
        kind = self._address.index_type
        index.add_index(
            field_name="feature", index_type=kind, metric_type="COSINE", params=BUILD.get(kind, {})
        )
        client.create_collection(self.collection, schema=schema, index_params=index, timeout=PATIENCE_S)
        self._note(client, NOTHING)

    def _push(self, client: Any, numbers: NDArray[np.int64], matrix: NDArray[np.float16]) -> None:
        unit = to_unit_rows(matrix, self._features.width)  # (N, D)
        for start in range(0, len(unit), ROWS_AT_ONCE):
            rows = [
                {"number": int(number), "note": "", "feature": feature}
                for number, feature in zip(
                    numbers[start : start + ROWS_AT_ONCE], unit[start : start + ROWS_AT_ONCE], strict=True
                )
            ]
            client.upsert(self.collection, rows, timeout=PATIENCE_S)

    def _note(self, client: Any, covered: Coverage) -> None:
        anywhere = np.eye(1, self._features.width, dtype=np.float32)[0]
        row = {"number": 0, "note": json.dumps(asdict(covered)), "feature": anywhere}
        client.upsert(self.collection, [row], timeout=PATIENCE_S)

    @contextmanager
    def _reaching(self) -> Iterator[Any]:
        """The client; whatever it cannot do becomes one error that names the address."""
        try:
            from grpc import RpcError
            from pymilvus import MilvusClient, MilvusException
        except ImportError as error:
            raise RegistryUnavailableError(
                f"an index in Milvus needs pymilvus ({error}): pip install 'tiacam[milvus]'"
            ) from error
        try:
            if self._client is None:
                self._client = MilvusClient(self._address.uri, token=self._address.token, timeout=PATIENCE_S)
            yield self._client
        except (MilvusException, RpcError, ConnectionError, ImportError) as error:
            self._client = None  # the next attempt begins with a new connection
            raise RegistryUnavailableError(
                f"the index at {self._address.shown} cannot be used: {reason_of(error)}; "
                f"registering goes on without it, and {self._address.way_back}"
            ) from error


def reason_of(error: Exception) -> str:
    """What went wrong in a line: a deadline comes as an error of grpc, most else as one of pymilvus."""
    details = getattr(error, "details", None)
    return str(getattr(error, "message", None) or (details() if callable(details) else error))


def to_hits(near: Any) -> Hits:
    numbers = np.array([entity["number"] for entity in near], np.int64)
    return Hits(numbers, np.array([entity["distance"] for entity in near], np.float32))
