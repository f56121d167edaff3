"""All tables by name. Those that need other systems live in benchmarks/, and are found in a checkout of the project."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from tiacam.errors import UsageError
from tiacam.evaluate.attacked import DIGITAL, DISTORTED, FIELD, GEOMETRIC, OCCLUSION, TABLE1
from tiacam.evaluate.camera import CAMERA
from tiacam.evaluate.distinctiveness import DISTINCTIVENESS
from tiacam.evaluate.identification import IDENTIFICATION
from tiacam.evaluate.table import Table

CHECKOUT = Path(__file__).parents[3]


@dataclass(frozen=True)
class OutsideTable:
    """A table in the project's repository and not in the package: what it is called, and the module that has it."""

    name: str
    summary: str
    module: str  # with a Table named TABLE

    def load(self) -> Table:
        place = CHECKOUT / f"{self.module.replace('.', '/')}.py"
        if not place.is_file():
            raise UsageError(
                f"the table {self.name!r} is not part of the package: run it from a clone of the repository, "
                f"installed with pip install --editable '.[{self.name}]'"
            )
        if str(CHECKOUT) not in sys.path:
            sys.path.insert(0, str(CHECKOUT))
        found = import_module(self.module).TABLE
        assert isinstance(found, Table)
        return found


TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        TABLE1,
        CAMERA,
        DISTORTED,
        DIGITAL,
        GEOMETRIC,
        OCCLUSION,
        FIELD,
        DISTINCTIVENESS,
        IDENTIFICATION,
    )
}
OUTSIDE: dict[str, OutsideTable] = {
    table.name: table
    for table in (
        OutsideTable(
            "peers",
            "fingerprints, local features and pixel watermarks that users would pick instead, in one run with ours",
            "benchmarks.peers.table",
        ),
    )
}


def find_table(name: str) -> Table:
    """The table of that name; UsageError names those that there are."""
    if name in TABLES:
        return TABLES[name]
    if name in OUTSIDE:
        return OUTSIDE[name].load()
    raise UsageError(f"no table {name!r}, there are {', '.join([*TABLES, *OUTSIDE])}")
