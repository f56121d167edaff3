"""Forms: whatever a browser or curl sends is read, and whatever else comes is refused quickly."""

from __future__ import annotations

import os
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiacam.errors import RequestError
from tiacam.service.forms import Form, parse_form

TYPE = "multipart/form-data; boundary=abc"


def form(*parts: tuple[str, bytes], end: bytes = b"--abc--\r\n") -> bytes:
    return (
        b"".join(b"--abc\r\n" + head.encode() + b"\r\n\r\n" + content + b"\r\n" for head, content in parts)
        + end
    )


def field(name: str, file: str | None = None) -> str:
    shown = f'; filename="{file}"' if file is not None else ""
    return f'Content-Disposition: form-data; name="{name}"{shown}'


@given(st.binary(max_size=300).filter(lambda data: b"--abc" not in data), st.text(max_size=50))
def test_what_goes_in_comes_out(content: bytes, text: str) -> None:
    body = form(
        (field("picture", "a.jpg") + "\r\nContent-Type: image/jpeg", content), (field("note"), text.encode())
    )
    if b"--abc" not in text.encode():
        assert parse_form(TYPE, body) == Form({"note": text}, {"picture": content})


@pytest.mark.parametrize(
    "kind", ['multipart/form-data; boundary="abc"', "Multipart/Form-Data; charset=utf-8; boundary=abc"]
)
def test_the_boundary_may_be_quoted_and_stand_anywhere(kind: str) -> None:
    assert parse_form(kind, form((field("note"), b"x"))).texts == {"note": "x"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"--abc",
        b"--abc--",
        b"junk",
        form((field("note"), b"x"), end=b""),
        form((field("note"), b"x"), (field("note"), b"y")),
        form(("Content-Disposition: attachment", b"x")),
        form(("Content-Disposition: form-data", b"x")),
        form((field("note"), b"\xff\xfe")),
        form((field("note"), b"x" * 100_000)),
        form(*((field(f"n{number}"), b"x") for number in range(12))),
        form((field("note") + "; x=" + "y" * 10_000, b"x")),
    ],
)
def test_what_is_no_form_is_refused(body: bytes) -> None:
    if body == b"--abc--":
        assert parse_form(TYPE, body) == Form({}, {})
    else:
        with pytest.raises(RequestError):
            parse_form(TYPE, body)


@given(st.binary(max_size=400))
def test_any_bytes_are_a_form_or_a_refusal(body: bytes) -> None:
    for data in (body, b"--abc\r\n" + body + b"\r\n--abc--"):
        try:
            parse_form(TYPE, data)
        except RequestError:
            continue


@pytest.mark.parametrize(
    "content", [os.urandom(1 << 20) * 31, b"\r\n--ab" * (5 << 20)], ids=["noise", "near misses"]
)
def test_thirty_megabytes_are_cut_in_a_moment(content: bytes) -> None:
    body = form((field("picture", "a.jpg"), content))
    began = time.process_time()
    assert parse_form(TYPE, body).files["picture"] == content
    assert time.process_time() - began < 1.0
