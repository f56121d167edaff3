"""What the service must not let through: strangers, floods, disguises and tricks."""

from __future__ import annotations

import base64
import http.client
import io
import json
import socket
import struct
import zlib
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from PIL import Image
from service_process import COFFEE, HORSE, Running, running

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><script>alert(1)</script></svg>'
HTML = b"<!doctype html><script>alert(1)</script>"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/v1/read", "read"),
        ("POST", "/v1/records/tiaaaaaaaa/verify", "read"),
        ("POST", "/v1/records", "register"),
        ("GET", "/v1/records", "read"),
        ("GET", "/v1/records/tiaaaaaaaa", "read"),
        ("GET", "/v1/records/tiaaaaaaaa/signed", "admin"),
        ("GET", "/v1/records/tiaaaaaaaa/proof", "read"),
        ("GET", "/v1/records/tiaaaaaaaa/signed-proof", "admin"),
        ("GET", "/v1/log/head", "read"),
        ("POST", "/v1/log/head", "admin"),
        ("POST", "/v1/log/growth", "read"),
        ("GET", "/metrics", "admin"),
        ("POST", "/v1/provenance", "read"),
        ("GET", "/matches/byBinding?value=AA&alg=x", "read"),
        ("POST", "/matches/byBinding", "read"),
        ("POST", "/matches/byContent", "read"),
        ("GET", "/manifests/urn:c2pa:x", "read"),
    ],
)
def test_only_a_token_with_the_scope_gets_through(
    service: Running, method: str, path: str, allowed: str
) -> None:
    assert service.send(method, path, None).status_code == 401
    assert service.send(method, path, "tia_made-up").status_code == 401
    for scope in {"read", "register", "admin"} - {allowed}:
        assert service.send(method, path, scope).status_code == 403
    assert service.send(method, path, allowed).status_code not in {401, 403}


def test_a_body_over_the_limit_is_refused_before_it_is_received(tmp_path: Path) -> None:
    with running(tmp_path, "--max-mib", 1) as service:
        address = urlsplit(service.url)
        assert address.hostname is not None
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=10)
        connection.putrequest("POST", "/v1/read")
        connection.putheader("Authorization", f"Bearer {service.tokens['all']}")
        connection.putheader("Content-Type", "image/jpeg")
        connection.putheader("Content-Length", str(2 << 30))
        connection.endheaders()
        assert connection.getresponse().status == 413
        chunked = service.read(b"\xff" * 65536 for _ in range(40))  # type: ignore[arg-type]
        assert chunked.status_code == 413


def bomb(side: int) -> bytes:
    """A PNG of a few kilobytes that decodes to side² pixels."""
    packed = zlib.compress(bytes(((side + 7) // 8 + 1) * side), 9)
    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", packed), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + tag + data + struct.pack(">I", zlib.crc32(tag + data))
        for tag, data in chunks
    )


def test_too_many_pixels_are_refused_by_the_header_alone(service: Running) -> None:
    huge = bomb(10_000)
    assert len(huge) < 100_000
    response = service.read(huge, kind="image/png")
    assert (response.status_code, response.json()["error"]) == (413, "image_too_large")


@pytest.mark.parametrize("disguise", [SVG, HTML, b"%PDF-1.7", b"", b"\xff\xd8\xff" + HTML, COFFEE[:2000]])
def test_what_is_no_picture_is_refused_whatever_it_is_called(service: Running, disguise: bytes) -> None:
    response = service.read(disguise, kind="image/png")
    assert response.status_code == 422
    assert response.headers["Content-Type"] == "application/json"
    assert service.register(disguise).status_code in {400, 422}


@pytest.mark.parametrize(
    "kind", ["text/html", "application/json", "multipart/form-data; boundary=x", "video/mp4"]
)
def test_a_body_that_is_declared_as_something_else_is_refused(service: Running, kind: str) -> None:
    assert service.read(COFFEE, kind=kind).status_code == 415


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "..\\..\\x.jpg", "/etc/shadow", "a\x00b.jpg", "x" * 5000, "<b>.jpg"]
)
def test_a_file_name_is_never_used_for_anything(service: Running, name: str) -> None:
    before = sorted(service.log.parent.iterdir())
    files = {"picture": (name, HORSE)}
    response = service.send("POST", "/v1/records", data={"message": "m"}, files=files)
    assert response.status_code in {201, 400}
    assert name not in response.text
    assert sorted(service.log.parent.iterdir()) == before


@pytest.mark.parametrize(
    "path",
    [
        "/page/../core.py",
        "/page/%2e%2e/core.py",
        "/page/..%2fcore.py",
        "//etc/passwd",
        "/page/app.js/../../app.py",
        "/r.tiacam.key",
    ],
)
def test_no_address_leads_to_a_file_that_was_not_meant(service: Running, path: str) -> None:
    address = urlsplit(service.url)
    assert address.hostname is not None
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=10)
    connection.request("GET", path)
    assert connection.getresponse().status == 404


def test_large_headers_and_long_addresses_are_refused(service: Running) -> None:
    assert service.send("GET", "/health", headers={"X-Padding": "x" * 20_000}).status_code == 431
    assert service.send("GET", "/health?" + "x" * 10_000).status_code == 414
    assert service.send("GET", "/health", None).ok


