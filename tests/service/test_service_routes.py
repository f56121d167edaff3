"""Registering, reading and looking up over HTTP."""

from __future__ import annotations

import io
import json
import time

import numpy as np
import pytest
from PIL import Image
from service_process import COFFEE, HORSE, NOBODYS, ROCKET, Running


def coffee_id(service: Running) -> str:
    return str(service.read(COFFEE).json()["id"])


def squeezed(picture: bytes) -> bytes:
    stream = io.BytesIO()
    Image.open(io.BytesIO(picture)).resize((300, 200)).save(stream, "JPEG", quality=50)
    return stream.getvalue()


def test_a_photo_of_a_registered_picture_gives_message_note_and_confidence(service: Running) -> None:
    answer = service.read(squeezed(COFFEE)).json()
    assert (answer["registered"], answer["text"], answer["note"]) == (True, "owner 4711", "a cup")
    assert answer["p_value"] < 1e-6
    assert answer["confidence"]["words"] in {"certain", "very sure"}
    assert answer["confidence"]["false_claim"].startswith("less than 1 in 10")


def test_a_picture_that_nobody_registered_is_an_answer_and_no_error(service: Running) -> None:
    response = service.read(NOBODYS)
    assert response.status_code == 200
    assert response.json()["registered"] is False
    assert response.json()["confidence"]["words"] == "no claim"
    assert response.json()["text"] is None


def test_a_picture_with_almost_nothing_in_it_is_registered_and_said_to_be_one(service: Running) -> None:
    stream = io.BytesIO()
    Image.new("RGB", (300, 200), (200, 40, 40)).save(stream, "PNG")
    assert service.register(stream.getvalue()).json()["record"]["few_details"] is True
    assert service.send("GET", f"/v1/records/{coffee_id(service)}", "read").json()["few_details"] is False


def test_the_outline_of_a_picture_is_told_where_it_is_asked_for(service: Running) -> None:
    plain, outlined = service.read(NOBODYS), service.read(NOBODYS, "/v1/read?outline=true")
    assert plain.json()["corners"] is None
    corners = outlined.json()["corners"]
    assert corners is None or [len(corner) for corner in corners] == [2, 2, 2, 2]
    found = service.read(squeezed(COFFEE)).json()["corners"]
    assert [len(corner) for corner in found] == [2, 2, 2, 2]


def test_a_photo_that_is_known_as_a_whole_is_outlined_where_its_picture_is(service: Running) -> None:
    """The camera's live view asks so: an outline around everything would point at nothing."""
    photo = on_a_desk(COFFEE)
    answer = service.read(photo, "/v1/read?outline=true").json()
    assert answer["registered"] is True
    (left, top), _, (right, bottom), _ = answer["corners"]
    for found, placed in zip((left, top, right, bottom), (0.15, 0.15, 0.85, 0.85), strict=True):
        assert abs(found - placed) < 0.06


def on_a_desk(picture: bytes) -> bytes:
    """The picture in the middle of a photo, upright, 70% of each side."""
    shown = Image.open(io.BytesIO(picture)).convert("RGB").resize((560, 420))
    grain = np.random.default_rng(1).integers(70, 120, (6, 8, 3), np.uint8)  # else it passes for a margin
    desk = Image.fromarray(grain).resize((800, 600), Image.Resampling.BICUBIC)
    desk.paste(shown, (120, 90))
    stream = io.BytesIO()
    desk.save(stream, "JPEG", quality=85)
    return stream.getvalue()


def test_verifying_names_the_record_that_is_meant(service: Running) -> None:
    path = f"/v1/records/{coffee_id(service)}/verify"
    assert service.read(squeezed(COFFEE), path).json()["registered"] is True
    assert service.read(HORSE, path).json()["registered"] is False
    assert service.read(HORSE, "/v1/records/tiaaaaaaaa/verify").status_code == 404


