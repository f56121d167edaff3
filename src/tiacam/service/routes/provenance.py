"""`/v1/provenance`: a photo, the manifest of the picture that it shows, and what that manifest is worth."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from tiacam.service.admission import check_picture
from tiacam.service.answers import VerdictAnswer
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
    if matches.manifest_id is None:
        return ProvenanceAnswer(matches=matches, manifest=None)
    state = assess(service.manifests.find(matches.manifest_id), photo, media_type)
    facts = {"valid": state.valid, "trusted": state.trusted, "hard_binding": state.hard_binding}
    manifest = ManifestAnswer(
        id=matches.manifest_id, signer=state.signer, problems=list(state.problems), **facts
    )
    return ProvenanceAnswer(matches=matches, manifest=manifest)
