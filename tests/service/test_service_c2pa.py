"""C2PA: a manifest signed with a soft binding, registered, and found again from a photo of the picture."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from pathlib import Path

import c2pa
import pytest
from certificates import Certificates
from PIL import Image
from service_process import HORSE, PICTURES, Running, running

from tiacam.cli import main
from tiacam.errors import DataError
from tiacam.service.credentials import Binding, Identity, assess, sign
from tiacam.service.jumbf import parse_store


@pytest.fixture(scope="module")
def signed(certificates: Certificates, tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """The astronaut with a manifest in it, and the manifest store."""
    folder = tmp_path_factory.mktemp("signed")
    options = {
        "--certificate": certificates.chain,
        "--private-key": certificates.private_key,
        "--out": folder / "signed.jpg",
        "--manifest": folder / "m.c2pa",
        "--registry": folder / "r.tiacam",
        "--threads": 1,
    }
    named = [str(part) for pair in options.items() for part in pair]
    code = main(["c2pa", "sign", str(PICTURES / "astronaut.jpg"), *named])
    assert code == 0
    # Nothing is registered, so there is neither a registry nor a key.
    assert {path.name for path in folder.iterdir()} == {"m.c2pa", "signed.jpg"}
    return (folder / "signed.jpg").read_bytes(), (folder / "m.c2pa").read_bytes()


@pytest.fixture(scope="module")
def label(service: Running, signed: tuple[bytes, bytes]) -> str:
    """The registered manifest's identifier."""
    picture, manifest = signed
    answer = service.register(picture, "Eileen", files={"manifest": ("m", manifest)})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["record"]["manifest_id"])


def soft_binding(manifest: bytes) -> dict[str, str]:
    found = json.loads(c2pa.Reader("application/c2pa", io.BytesIO(manifest)).json())
    assertions = found["manifests"][found["active_manifest"]]["assertions"]
    (data,) = (entry["data"] for entry in assertions if entry["label"] == "c2pa.soft-binding")
    return {"alg": data["alg"], "value": data["blocks"][0]["value"]}


def photographed(picture: bytes) -> bytes:
    stream = io.BytesIO()
    Image.open(io.BytesIO(picture)).convert("RGB").resize((400, 380)).save(stream, "JPEG", quality=60)
    return stream.getvalue()


def test_signing_keeps_the_pixels_and_writes_a_manifest_without_the_picture(
    signed: tuple[bytes, bytes],
) -> None:
    picture, manifest = signed
    with Image.open(PICTURES / "astronaut.jpg") as before, Image.open(io.BytesIO(picture)) as after:
        assert before.tobytes() == after.tobytes()
    assert len(manifest) < 50_000
    assert b"thumbnail" not in manifest
    assert parse_store(manifest).active.label.startswith("urn:c2pa:")


def test_a_manifest_that_the_picture_has_stays_as_the_parent_of_the_new_one(
    signed: tuple[bytes, bytes], certificates: Certificates
) -> None:
    picture, manifest = signed
    identity = Identity(certificates.chain.read_bytes(), certificates.private_key.read_bytes())
    again = sign(picture, "image/jpeg", "again", Binding("org.example", b"value"), identity)
    found = json.loads(c2pa.Reader("image/jpeg", io.BytesIO(again.file)).json())
    (parent,) = found["manifests"][found["active_manifest"]]["ingredients"]
    assert parent["relationship"] == "parentOf"
    assert parent["active_manifest"] == parse_store(manifest).active.label
    assert assess(again.manifest, again.file, "image/jpeg").valid


def test_the_binding_in_the_manifest_finds_the_manifest(
    service: Running, label: str, signed: tuple[bytes, bytes]
) -> None:
    query = soft_binding(signed[1])
    expected = {"matches": [{"manifestId": label, "similarityScore": 100}]}
    assert service.send("GET", "/matches/byBinding", "read", params=query).json() == expected
    assert service.send("POST", "/matches/byBinding", "read", json=query).json() == expected


def test_a_photo_finds_the_manifest_and_an_unrelated_one_finds_none(
    service: Running, label: str, signed: tuple[bytes, bytes]
) -> None:
    (match,) = service.read(photographed(signed[0]), "/matches/byContent").json()["matches"]
    assert match["manifestId"] == label
    assert 50 < match["similarityScore"] <= 100
    assert service.read(HORSE, "/matches/byContent").json() == {"matches": []}


def test_a_manifest_comes_back_byte_for_byte_or_its_active_part(
    service: Running, label: str, signed: tuple[bytes, bytes]
) -> None:
    response = service.send("GET", f"/manifests/{label}", "read")
    assert response.headers["Content-Type"] == "application/c2pa"
    assert response.content == signed[1]
    active = service.send("GET", f"/manifests/{label}?returnActiveManifest=true", "read").content
    assert [manifest.label for manifest in parse_store(active).manifests] == [label]
    assert service.send("GET", "/manifests/urn:c2pa:nobody", "read").status_code == 404


