"""One service for the tests that leave it as it is, and certificates for those that sign."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from certificates import Certificates, make_certificates
from service_process import COFFEE, Running, running


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service without a rate limit; `coffee` is registered in it."""
    with running(tmp_path_factory.mktemp("service"), "--rate", 0, "--timeout", 600) as started:
        assert started.register(COFFEE, fields={"note": "a cup"}).status_code == 201
        yield started


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"))
