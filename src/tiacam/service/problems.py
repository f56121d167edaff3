"""Errors as answers: every class of `tiacam.errors` carries its status, the texts of our own faults stay here."""

from __future__ import annotations

import re
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from tiacam.errors import RequestError, TiacamError, UnknownTokenError
from tiacam.service.logs import LOG

C2PA_PATHS = ("/matches/", "/manifests/", "/services/")


class Problem(BaseModel):
    """Why a request was refused."""

    error: str = Field(description="A short name that programs can rely on.", examples=["image_too_large"])
    message: str = Field(description="What was got and what was wanted.")


def install(app: FastAPI) -> None:
    app.add_exception_handler(TiacamError, answer_error)
    app.add_exception_handler(RequestValidationError, answer_invalid)
    app.add_exception_handler(HTTPException, answer_http)


def name_of(error: TiacamError) -> str:
    """ImageTooLargeError → image_too_large."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(error).__name__.removesuffix("Error")).lower()


async def answer_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, TiacamError)
    status = error.http_status
    message = str(error)
    if status >= 500 and not isinstance(error, RequestError):
        # It may name files of this machine: for the log, not for the caller.
        LOG.error("fault", error=type(error).__name__, message=message, request=request.state.id)
        message = "the service cannot do this now; its log says why"
    return problem(status, name_of(error), message, headers_of(error, status))


def headers_of(error: TiacamError, status: int) -> dict[str, str]:
    after = getattr(error, "retry_after", None) or (5 if status == 503 else None)
    headers = {"Retry-After": str(after)} if after else {}
    if isinstance(error, UnknownTokenError):
        headers["WWW-Authenticate"] = "Bearer"
    return headers


async def answer_invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    faults = [f"{'.'.join(map(str, fault['loc'][1:]))}: {fault['msg']}" for fault in error.errors()]
    status = 400 if request.url.path.startswith(C2PA_PATHS) else 422
    return problem(
        status, "invalid", "; ".join(faults) or "the request is not of the form that is documented"
    )


async def answer_http(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return problem(error.status_code, "http", str(error.detail), dict(error.headers or {}))


def problem(status: int, error: str, message: str, headers: dict[str, str] | None = None) -> JSONResponse:
    content = Problem(error=error, message=message.encode("utf-8", "replace").decode())
    return JSONResponse(content.model_dump(), status, headers)


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """What the OpenAPI document says about refusals."""
    return {status: {"model": Problem, "description": MEANINGS[status]} for status in sorted(statuses)}


MEANINGS = {
    400: "Malformed request",
    401: "No token, or an unknown one",
    403: "The token lacks the scope, or the record is another owner's",
    404: "No such record",
    408: "The body did not arrive in time",
    409: "Made with another model, or the service's key was replaced",
    413: "Too many bytes or pixels",
    414: "Query too long, use POST",
    415: "Not a picture",
    422: "The picture, the message or a field cannot be used",
    429: "Too many requests; see Retry-After",
    431: "Headers too large",
    503: "All places are taken; see Retry-After",
    504: "The work took too long",
}
COMMON = (400, 401, 403, 414, 429, 431)
PICTURE = (*COMMON, 408, 409, 413, 415, 422, 503, 504)
