"""Who asks: the token of a request, what it allows, and how often."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from tiacam.errors import ScopeError, UnknownTokenError
from tiacam.service.core import Service
from tiacam.service.tokens import Scope

BEARER = HTTPBearer(auto_error=False, description="`Authorization: Bearer tia_…`; see `tiacam serve --help`.")

Credentials = Annotated[HTTPAuthorizationCredentials | None, Security(BEARER)]


@dataclass(frozen=True)
class Caller:
    """Who sent a request: a token's name, or an address."""

    name: str


def service_of(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def require(scope: Scope) -> Callable[..., Awaitable[Caller]]:
    """A dependency that lets those pass whose token has `scope`, at the rate that is allowed."""

    async def allow(request: Request, credentials: Credentials = None) -> Caller:
        service = service_of(request)
        caller = identify(service, request, credentials, scope)
        request.state.caller = caller.name
        service.rate.spend(caller.name)
        return caller

    return allow


def identify(
    service: Service, request: Request, credentials: HTTPAuthorizationCredentials | None, scope: Scope
) -> Caller:
    address = request.client.host if request.client else "unknown"
    if credentials is None:
        if scope in service.settings.public:
            return Caller(f"address {address}")
        service.rate.spend(f"address {address}")  # guessing is limited too
        raise UnknownTokenError(f"this needs a token with the scope {scope.value!r}: Authorization: Bearer …")
    token = service.tokens.find(credentials.credentials)
    if token is None:
        service.rate.spend(f"address {address}")
        raise UnknownTokenError("this service does not know the token")
    if scope not in token.scopes and scope not in service.settings.public:
        service.rate.spend(f"token {token.name}")
        raise ScopeError(f"the token {token.name!r} has no scope {scope.value!r}")
    return Caller(f"token {token.name}")
