"""Starting the service: what cannot work is told at once, in words, before a link is printed."""

from __future__ import annotations

import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from certificates import Certificates
from service_process import COFFEE, Running, running

from tiacam.cli import main
from tiacam.errors import UsageError
from tiacam.service.server import Address, listen
from tiacam.service.settings import Settings
from tiacam.service.tokens import Scope, TokenBook, add_token


def start(tmp_path: Path, *arguments: object) -> int:
    return main(["serve", "--registry", str(tmp_path / "r.tiacam"), *map(str, arguments)])


def test_an_address_that_is_taken_is_named_and_no_link_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert start(tmp_path, "--port", taken.getsockname()[1]) == 2
    told = capsys.readouterr().err
    assert "cannot listen at 127.0.0.1 port" in told
    assert "token" not in told
    assert list(tmp_path.iterdir()) == []  # neither a registry nor a key was made


@pytest.mark.parametrize("wrong", [("--port", 99999), ("--port", -1), ("--host", "no-such-host.invalid")])
def test_an_address_that_cannot_be_is_refused(tmp_path: Path, wrong: tuple[object, ...]) -> None:
    assert start(tmp_path, *wrong) == 2


def test_a_file_that_is_no_certificate_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    junk = tmp_path / "junk.pem"
    junk.write_text("no certificate")
    assert start(tmp_path, "--port", 0, "--tls-certificate", junk, "--tls-key", junk) == 2
    assert "no certificate with its key" in capsys.readouterr().err


def test_any_free_port_is_taken_and_told(certificates: Certificates) -> None:
    listener = listen(Address("127.0.0.1", 0))
    with listener.socket:
        assert listener.address.port == listener.socket.getsockname()[1] > 0
    with pytest.raises(UsageError, match="no certificate"):
        listen(Address("127.0.0.1", 0, certificates.private_key, certificates.chain))  # exchanged by mistake


def test_an_answer_s_body_does_not_wait_for_its_head_to_be_acknowledged() -> None:
    listener = listen(Address("127.0.0.1", 0))
    with listener.socket, socket.create_connection(("127.0.0.1", listener.address.port)):
        connection, _ = listener.socket.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_a_time_that_is_none_is_refused(seconds: float) -> None:
    with pytest.raises(UsageError, match="wanted more than 0"):
        Settings(work_s=seconds)


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 101])
def test_a_token_without_a_proper_name_is_not_made(tmp_path: Path, name: str) -> None:
    assert start(tmp_path, "--new-token", name) == 2
    assert list(tmp_path.iterdir()) == []


def test_a_token_file_that_is_spoilt_while_the_service_runs_tells_nobody_where_it_is(tmp_path: Path) -> None:
    with running(tmp_path, "--rate", 0) as service:
        file = Path(f"{service.registry}.tokens")
        file.write_text("{")
        answer = service.read(COFFEE, token="made up")
        assert (answer.status_code, str(tmp_path) in answer.text) == (401, False)
        assert service.read(COFFEE, token="read").status_code == 200  # the tokens known so far stay
        assert "the tokens known so far stay" in service.log.read_text(encoding="utf-8")
        new = add_token(tmp_path / "mended", "shop", [Scope.READ])
        (tmp_path / "mended").replace(file)
        assert service.read(COFFEE, token=new.text).status_code == 200


def test_a_book_of_a_spoilt_file_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("{")
    with pytest.raises(UsageError, match="no token file"):
        TokenBook((), tmp_path / "tokens")


def test_a_token_of_the_wrong_scope_is_held_to_its_rate(tmp_path: Path) -> None:
    with running(tmp_path, "--rate", 6) as service:
        statuses = [service.send("GET", "/metrics", "read").status_code for _ in range(4)]
        assert statuses[0] == 403
        assert 429 in statuses


def test_the_page_answers_head_requests(service: Running) -> None:
    answer = service.send("HEAD", "/", None)
    assert (answer.status_code, answer.content) == (200, b"")


def test_a_later_head_that_never_ends_is_given_up_like_the_first(service: Running) -> None:
    """The first request is whole; then bytes trickle in, often enough to seem alive."""
    address = urlsplit(service.url)
    with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"200 OK" in connection.recv(4096)
        connection.sendall(b"GET /health HTTP/1.1\r\n")
        connection.settimeout(2)
        began, closed = time.monotonic(), False
        while not closed and time.monotonic() - began < 40:
            try:
                connection.sendall(b"X: y\r\n")
                closed = connection.recv(4096) == b""
            except TimeoutError:
                continue
            except ConnectionError:
                closed = True
        assert closed
        assert 15 < time.monotonic() - began < 35
