"""The C2PA Soft Binding Resolution API, its query side (version 1.1): from a picture to its manifests.

An answer says which manifests match, by the picture. It does not say that a manifest is valid: `/v1/provenance` does.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, Field, ValidationError

from tiacam.app.sights import SHORTER_SIDE
from tiacam.errors import (
    ImageError,
    ImageTooLargeError,
    LongAddressError,
    MediaTypeError,
    RequestError,
    UnreadableImageError,
)
from tiacam.image import load
from tiacam.image.sources import read_bytes
from tiacam.service.admission import NAME, check_picture
from tiacam.service.bindings import Features, algorithm_of, decode_value, features_of, find_matches
from tiacam.service.bodies import check_image_type, received
from tiacam.service.core import Service
from tiacam.service.guard import service_of
from tiacam.service.jumbf import parse_store
from tiacam.service.problems import COMMON, refusals
from tiacam.service.routes.reading import PHOTO, Reader

router = APIRouter(tags=["C2PA soft binding resolution"])
LONGEST_VALUE = 4096  # characters of a value in an address; a longer one goes into a body
LARGEST_QUERY = 1 << 20
WORKING = refusals(*COMMON, 408, 413, 503, 504)
MaxResults = Annotated[int, Query(alias="maxResults", ge=1, description="The most matches to return.")]
Algorithm = Annotated[str | None, Query(max_length=200, description="The soft binding algorithm.")]


class SoftBindingQuery(BaseModel):
    """A soft binding to look for."""

    alg: str = Field(max_length=200)
    value: str = Field(max_length=LARGEST_QUERY, description="Base64, in the algorithm's own format.")


class ManifestMatch(BaseModel):
    """A manifest whose picture matches; whether it is valid is another question."""

    manifest_id: str = Field(serialization_alias="manifestId")
    score: int = Field(ge=0, le=100, serialization_alias="similarityScore")


class SoftBindingQueryResult(BaseModel):
    """Zero or more matches, best first."""

    matches: list[ManifestMatch]


class AlgorithmName(BaseModel):
    """The name of an algorithm."""

    alg: str


class SoftBindingAlgList(BaseModel):
    """The algorithms that this service resolves."""

    watermarks: list[AlgorithmName]
    fingerprints: list[AlgorithmName]


JSON_QUERY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": SoftBindingQuery.model_json_schema()}},
    }
}


@router.get("/matches/byBinding", responses=WORKING | refusals(414), summary="Manifests of a soft binding")
async def by_binding(
    request: Request,
    _: Reader,
    value: Annotated[str, Query(description="Base64, in the algorithm's own format.")],
    alg: Annotated[str, Query(max_length=200)],
    most: MaxResults = 10,
) -> SoftBindingQueryResult:
    if len(value) > LONGEST_VALUE:
        raise LongAddressError(
            f"the value has {len(value):,} characters, over {LONGEST_VALUE:,} must be posted"
        )
    return await resolve(service_of(request), SoftBindingQuery(alg=alg, value=value), most)


@router.post(
    "/matches/byBinding",
    openapi_extra=JSON_QUERY,
    responses=WORKING,
    summary="Manifests of a large soft binding",
)
async def by_large_binding(request: Request, _: Reader, most: MaxResults = 10) -> SoftBindingQueryResult:
    service = service_of(request)
    async with received(request, service, LARGEST_QUERY) as body:
        try:
            query = SoftBindingQuery.model_validate_json(body)
        except ValidationError as error:
            raise RequestError(
                f"the query is not of the documented form: {error.errors()[0]['msg']}"
            ) from error
        return await resolve(service, query, most)


@router.post(
    "/matches/byContent",
    openapi_extra=PHOTO,
    responses=WORKING | refusals(415),
    summary="Manifests of a picture",
)
async def by_content(
    request: Request,
    _: Reader,
    alg: Algorithm = None,
    most: MaxResults = 10,
    hint_alg: Annotated[str | None, Query(alias="hintAlg", max_length=200)] = None,  # noqa: ARG001
    hint_value: Annotated[str | None, Query(alias="hintValue", max_length=LONGEST_VALUE)] = None,  # noqa: ARG001
) -> SoftBindingQueryResult:
    """Find manifests by the picture's file (no form). Hints are accepted; this service needs none."""
    service = service_of(request)
    if alg is not None and alg != algorithm_of(service.tiacam.model):
        raise RequestError(f"the algorithm {alg[:80]!r} is not supported")
    if "content-type" not in request.headers:
        raise MediaTypeError("the body has no declared type, wanted image/*")
    check_image_type(request)
    service.pool.check()
    async with received(request, service) as photo:
        return await service.pool.run(lambda: match_content(service, photo, most), service.settings.work_s)


@router.get(
    "/manifests/{manifestId}",
    response_class=Response,
    responses=refusals(*COMMON, 404, 503, 504)
    | {200: {"content": {"application/c2pa": {}}, "description": "The manifest store"}},
    summary="One manifest store",
)
async def manifest(
    request: Request,
    _: Reader,
    manifest_id: Annotated[str, Path(alias="manifestId", min_length=1, max_length=300)],
    active_only: Annotated[bool, Query(alias="returnActiveManifest")] = False,
) -> Response:
    """Byte for byte as it was registered; or a store that holds its active manifest alone."""
    service = service_of(request)

    def find() -> bytes:
        store = service.manifests.find(manifest_id)
        return parse_store(store).active_alone() if active_only else store

    content = await service.pool.run(find, service.settings.work_s)
    return Response(content, media_type="application/c2pa")


@router.get("/services/supportedAlgorithms", summary="What this service resolves")
async def supported_algorithms(request: Request) -> SoftBindingAlgList:
    """The picture is not altered, so C2PA's word for the algorithm is fingerprint."""
    name = algorithm_of(service_of(request).tiacam.model)
    return SoftBindingAlgList(watermarks=[], fingerprints=[AlgorithmName(alg=name)])


async def resolve(service: Service, query: SoftBindingQuery, most: int) -> SoftBindingQueryResult:
    feature = decode_value(service.tiacam.model, query.alg, query.value)
    return await service.pool.run(lambda: result(service, feature, most), service.settings.work_s)


def match_content(service: Service, photo: bytes, most: int) -> SoftBindingQueryResult:
    try:
        read_bytes(photo, NAME)
    except UnreadableImageError as error:
        raise MediaTypeError(str(error)) from error
    try:
        check_picture(photo, service.settings.max_pixels)
        picture = load(photo, target=SHORTER_SIDE, name=NAME)
    except ImageTooLargeError:
        raise
    except ImageError as error:
        raise RequestError(str(error)) from error
    return result(service, features_of(service.tiacam, picture), most)


def result(service: Service, features: Features, most: int) -> SoftBindingQueryResult:
    found: dict[str, ManifestMatch] = {}
    for match in find_matches(service.tiacam, features, most):
        label = service.manifests.label_of(match.record)
        if label is not None:
            found.setdefault(label, ManifestMatch(manifest_id=label, score=match.score))
    return SoftBindingQueryResult(matches=list(found.values())[:most])
