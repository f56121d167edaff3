"""Requests made from the service's OpenAPI document by schemathesis, valid and invalid: how each was answered.

    python -m benchmarks.service_schema

Written: results/service-schema.json, unless --out says otherwise. In every second request, ids, soft bindings and tree
heads that exist stand where the document has such fields: else hardly any request would get past "not found". A 500
is a fault of ours; so is a status or a form of answer that the document does not mention.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import requests
import schemathesis
from benchmarks.record import ROOT, write
from benchmarks.service_load import photos, serving
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.core.failures import Failure, FailureGroup
from tqdm import tqdm

from tiacam.app import Tiacam
from tiacam.service.bindings import algorithm_of, encode_feature
from tiacam.service.tokens import Scope, add_token

PORT = 8798
SEED = 1
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


@dataclass(frozen=True)
class Facts:
    """What exists in the registry that the requests go to."""

    token: str
    record: str
    binding: dict[str, str]
    head: dict[str, Any]
    photo: bytes

    def fill_in(self, case: Any) -> None:
        """Put what exists where a request names something."""
        if "id" in (case.path_parameters or {}):
            case.path_parameters["id"] = self.record
        if "value" in (case.query or {}):
            case.query.update(self.binding)
        if isinstance(case.body, dict) and "value" in case.body:
            case.body.update(self.binding)
        elif isinstance(case.body, dict) and "picture" in case.body:
            case.body = {"picture": self.photo, "message": str(case.body.get("message") or "m")[:100]}
        elif case.operation.label == "POST /v1/log/growth" and isinstance(case.body, dict):
            case.body = self.head

    def authorise(self, case: Any) -> None:
        """A request without a token learns only that it needs one; that is tested elsewhere."""
        kept = {
            name: value for name, value in (case.headers or {}).items() if name.lower() != "authorization"
        }
        case.headers = kept | {"Authorization": f"Bearer {self.token}"}


def ask(
    operation: Any, mode: GenerationMode, facts: Facts, examples: int
) -> tuple[Counter[int], Counter[str]]:
    """Send `examples` requests to one operation; statuses, and what the document did not foresee."""
    statuses: Counter[int] = Counter()
    surprises: Counter[str] = Counter()
    number = count()

    @seed(SEED)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy(generation_mode=mode))
    def send(case: Any) -> None:
        if next(number) % 2:
            facts.fill_in(case)
        facts.authorise(case)
        response = case.call(timeout=60)
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
        record = tiacam.register(photos()[0], "registered before")
        value = base64.b64encode(encode_feature(record.feature)).decode()
        binding = {"alg": algorithm_of(tiacam.model), "value": value}
        head = tiacam.registry.log.sign_head(tiacam.key).to_json()
    facts = Facts(token, record.id, binding, head, photos()[1])
    offer_pictures()
    rows = []
    with serving(folder, PORT):
        schema = schemathesis.openapi.from_url(f"http://127.0.0.1:{PORT}/openapi.json")
        found: list[Any] = list(schema.get_all_operations())
        operations = [one.ok() for one in found]
        for operation in tqdm(operations, desc="operations", disable=None):
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                try:
                    statuses, surprises = ask(operation, mode, facts, examples)
                except requests.RequestException:
                    raise  # the service does not answer: that is no row, that is the end
                except Exception as error:  # nothing can be wrong with an operation that takes nothing
                    rows.append(
                        {"operation": operation.label, "requests": mode.value, "none": type(error).__name__}
                    )
                    continue
                by_status = {str(status): times for status, times in sorted(statuses.items())}
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
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "service-schema.json")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(Path(folder), chosen.examples)
    total = sum(times for row in rows for name, times in row.items() if name.isdigit())
    command = f"python -m benchmarks.service_schema --examples {chosen.examples}"
    write(chosen.out, command=command, seed=SEED, n=total, rows=rows)
    print(json.dumps(rows, indent=1))
    return 1 if any("500" in row for row in rows) or rows[-1]["count"] else 0


if __name__ == "__main__":
    sys.exit(main())