def test_a_record_is_shown_without_its_feature_and_whole_to_an_administrator(service: Running) -> None:
    name = coffee_id(service)
    shown = service.send("GET", f"/v1/records/{name}", "read").json()
    assert shown["note"] == "a cup"
    assert "feature" not in shown
    whole = service.send("GET", f"/v1/records/{name}/signed", "admin").json()
    assert {"feature", "mark", "signature"} <= set(whole)
    assert service.send("GET", f"/v1/records/{name}/signed", "read").status_code == 403


def test_the_list_of_records_goes_on_where_it_stopped(service: Running) -> None:
    for number in range(3):
        service.register(ROCKET, f"number {number}")
    seen: list[str] = []
    query = "?limit=2"
    while query:
        page = service.send("GET", f"/v1/records{query}", "read").json()
        seen.extend(record["id"] for record in page["records"])
        query = f"?limit=2&after={page['next']}" if page["next"] else ""
    at_once = service.send("GET", "/v1/records?limit=100", "read").json()["records"]
    assert seen == [record["id"] for record in at_once]
    assert len(seen) == len(set(seen)) >= 3


def test_a_message_may_be_text_or_hexadecimal_or_bits_but_only_one_of_them(service: Running) -> None:
    files = {"picture": ("x", HORSE)}
    for fields, bits in (({"hex": "beef"}, 16), ({"bits": "101"}, 3)):
        answer = service.send("POST", "/v1/records", data=fields, files=files)
        assert answer.json()["record"]["bits"] == bits
    for fields in ({}, {"hex": "1", "message": "x"}, {"hex": "xyz"}, {"message": "x" * 200}):
        assert service.send("POST", "/v1/records", data=fields, files=files).status_code == 422


def test_a_repeated_request_is_done_once_and_its_key_stands_for_nothing_else(service: Running) -> None:
    headers = {"Idempotency-Key": "once-1"}
    first = service.register(HORSE, "a horse", headers=headers)
    again = service.register(HORSE, "a horse", headers=headers)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["record"] == again.json()["record"]
    assert (first.json()["repeated"], again.json()["repeated"]) == (False, True)
    other = service.register(HORSE, "another message", headers=headers)
    assert (other.status_code, other.json()["error"]) == (422, "repeated_key")
    elsewhere = service.register(HORSE, "a horse", headers=headers, token="register")
    assert elsewhere.status_code == 201  # the key is the caller's own


def test_without_a_key_two_registrations_are_two_records(service: Running) -> None:
    names = {service.register(ROCKET, "same").json()["record"]["id"] for _ in range(2)}
    assert len(names) == 2


def test_health_is_open_and_metrics_are_for_administrators(service: Running) -> None:
    assert service.send("GET", "/health", None).json()["status"] == "ok"
    assert service.send("GET", "/metrics", "read").status_code == 403
    text = service.send("GET", "/metrics", "admin").text
    assert 'tiacam_requests_total{method="POST",route="/v1/records",status="201"}' in text
    assert "tiacam_places_taken 0.0" in text


def test_the_log_is_one_object_a_line_without_messages_or_addresses_or_tokens(service: Running) -> None:
    service.register(ROCKET, "a secret message")
    service.send("GET", "/v1/records/tiasecretid?token=secret")
    time.sleep(0.2)
    lines = [line for line in service.log.read_text(encoding="utf-8").splitlines() if line.startswith("{")]
    events = [json.loads(line) for line in lines]
    assert {"started", "request"} <= {event["event"] for event in events}
    assert any(event.get("route") == "/v1/records/{id}" for event in events)
    assert not any("secret" in line or service.tokens["all"] in line for line in lines)


@pytest.mark.parametrize("path", ["/", "/docs", "/page/app.js", "/page/style.css", "/openapi.json"])
def test_the_page_and_the_documents_are_open_and_guarded_against_mixing(service: Running, path: str) -> None:
    response = service.send("GET", path, None)
    assert response.status_code == 200
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'self'" in response.headers["Content-Security-Policy"]
    assert "http://" not in response.text.replace("http://www.w3.org", "")
    assert "https://" not in response.text
