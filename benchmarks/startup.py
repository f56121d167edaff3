"""How long `import tiacam` and `tiacam --help` take, as multiples of an interpreter that does nothing.

    python -m benchmarks.startup

Written: results/startup.json.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.record import ROOT, write
from benchmarks.timing import compare, take_turns

NOTHING = "python -c pass"
COMMANDS = {
    NOTHING: ["-c", "pass"],
    "import tiacam": ["-c", "import tiacam"],
    "tiacam --help": ["-m", "tiacam.cli", "--help"],
    "tiacam --version": ["-m", "tiacam.cli", "--version"],
    "tiacam register --help": ["-m", "tiacam.cli", "register", "--help"],
    "import tiacam, then Tiacam": ["-c", "from tiacam import Tiacam"],
    "import numpy, for comparison": ["-c", "import numpy"],
}


def run(arguments: list[str]) -> None:
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "startup.json")
    args = parser.parse_args()
    contestants: dict[str, Callable[[], None]] = {
        name: partial(run, command) for name, command in COMMANDS.items()
    }
    times = take_turns(contestants, args.rounds)
    rows = [compare(times, name, NOTHING) for name in COMMANDS if name != NOTHING]
    write(args.out, command="python -m benchmarks.startup", seed=None, n=args.rounds, rows=rows)
    for row in rows:
        print(json.dumps(row))


if __name__ == "__main__":
    main()
