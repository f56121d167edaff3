"""Requests made from the OpenAPI document, the strangest that it allows and those that it does not: never a 500."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from service_process import Running

LONG = os.environ.get("TIACAM_LONG") == "1"
EXAMPLES = 400 if LONG else 6


def document(service: Running) -> dict[str, dict[str, object]]:
    return dict(requests.get(f"{service.url}/openapi.json", timeout=30).json())


def test_the_document_describes_every_route_of_the_service(service: Running) -> None:
    paths = set(document(service)["paths"])
    assert {
        "/v1/read",
        "/v1/records",
        "/v1/records/{id}",
        "/v1/records/{id}/signed",
        "/v1/records/{id}/verify",
        "/v1/records/{id}/proof",
        "/v1/records/{id}/signed-proof",
        "/v1/log/head",
        "/v1/log/growth",
        "/v1/provenance",
        "/matches/byBinding",
        "/matches/byContent",
        "/manifests/{manifestId}",
        "/services/supportedAlgorithms",
        "/health",
        "/metrics",
    } <= paths


def test_no_request_that_the_document_leads_to_is_a_fault_of_ours(service: Running) -> None:
    schema = schemathesis.openapi.from_url(f"{service.url}/openapi.json")
    operations = [operation.ok() for operation in schema.get_all_operations()]
    assert len(operations) >= 12

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=not LONG,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def strange_requests(data: st.DataObject) -> None:
        for operation in operations:
            case = data.draw(operation.as_strategy())
            response = case.call(headers={"Authorization": f"Bearer {service.tokens['all']}"}, timeout=60)
            assert response.status_code != 500, (operation.label, response.content)

    strange_requests()


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "HEAD"])
def test_a_method_that_a_route_does_not_have_is_refused(service: Running, method: str) -> None:
    paths = ["/v1/read", "/v1/records", "/matches/byBinding", "/health"]
    for path in paths if method == "HEAD" else [*paths, "/"]:
        assert service.send(method, path).status_code in {405, 404}


def test_the_page_can_be_asked_for_its_head_alone(service: Running) -> None:
    answer = service.send("HEAD", "/")
    assert answer.status_code == 200
    assert answer.content == b""
    assert int(answer.headers["Content-Length"]) == len(service.send("GET", "/").content)


def test_no_fault_was_logged_meanwhile(service: Running) -> None:
    assert '"event": "crash"' not in Path(service.log).read_text(encoding="utf-8")
