"""Requests made from the service's OpenAPI document by schemathesis, valid and invalid: how each was answered.

    python -m benchmarks.service_schema --examples 500 --out results/service-schema.json

A 500 is a fault of ours; so is a status or a form of answer that the document does not mention.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import schemathesis
from benchmarks.record import write
from benchmarks.service_load import photos, serving
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.core.failures import Failure, FailureGroup
from tqdm import tqdm

from tiacam.app import Tiacam
from tiacam.service.tokens import Scope, add_token

PORT = 8798
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)


def offer_pictures() -> None:
    """Where the document wants a picture's bytes, send pictures, whole and cut short, and other bytes too."""
    files = photos()
    whole, short = st.sampled_from(files), st.sampled_from([data[: len(data) // 2] for data in files])
    schemathesis.openapi.media_type("image/*", st.one_of(whole, short, st.binary(max_size=2000)))


def ask(operation: Any, mode: GenerationMode, token: str, examples: int) -> tuple[Counter[int], Counter[str]]:
    """Send `examples` requests to one operation; statuses, and what the document did not foresee."""
    statuses: Counter[int] = Counter()
    surprises: Counter[str] = Counter()

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy(generation_mode=mode))
    def send(case: Any) -> None:
        response = case.call(headers={"Authorization": f"Bearer {token}"}, timeout=60)
        statuses[response.status_code] += 1
        try:
            case.validate_response(response, checks=checks())
        except FailureGroup as group:
            surprises.update(type(failure).__name__ for failure in group.exceptions)
        except Failure as failure:
            surprises[type(failure).__name__] += 1

    send()
    return statuses, surprises


def checks() -> list[Any]:
    return [
        getattr(schemathesis.checks, name, None) or schemathesis.checks.CHECKS.get_one(name)
        for name in CHECKS
    ]


def measure(folder: Path, examples: int) -> list[dict[str, Any]]:
    registry = folder / "r.tiacam"
    token = add_token(Path(f"{registry}.tokens"), "schema", list(Scope)).text
    with Tiacam.open(registry, threads=1) as tiacam:
        tiacam.register(photos()[0], "registered before")
    offer_pictures()
    rows = []
    with serving(folder, PORT):
        schema = schemathesis.openapi.from_url(f"http://127.0.0.1:{PORT}/openapi.json")
        found: list[Any] = list(schema.get_all_operations())
        operations = [one.ok() for one in found]
        for operation in tqdm(operations, desc="operations", disable=None):
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                try:
                    statuses, surprises = ask(operation, mode, token, examples)
                except Exception as error:  # nothing can be wrong with an operation that takes nothing
                    rows.append(
                        {"operation": operation.label, "requests": mode.value, "none": type(error).__name__}
                    )
                    continue
                by_status = {str(status): count for status, count in sorted(statuses.items())}
                rows.append({"operation": operation.label, "requests": mode.value, **by_status, **surprises})
        log = (folder / "log").read_text()
    rows.append({"operation": "crashes in the log", "count": log.count('"event": "crash"')})
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--examples", type=int, default=500, help="requests to each operation, valid and invalid each"
    )
    parser.add_argument("--out", type=Path, default=Path("build/service-schema.json"))
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(Path(folder), chosen.examples)
    total = sum(count for row in rows for name, count in row.items() if name.isdigit())
    command = f"python -m benchmarks.service_schema --examples {chosen.examples}"
    write(chosen.out, command=command, seed=None, n=total, rows=rows)
    print(json.dumps(rows, indent=1))
    return 1 if any("500" in row for row in rows) or rows[-1]["count"] else 0


if __name__ == "__main__":
    sys.exit(main())
