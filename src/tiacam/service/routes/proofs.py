"""`/v1/log` and proofs: what the ledger has promised, checkable by anybody without trusting the service."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, Field

from tiacam.errors import DamagedRegistryError, KeyEndedError, RecordNotFoundError, RequestError
from tiacam.registry import RecordProof, TreeHead
from tiacam.service.bodies import received
from tiacam.service.core import Service
from tiacam.service.guard import Caller, require, service_of
from tiacam.service.problems import COMMON, refusals
from tiacam.service.routes.reading import READ_ONLY, Reader, RecordId
from tiacam.service.tokens import Scope

router = APIRouter(tags=["proofs"])
LARGEST_HEAD = 64 * 1024
Admin = Annotated[Caller, Depends(require(Scope.ADMIN))]
BUSY = refusals(503, 504)
HEAD_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "A tree head that was given out earlier.",
        "content": {"application/json": {"schema": {"type": "object"}}},
    }
}


class InclusionProof(BaseModel):
    """That a record's hash is in the tree of a signed head (RFC 6962); the record itself is not in it."""

    id: str
    hash: str = Field(description="The record's hash, the content of its leaf, in hexadecimal.")
    number: int = Field(description="The record's place in the ledger, from 1: its leaf is number - 1.")
    path: list[str] = Field(description="Hashes from the leaf's sibling up to the root's child.")
    head: dict[str, Any] = Field(description="The signed tree head.")


@router.get("/v1/log/head", responses=READ_ONLY | BUSY, summary="The latest signed tree head")
async def head(request: Request, _: Reader) -> dict[str, Any]:
    """Keep it: with it, you can ask later whether the ledger has only grown."""
    service = service_of(request)

    def find() -> dict[str, Any]:
        found = service.tiacam.registry.log.latest_head()
        if found is None:
            raise RecordNotFoundError("no tree head was signed yet")
        return found.to_json()

    return await service.pool.run(find, service.settings.work_s)


@router.post("/v1/log/head", status_code=201, responses=refusals(*COMMON) | BUSY, summary="Sign a tree head")
async def sign_head(request: Request, _: Admin) -> dict[str, Any]:
    service = service_of(request)
    tiacam = service.tiacam
    return await service.pool.run(
        lambda: tiacam.registry.log.sign_head(tiacam.key).to_json(), service.settings.work_s
    )


@router.get("/v1/records/{id}/proof", responses=READ_ONLY | BUSY, summary="That a record is in the ledger")
async def prove(request: Request, id: RecordId, _: Reader) -> InclusionProof:  # noqa: A002
    service = service_of(request)

    def find() -> InclusionProof:
        proof = proof_of(service, id)
        path = [node.hex() for node in proof.path]
        digest = proof.record.hash.hex()
        return InclusionProof(
            id=proof.record.id, hash=digest, number=proof.number, path=path, head=proof.head.to_json()
        )

    return await service.pool.run(find, service.settings.work_s)


@router.get(
    "/v1/records/{id}/signed-proof", responses=READ_ONLY | BUSY, summary="The same with the whole record"
)
async def prove_signed(request: Request, id: RecordId, _: Admin) -> dict[str, Any]:  # noqa: A002
    """A file for `tiacam audit --proof`."""
    service = service_of(request)
    return await service.pool.run(lambda: proof_of(service, id).to_json(), service.settings.work_s)


@router.post(
    "/v1/log/growth",
    openapi_extra=HEAD_BODY,
    responses=READ_ONLY | refusals(408, 413) | BUSY,
    summary="Has it only grown?",
)
async def prove_growth(request: Request, _: Reader) -> dict[str, Any]:
    """A proof that the ledger as it is now continues the one of the head that is sent.

    A new head is signed where the latest does not cover everything.
    """
    service = service_of(request)
    async with received(request, service, LARGEST_HEAD) as body:
        return await service.pool.run(lambda: growth_since(service, body), service.settings.work_s)


def proof_of(service: Service, record_id: str) -> RecordProof:
    """A proof under the latest head; a new one is signed where the record is newer."""
    tiacam = service.tiacam
    log, record = tiacam.registry.log, tiacam.registry.get(record_id)
    latest = log.latest_head()
    if latest is None or latest.size < log.number(record.id):
        latest = log.sign_head(tiacam.key)
    return log.prove(record.id, latest)


def current_head(service: Service) -> TreeHead | None:
    """Of everything that is there; the latest that was signed if this service's key may sign no more."""
    log = service.tiacam.registry.log
    try:
        return log.covering_head(service.tiacam.key)
    except KeyEndedError:
        return log.latest_head()


def growth_since(service: Service, body: bytes) -> dict[str, Any]:
    try:
        first = TreeHead.from_json(json.loads(body))
        log = service.tiacam.registry.log
        return log.prove_growth(first, current_head(service)).to_json()
    except DamagedRegistryError as error:
        raise RequestError(f"the ledger does not grow from this head: {error}") from error
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise RequestError("the body is no tree head") from error
