"""`/v1/provenance`: a photo, the manifest of the picture that it shows, and what that manifest is worth."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from tiacam.service.admission import check_picture
from tiacam.service.answers import VerdictAnswer
from tiacam.service.bindings import names_record
from tiacam.service.bodies import check_image_type, received
from tiacam.service.core import Service
from tiacam.service.credentials import assess
from tiacam.service.guard import service_of
from tiacam.service.problems import PICTURE, refusals
from tiacam.service.routes.reading import PHOTO, Reader, answer
from tiacam.service.uploads import Upload

router = APIRouter(tags=["C2PA soft binding resolution"])


class ManifestAnswer(BaseModel):
    """The state of a manifest. A photo of a picture always breaks the hard binding; that alone is no forgery."""

    id: str
    valid: bool = Field(description="Signature and assertions of the manifest hold.")
    trusted: bool = Field(description="Its signer is on a trust list.")
    soft_binding: bool = Field(
        description="The manifest itself names this picture. False: it names another one, or none."
    )
    hard_binding: bool = Field(description="The photo is byte for byte the file that was signed.")
    signer: str | None
    problems: list[str] = Field(
        description="C2PA status codes, those of the hard binding and of trust left out."
    )


class ProvenanceAnswer(BaseModel):
    """Two answers that must not be mixed: does the picture match, and is its manifest in order?"""

    matches: VerdictAnswer
    manifest: ManifestAnswer | None = Field(
        description="Null where nothing matches or the record carries none."
    )


@router.post(
    "/v1/provenance",
    openapi_extra=PHOTO,
    responses=refusals(*PICTURE),
    summary="Whose picture, and is it so?",
)
async def provenance(request: Request, _: Reader) -> ProvenanceAnswer:
    check_image_type(request)
    service = service_of(request)
    service.pool.check()
    async with received(request, service) as photo:
        return await service.pool.run(lambda: trace(service, photo), service.settings.work_s)


def trace(service: Service, photo: bytes) -> ProvenanceAnswer:
    media_type = check_picture(photo, service.settings.max_pixels)
    matches = answer(service, service.tiacam.read(Upload(photo)))
    if matches.id is None or matches.manifest_id is None:
        return ProvenanceAnswer(matches=matches, manifest=None)
    # The record's own manifest: another record may carry one of the same name.
    state = assess(service.tiacam.registry.manifest(matches.id), photo, media_type)
    record = service.tiacam.registry.get(matches.id)
    named = any(names_record(service.tiacam, one.alg, one.value, record) for one in state.bindings)
    manifest = ManifestAnswer(
        id=matches.manifest_id,
        valid=state.valid,
        trusted=state.trusted,
        soft_binding=named,
        hard_binding=state.hard_binding,
        signer=state.signer,
        problems=list(state.problems),
    )
    return ProvenanceAnswer(matches=matches, manifest=manifest)