def test_the_command_shows_the_manifest_of_a_record_under_the_name_that_the_service_gives(
    service: Running, label: str, signed: tuple[bytes, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    listed = service.send("GET", "/v1/records?limit=200", "read").json()["records"]
    (name,) = (record["id"] for record in listed if record["manifest_id"] == label)
    (plain,) = (record["id"] for record in listed if record["note"] == "a cup")
    capsys.readouterr()
    for record in (name, plain):
        assert main(["show", record, "--registry", str(service.registry)]) == 0
    digest = hashlib.sha256(signed[1]).hexdigest()
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("manifest")]
    assert lines == [f"manifest   {label}, {len(signed[1])} bytes, sha256 {digest}", "manifest   -"]
    assert main(["show", name, "--json", "--registry", str(service.registry)]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["manifest_id"], shown["manifest_bytes"]) == (label, len(signed[1]))
    assert shown["manifest_sha256"] == digest


def test_the_answer_keeps_matching_apart_from_the_manifests_validity(
    service: Running, label: str, signed: tuple[bytes, bytes]
) -> None:
    file = service.read(signed[0], "/v1/provenance").json()
    photo = service.read(photographed(signed[0]), "/v1/provenance").json()
    for answer in (file, photo):
        assert answer["matches"]["registered"] is True
        assert answer["manifest"]["id"] == label
        assert answer["manifest"]["valid"] is True
        assert answer["manifest"]["soft_binding"] is True
        assert answer["manifest"]["signer"] == "A museum"
        assert answer["manifest"]["trusted"] is False  # our authority is on nobody's list
    assert file["manifest"]["hard_binding"] is True
    assert photo["manifest"]["hard_binding"] is False
    assert service.read(HORSE, "/v1/provenance").json()["manifest"] is None


def test_a_manifest_that_was_tampered_with_still_matches_but_is_not_valid(
    service: Running, signed: tuple[bytes, bytes]
) -> None:
    forged = signed[1].replace(b"astronaut.jpg", b"astronomy.jpg")
    assert forged != signed[1]
    picture = (
        PICTURES / "retina.jpg"
    ).read_bytes()  # no other test registers it: the oldest record is the match
    answer = service.register(picture, "forged", files={"manifest": ("m", forged)})
    assert answer.status_code == 201
    found = service.read(picture, "/v1/provenance").json()
    assert found["matches"]["registered"] is True
    assert (found["manifest"]["valid"], found["manifest"]["soft_binding"]) == (False, False)


def test_a_valid_manifest_beside_another_picture_is_seen_for_what_it_is(
    service: Running, signed: tuple[bytes, bytes]
) -> None:
    other = (PICTURES / "hubble.jpg").read_bytes()
    assert service.register(other, "borrowed", files={"manifest": ("m", signed[1])}).status_code == 201
    found = service.read(other, "/v1/provenance").json()["manifest"]
    assert (found["valid"], found["soft_binding"]) == (True, False)


def test_a_record_whose_key_was_taken_back_is_no_match(signed: tuple[bytes, bytes], tmp_path: Path) -> None:
    picture, manifest = signed
    with running(tmp_path, "--rate", 0) as service:
        answer = service.register(picture, "Eileen", files={"manifest": ("m", manifest)}).json()
        name, label = answer["record"]["id"], answer["record"]["manifest_id"]
        (match,) = service.read(picture, "/matches/byContent").json()["matches"]
        assert match["manifestId"] == label
        registry = str(service.registry)
        assert main(["keys", "--revoke", f"{registry}.key", "--since", name, "--registry", registry]) == 0
        assert service.read(picture, "/matches/byContent").json() == {"matches": []}
        query = soft_binding(manifest)
        assert service.send("GET", "/matches/byBinding", "read", params=query).json() == {"matches": []}


@pytest.mark.parametrize("junk", [b"junk", b"\0\0\0\x08jumb", b"\0\0\0\xffjumb" + bytes(40), bytes(200)])
def test_what_is_no_manifest_store_is_not_registered(service: Running, junk: bytes) -> None:
    assert service.register(HORSE, "m", files={"manifest": ("m", junk)}).status_code == 422
    with pytest.raises(DataError):
        parse_store(junk)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"value": "not base64!"}, 400),
        ({"value": base64.b64encode(b"short").decode()}, 400),
        ({"value": base64.b64encode(bytes(1536)).decode()}, 400),
        ({"alg": "com.example.other"}, 400),
        ({"maxResults": 0}, 400),
        ({"maxResults": "many"}, 400),
        ({"value": "A" * 5000}, 414),
    ],
)
def test_a_query_by_binding_that_cannot_be_is_refused(
    service: Running, signed: tuple[bytes, bytes], change: dict[str, object], status: int
) -> None:
    query = soft_binding(signed[1]) | change
    assert service.send("GET", "/matches/byBinding", "read", params=query).status_code == status


def test_posted_queries_are_refused_the_same_way(service: Running) -> None:
    for body in ({}, {"alg": "x"}, {"alg": 1, "value": 2}, []):
        assert service.send("POST", "/matches/byBinding", "read", json=body).status_code == 400
    assert service.send("POST", "/matches/byBinding", "read", data=b"{").status_code == 400


@pytest.mark.parametrize(
    "kind", ["video/mp4", "application/pdf", "multipart/form-data; boundary=x", "image/svg+xml"]
)
def test_content_of_another_type_is_refused(service: Running, kind: str) -> None:
    body = b"<svg/>" if kind == "image/svg+xml" else HORSE
    assert service.read(body, "/matches/byContent", kind=kind).status_code == 415


def test_the_supported_algorithm_is_a_fingerprint_and_needs_no_token(
    service: Running, signed: tuple[bytes, bytes]
) -> None:
    answer = service.send("GET", "/services/supportedAlgorithms", None).json()
    assert answer == {"watermarks": [], "fingerprints": [{"alg": soft_binding(signed[1])["alg"]}]}


def test_the_command_refuses_to_write_over_the_picture(certificates: Certificates, tmp_path: Path) -> None:
    picture = tmp_path / "p.jpg"
    picture.write_bytes(HORSE)
    arguments = [
        "c2pa",
        "sign",
        str(picture),
        "--certificate",
        str(certificates.chain),
        "--out",
        str(picture),
    ]
    assert (
        main([*arguments, "--private-key", str(certificates.private_key), "--registry", str(tmp_path / "r")])
        == 2
    )
    assert picture.read_bytes() == HORSE
