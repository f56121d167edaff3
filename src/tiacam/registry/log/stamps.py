"""Time stamps of a trusted authority (RFC 3161): that a tree head existed at a time that nobody here chose."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from types import ModuleType

from cryptography import x509

from tiacam.errors import DamagedRegistryError, DataError, RegistryUnavailableError, UsageError

LARGEST_REPLY = 2**20
PATIENCE_S = 30.0


def request_stamp(url: str, data: bytes) -> bytes:
    """The authority's reply for the SHA-512 of `data`, as it was sent: nothing else leaves this machine."""
    client = load_client()
    request = client.TimestampRequestBuilder().data(data).build()
    if not url.startswith(("http://", "https://")):
        raise UsageError(f"the time-stamping authority is {url!r}, wanted an http or https URL")
    call = urllib.request.Request(
        url, data=request.as_bytes(), headers={"Content-Type": "application/timestamp-query"}
    )
    try:
        with urllib.request.urlopen(call, timeout=PATIENCE_S) as answer:
            reply: bytes = answer.read(LARGEST_REPLY)
        response = client.decode_timestamp_response(reply)
    except (OSError, ValueError, urllib.error.URLError) as error:
        raise RegistryUnavailableError(f"no time stamp from {url}: {error}") from error
    if response.tst_info.nonce != request.nonce:
        raise RegistryUnavailableError(f"the time stamp from {url} answers another request")
    return reply


def verify_stamp(reply: bytes, data: bytes, roots: Iterable[x509.Certificate]) -> datetime:
    """When the authority saw `data`, if one of the `roots` vouches for it."""
    client = load_client()
    try:
        response = client.decode_timestamp_response(reply)
        builder = client.VerifierBuilder()
        for root in roots:
            builder = builder.add_root_certificate(root)
        builder.build().verify_message(response, data)
    except (ValueError, client.errors.VerificationError) as error:
        raise DamagedRegistryError(f"the time stamp does not verify: {error}") from error
    time: datetime = response.tst_info.gen_time
    return time


def read_roots(path: Path) -> list[x509.Certificate]:
    """The certificates of the authorities that a user trusts, from a PEM file."""
    try:
        return x509.load_pem_x509_certificates(path.read_bytes())
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise DataError(f"{path} holds no PEM certificates: {error}") from error


def load_client() -> ModuleType:
    try:
        import rfc3161_client
    except ImportError as error:
        raise UsageError("time stamps need rfc3161-client: pip install 'tiacam[timestamp]'") from error
    return rfc3161_client
