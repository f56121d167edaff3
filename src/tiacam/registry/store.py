"""What the ledger asks of a database, so that SQLite and PostgreSQL can take each other's place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from tiacam.registry.index import Neighbour
    from tiacam.registry.search import FeatureTable
    from tiacam.registry.shelves import IndexState

T = TypeVar("T")


class Store(Protocol):
    """One open database with the ledger's tables; every method may be called from any thread.

    Queries are written once for both databases: `?` stands for a value.
    """

    @property
    def name(self) -> str:
        """What errors call the database; never a password."""

    def rows(self, query: str, *values: Any) -> list[Any]:
        """What a query finds; inside a `transaction` of this thread it sees what that has written."""

    def execute(self, query: str, *values: Any) -> None:
        """Write, inside a `transaction` of this thread."""

    def adapt(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """The values of a record's row in the types of this database."""

    def transaction(self) -> AbstractContextManager[None]:
        """Keep every other writer out; on leaving, everything written inside is durable, or nothing is."""

    def attempt(self, work: Callable[[bool], T]) -> T:
        """Do `work(False)`; where the connection was lost meanwhile, `work(True)`, until it succeeds."""

    def prepare_model(self, model: str, width: int) -> None:
        """Be ready for the first feature of a model, inside a `transaction`."""

    def clock(self) -> datetime:
        """The time in UTC: of one clock for all who share the registry."""

    def ever_stored(self) -> int:
        """How many records the ledger has held by its own count."""

    def problem(self) -> str | None:
        """What is wrong with the database's own structures, if anything is."""

    def close(self) -> None: ...


class Search(Protocol):
    """Finding the nearest features of a ledger."""

    def find(self, queries: ArrayLike, count: int, model: str) -> list[list[Neighbour]]: ...

    def table(self, model: str) -> FeatureTable: ...

    def width(self, model: str) -> int | None:
        """The width of the model's features, None before its first record."""

    def follow(self, models: Iterable[str]) -> None:
        """Called when records of these models were stored."""

    def state(self, model: str) -> IndexState | None:
        """How far the model's index has come; None before its first record."""

    def close(self) -> None: ...
