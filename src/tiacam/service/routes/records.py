"""`/v1/records`: adding records and looking them up."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Request, Response

from tiacam.service.answers import RecordAnswer, RecordPage, Registered, record_answer
from tiacam.service.bodies import received
from tiacam.service.core import Service
from tiacam.service.forms import parse_form
from tiacam.service.guard import Caller, require, service_of
from tiacam.service.ledger import stored_after
from tiacam.service.problems import PICTURE, refusals
from tiacam.service.registering import Order, register
from tiacam.service.routes.reading import READ_ONLY, Reader, RecordId
from tiacam.service.tokens import Scope

router = APIRouter(tags=["records"])
BINARY = {"type": "string", "format": "binary"}
FORM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["picture"],
                    "properties": {
                        "picture": {
                            **BINARY,
                            "description": "The picture's file; its pixels are not touched.",
                        },
                        "message": {"type": "string", "description": "The message as text (UTF-8)."},
                        "hex": {
                            "type": "string",
                            "description": "Or as a hexadecimal number, four bits a digit.",
                        },
                        "bits": {"type": "string", "description": "Or as a string of 0 and 1."},
                        "note": {
                            "type": "string",
                            "maxLength": 2000,
                            "description": "Shown to everybody who reads.",
                        },
                        "manifest": {
                            **BINARY,
                            "description": "A C2PA manifest store, returned byte for byte.",
                        },
                    },
                }
            }
        },
    }
}
Registrar = Annotated[Caller, Depends(require(Scope.REGISTER))]
Admin = Annotated[Caller, Depends(require(Scope.ADMIN))]
RepeatKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=255,
        pattern=r"^[\x21-\x7e]+$",
        description="A name for this request: sent twice, it is done once.",
    ),
]


@router.post(
    "/v1/records",
    status_code=201,
    openapi_extra=FORM,
    responses=refusals(*PICTURE) | {200: {"model": Registered, "description": "Done before under this key"}},
    summary="Register a picture",
)
async def add(request: Request, response: Response, caller: Registrar, key: RepeatKey = None) -> Registered:
    """Bind a message to a picture. The answer is sent when the signed record is on disk."""
    service = service_of(request)
    service.pool.check()
    async with received(request, service) as body:
        order = Order.of(parse_form(request.headers.get("content-type", ""), body))
        done = await service.pool.run(
            lambda: acknowledge(service, order, caller, key), service.settings.work_s
        )
    response.status_code = 200 if done.repeated else 201
    response.headers["Location"] = f"/v1/records/{done.record.id}"
    service.metrics.registered()
    return done


def acknowledge(service: Service, order: Order, caller: Caller, key: str | None) -> Registered:
    outcome = register(service, order, caller.name, key)
    manifest_id = service.manifests.label_of(outcome.record)
    return Registered(record=record_answer(outcome.record, manifest_id), repeated=outcome.repeated)


@router.get(
    "/v1/records", responses=READ_ONLY | refusals(503, 504), summary="Records in the order of the ledger"
)
async def listing(
    request: Request,
    _: Reader,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    after: Annotated[str | None, Query(min_length=35, max_length=35, pattern="^tia[a-z2-7]{32}$")] = None,
) -> RecordPage:
    service = service_of(request)
    return await service.pool.run(lambda: page(service, limit, after), service.settings.work_s)


def page(service: Service, limit: int, after: str | None) -> RecordPage:
    start = service.tiacam.registry.log.number(after) if after else 0
    stored = list(stored_after(service.tiacam.registry, start, limit + 1))
    answers = [record_answer(one.record, service.manifests.label_of(one.record)) for one in stored[:limit]]
    return RecordPage(records=answers, next=answers[-1].id if len(stored) > limit else None)


@router.get("/v1/records/{id}", responses=READ_ONLY | refusals(503, 504), summary="One record")
async def show(request: Request, id: RecordId, _: Reader) -> RecordAnswer:  # noqa: A002
    service = service_of(request)

    def find() -> RecordAnswer:
        record = service.tiacam.registry.get(id)
        return record_answer(record, service.manifests.label_of(record))

    return await service.pool.run(find, service.settings.work_s)


@router.get(
    "/v1/records/{id}/signed",
    responses=READ_ONLY | refusals(503, 504),
    summary="One record whole, as it was signed",
)
async def show_signed(request: Request, id: RecordId, _: Admin) -> dict[str, Any]:  # noqa: A002
    """With the picture's feature and the mark: for audits, not for the public."""
    service = service_of(request)
    return await service.pool.run(lambda: service.tiacam.registry.get(id).to_json(), service.settings.work_s)
