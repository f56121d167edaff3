"""Walking the chain of records: every signature, every link, and a name for what is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from tiacam.errors import DamagedRegistryError, RegistryError
from tiacam.registry.record import GENESIS, TIME_FORMAT, Record
from tiacam.registry.rows import StoredRecord

CLOCKS_DIFFER = timedelta(minutes=5)  # between machines that share a registry; more is no accident
MISSING = "its predecessor was deleted, replaced or edited"


@dataclass(frozen=True)
class ChainReport:
    """A chain that verifies. Whoever notes `head` can later prove that nothing up to here was changed."""

    records: int
    head: bytes
    owners: tuple[bytes, ...]
    root: bytes = b""  # of the hash tree over all records
    tree_heads: int = 0
    key_events: int = 0
    distrusted: tuple[str, ...] = ()  # records whose key was revoked back to before them


class Chain:
    """The state of a walk: feed it records in order, it refuses the first that does not belong."""

    def __init__(self, noted_head: bytes | None = None) -> None:
        self.head = GENESIS
        self.length = 0
        self._latest = ""
        self._owners: dict[bytes, None] = {}
        self._noted = noted_head
        self._met = noted_head in (None, GENESIS)

    def append(self, record: Record, explain: Callable[[], str] = lambda: MISSING) -> None:
        name = f"record {record.id} (number {self.length + 1})"
        if not record.is_signed():
            raise DamagedRegistryError(f"{name} was edited: its owner's signature does not match")
        if record.previous != self.head:
            raise DamagedRegistryError(f"{name} does not follow the record before it: {explain()}")
        if is_before(record.created_at, self._latest):
            raise DamagedRegistryError(
                f"{name} was back-dated: it says {record.created_at}, a record before it {self._latest}"
            )
        self._latest = max(self._latest, record.created_at)
        self.head = record.hash
        self.length += 1
        self._owners[record.owner] = None
        self._met = self._met or self.head == self._noted

    def report(self) -> ChainReport:
        if not self._met:
            raise DamagedRegistryError(
                f"the chain does not contain the noted head {(self._noted or b'').hex()}: "
                "records were deleted from its end, or the whole chain was replaced"
            )
        return ChainReport(self.length, self.head, tuple(self._owners))


def verify(
    stream: Callable[[], Iterator[StoredRecord]],
    ever_stored: int,
    noted_head: bytes | None,
    see: Callable[[StoredRecord], None] = lambda _: None,
) -> ChainReport:
    """Walk a ledger; `ever_stored` is how many records it has held by its own count, `see` gets each good one."""
    chain = Chain(noted_head)
    for stored in stream():
        record = stored.record
        chain.append(record, partial(explain_break, record, stream))
        if stored.number != chain.length:
            raise DamagedRegistryError(
                f"record {record.id} has the number {stored.number}, wanted {chain.length}: it was renumbered"
            )
        see(stored)
    if ever_stored > chain.length:
        raise DamagedRegistryError(
            f"the ledger held {ever_stored} records and holds {chain.length}: "
            f"those after number {chain.length} were deleted"
        )
    return chain.report()


def is_before(time: str, other: str) -> bool:
    """Whether a time is earlier than another by more than clocks differ; an empty one is no time."""
    if not other or time >= other:
        return False
    return datetime.strptime(other, TIME_FORMAT) - datetime.strptime(time, TIME_FORMAT) > CLOCKS_DIFFER


def next_time(last: str, clock: datetime) -> str:
    """The time of a record that follows one of the time `last`: what the clock says, and never earlier."""
    time = clock.strftime(TIME_FORMAT)
    if is_before(time, last):
        raise RegistryError(
            f"the last record is dated {last}, the clock says {time}: nothing can be dated before what "
            "it follows; set the clock right"
        )
    return max(time, last)


def explain_break(record: Record, stream: Callable[[], Iterator[StoredRecord]]) -> str:
    try:
        for other in stream():
            if other.record.hash == record.previous:
                return f"records were reordered, {other.record.id} (number {other.number}) comes before it"
    except DamagedRegistryError:
        pass  # a later record is damaged too; the first is the one to name
    return MISSING