@pytest.mark.parametrize(
    ("path", "padding", "status"),
    [("/health?" + "x" * 500_000, "", 414), ("/health", "x" * 500_000, 431), ("/health x", "", 400)],
)
def test_a_head_that_no_server_would_read_is_refused_in_the_same_words(
    service: Running, path: str, padding: str, status: int
) -> None:
    head = f"GET {path} HTTP/1.1\r\nHost: x\r\nX: {padding}\r\n\r\n"
    answer = exchange(service, head.encode())
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    assert set(json.loads(answer.partition(b"\r\n\r\n")[2])) == {"error", "message"}
    for line in service.log.read_text(encoding="utf-8").splitlines()[2:]:  # after the key and the link
        json.loads(line)


@pytest.mark.parametrize(
    "line",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /v1/read HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    ],
)
def test_what_is_no_http_gets_a_refusal_and_the_service_goes_on(service: Running, line: bytes) -> None:
    assert b" 500 " not in exchange(service, line)[:40]
    assert service.send("GET", "/health", None).ok


def exchange(service: Running, data: bytes) -> bytes:
    """What comes back, up to the end of a refusal or of the connection; a refusal may come in pieces."""
    address, answer = urlsplit(service.url), b""
    with socket.create_connection((address.hostname, address.port), timeout=20) as connection:
        with suppress(TimeoutError, ConnectionError):
            connection.sendall(data)
            while not answer.endswith(b"}") and (piece := connection.recv(4096)):
                answer += piece
        return answer


def test_a_body_that_never_ends_is_given_up(tmp_path: Path) -> None:
    with running(tmp_path, "--timeout", 1) as service:
        head = (
            f"POST /v1/read HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {service.tokens['all']}\r\n"
            "Content-Type: image/jpeg\r\nContent-Length: 1000\r\n\r\n"
        )
        assert exchange(service, head.encode() + b"\xff\xd8").startswith(b"HTTP/1.1 408")


def test_a_caller_over_the_rate_is_told_when_to_come_back(tmp_path: Path) -> None:
    with running(tmp_path, "--rate", 6) as service:  # one at once, the next in ten seconds
        statuses = [service.send("GET", "/v1/records", "read") for _ in range(4)]
        refused = [response for response in statuses if response.status_code == 429]
        assert statuses[0].status_code == 200
        assert refused
        assert int(refused[0].headers["Retry-After"]) >= 1
        assert service.send("GET", "/v1/records", "all").status_code == 200  # another caller
        guesses = [service.send("GET", "/v1/records", f"tia_guess{n}").status_code for n in range(4)]
        assert 429 in guesses


@pytest.mark.parametrize("fields", [{"note": "x" * 2001}, {"note": "a\x00b"}, {"unknown": "field"}])
def test_fields_that_cannot_be_kept_are_refused(service: Running, fields: dict[str, str]) -> None:
    assert service.register(HORSE, fields=fields).status_code in {400, 422}


def test_a_form_with_a_field_twice_or_without_a_picture_is_refused(service: Running) -> None:
    twice = [("picture", ("a", HORSE)), ("picture", ("b", HORSE))]
    assert service.send("POST", "/v1/records", data={"message": "m"}, files=twice).status_code == 400
    nothing = service.send("POST", "/v1/records", data={"message": "m"}, files={"note": (None, "x")})
    assert nothing.status_code == 400
    assert service.send("POST", "/v1/records", json={"message": "m"}).status_code == 415


def test_a_forged_or_replayed_record_does_not_enter_a_registry(service: Running, tmp_path: Path) -> None:
    """Records travel as exports: one with another message, owner or signature is refused, and so is one sent twice."""
    from tiacam.errors import TiacamError
    from tiacam.registry import OwnerKey, Registry

    record_id = service.read(COFFEE).json()["id"]
    signed = service.send("GET", f"/v1/records/{record_id}/signed", "admin").json()
    stranger = OwnerKey.generate()
    forgeries = [
        signed | {"note": "mine now"},
        signed | {"owner": base64.b64encode(stranger.public).decode()},
        signed | {"signature": base64.b64encode(bytes(64)).decode()},
        signed | {"created_at": "2001-01-01T00:00:00.000000Z"},
    ]
    with Registry.open(tmp_path / "other.tiacam") as registry:
        for forgery in forgeries:
            with pytest.raises(TiacamError):
                registry.import_([json.dumps(forgery)])
        assert len(registry) == 0
        assert registry.import_([json.dumps(signed)]).added == 1
        with pytest.raises(TiacamError):
            registry.import_(
                [json.dumps(signed), json.dumps(signed)]
            )  # the same record again, further down the chain
        assert registry.import_([json.dumps(signed)]).added == 0
        assert len(registry) == 1


def test_a_picture_with_many_frames_or_turned_upside_down_is_still_one_picture(service: Running) -> None:
    stream = io.BytesIO()
    frames = [Image.new("RGB", (64, 64), colour) for colour in ("red", "blue")]
    frames[0].save(stream, "GIF", save_all=True, append_images=frames[1:])
    assert service.read(stream.getvalue(), kind="image/gif").status_code == 200
