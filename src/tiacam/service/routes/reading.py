"""`/v1/read` and `/v1/records/{id}/verify`: photos in, verdicts out."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request

from tiacam.app.sights import SHORTER_SIDE
from tiacam.image import load
from tiacam.locate import locate
from tiacam.service.admission import check_picture
from tiacam.service.answers import VerdictAnswer, verdict_answer
from tiacam.service.bodies import check_image_type, received
from tiacam.service.core import Service
from tiacam.service.guard import Caller, require, service_of
from tiacam.service.problems import COMMON, PICTURE, refusals
from tiacam.service.tokens import Scope
from tiacam.service.uploads import Upload
from tiacam.watermark import Verdict

router = APIRouter(tags=["reading"])
PHOTO: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "The photo's file itself, no form.",
        "content": {"image/*": {"schema": {"type": "string", "format": "binary"}}},
    }
}
Reader = Annotated[Caller, Depends(require(Scope.READ))]
RecordId = Annotated[
    str, Path(min_length=6, max_length=64, pattern="^[A-Za-z0-9]+$", description="The record's id.")
]


@router.post("/v1/read", openapi_extra=PHOTO, responses=refusals(*PICTURE), summary="Which picture is it?")
async def read(
    request: Request,
    _: Reader,
    outline: Annotated[
        bool,
        Query(
            description="Look for the picture's outline even if it is not registered, or was known without one."
        ),
    ] = False,
) -> VerdictAnswer:
    """Find which registered picture a photo shows, and read its message. "Not registered" is an answer."""
    check_image_type(request)
    service = service_of(request)
    service.pool.check()
    async with received(request, service) as photo:
        answer = await service.pool.run(lambda: read_photo(service, photo, outline), service.settings.work_s)
    service.metrics.read(answer.registered)
    return answer


@router.post(
    "/v1/records/{id}/verify",
    openapi_extra=PHOTO,
    responses=refusals(*PICTURE, 404),
    summary="Is it this picture?",
)
async def verify(request: Request, id: RecordId, _: Reader) -> VerdictAnswer:  # noqa: A002
    """Compare a photo with one record alone: fewer trials, so a weaker photo suffices."""
    check_image_type(request)
    service = service_of(request)
    service.pool.check()
    async with received(request, service) as photo:
        return await service.pool.run(lambda: verify_photo(service, photo, id), service.settings.work_s)


def read_photo(service: Service, photo: bytes, outline: bool) -> VerdictAnswer:
    check_picture(photo, service.settings.max_pixels)
    found = answer(service, service.tiacam.read(Upload(photo)))
    if outline and (not found.registered or is_box(found.corners)):
        found.corners = outline_of(photo) or found.corners
    return found


def is_box(corners: list[list[float]] | None) -> bool:
    """Whether a picture was known by a part of the photo as such, and not by a place that was found in it."""
    if corners is None:
        return True
    (left, top), (right, _), (_, bottom), _ = corners
    return corners == [[left, top], [right, top], [right, bottom], [left, bottom]]


def outline_of(photo: bytes) -> list[list[float]] | None:
    """The likeliest place of a picture in the photo, for the camera's live view."""
    quads = locate(load(Upload(photo), target=SHORTER_SIDE))
    if not quads:
        return None
    best = max(quads, key=lambda quad: quad.confidence)
    return [[float(x), float(y)] for x, y in best.corners]


def verify_photo(service: Service, photo: bytes, record_id: str) -> VerdictAnswer:
    check_picture(photo, service.settings.max_pixels)
    return answer(service, service.tiacam.verify(Upload(photo), record_id))


def answer(service: Service, verdict: Verdict) -> VerdictAnswer:
    record = service.tiacam.registry.get(verdict.record_id) if verdict.record_id else None
    manifest_id = service.manifests.label_of(record) if record else None
    return verdict_answer(verdict, record, manifest_id)


READ_ONLY = refusals(*COMMON, 404, 422)
