"""Content credentials: signing a C2PA manifest with a soft binding, and asking what one is worth for a photo.

Two questions are kept apart. Does the photo show the picture of the manifest (the soft binding, our part)? Is the
manifest itself in order (signature, assertions, the hash over the file)? A photo of a picture always breaks that hash.
"""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from tiacam import __version__
from tiacam.errors import DataError, UsageError

HARD_BINDINGS = (
    "assertion.dataHash.",
    "assertion.bmffHash.",
    "assertion.boxesHash.",
    "assertion.collectionHash.",
)
TRUST = ("signingCredential.untrusted", "timeStamp.untrusted")
SETTINGS = {
    "builder": {"thumbnail": {"enabled": False}},  # the manifest must not carry the picture
    "verify": {"remote_manifest_fetch": False, "ocsp_fetch": False},  # and checking one must not call anybody
}
CURVES = {"secp256r1": "es256", "secp384r1": "es384", "secp521r1": "es512"}
CREATED = {
    "action": "c2pa.created",
    "digitalSourceType": "http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture",
}


@dataclass(frozen=True)
class Binding:
    """A soft binding: an algorithm's name and its value for one picture."""

    alg: str
    value: bytes

    def to_assertion(self) -> dict[str, Any]:
        value = base64.b64encode(self.value).decode()
        data = {"alg": self.alg, "blocks": [{"scope": {}, "value": value}], "pad": ""}
        return {"label": "c2pa.soft-binding", "data": data}


@dataclass(frozen=True)
class Identity:
    """Who signs: a certificate chain, leaf first, and the leaf's private key, both in PEM."""

    chain: bytes
    private_key: bytes

    @property
    def algorithm(self) -> str:
        key = load_pem_private_key(self.private_key, password=None)
        if isinstance(key, ec.EllipticCurvePrivateKey) and key.curve.name in CURVES:
            return CURVES[key.curve.name]
        if isinstance(key, ed25519.Ed25519PrivateKey):
            return "ed25519"
        if isinstance(key, rsa.RSAPrivateKey):
            return "ps256"
        raise UsageError(f"C2PA signs with EC, Ed25519 or RSA keys, this is a {type(key).__name__}")


@dataclass(frozen=True)
class Signed:
    """The picture's file with the manifest in it, and the manifest store by itself."""

    file: bytes
    manifest: bytes


@dataclass(frozen=True)
class ManifestState:
    """What a manifest is worth for a photo. `hard_binding` is about the file's bytes, the rest about the manifest."""

    valid: bool  # signature and assertions hold
    trusted: bool  # the signer is on a trust list
    hard_binding: bool  # the photo is, byte for byte, the file that was signed
    signer: str | None
    bindings: tuple[Binding, ...]  # the soft bindings that the manifest itself claims
    problems: tuple[str, ...]


def sign(picture: bytes, media_type: str, title: str, binding: Binding, identity: Identity) -> Signed:
    """The picture with a new manifest; its pixels are not touched. A manifest that it has stays, as what was opened."""
    import c2pa

    opened = has_manifest(picture, media_type)
    actions = [] if opened else [{"label": "c2pa.actions.v2", "data": {"actions": [CREATED]}}]
    manifest = {
        "claim_generator_info": [{"name": "tiacam", "version": __version__}],
        "title": title,
        "format": media_type,
        "assertions": [*actions, binding.to_assertion()],
    }
    target = io.BytesIO()
    try:
        info = c2pa.C2paSignerInfo(identity.algorithm, identity.chain, identity.private_key, None)
        with c2pa.Signer.from_info(info) as signer, c2pa.Builder(json.dumps(manifest), context()) as builder:
            if opened:  # the picture before becomes the parent, with an action that says so
                builder.set_intent(c2pa.C2paBuilderIntent.EDIT)
            store = builder.sign(signer, media_type, io.BytesIO(picture), target)
    except (c2pa.C2paError, ValueError) as error:
        raise DataError(f"the manifest cannot be signed: {error}") from error
    return Signed(target.getvalue(), bytes(store))


def has_manifest(picture: bytes, media_type: str) -> bool:
    import c2pa

    try:
        with c2pa.Reader(media_type, io.BytesIO(picture), context=context()):
            return True
    except c2pa.C2paError.ManifestNotFound:
        return False
    except c2pa.C2paError as error:
        raise DataError(f"the manifest that the picture has already cannot be read: {error}") from error


def assess(manifest: bytes, photo: bytes, media_type: str) -> ManifestState:
    """Check the manifest store against the photo's file; nothing is fetched from anywhere."""
    import c2pa

    try:
        with c2pa.Reader(media_type, io.BytesIO(photo), manifest, context()) as reader:
            found = json.loads(reader.json())
    except (c2pa.C2paError, ValueError) as error:
        return ManifestState(False, False, False, None, (), (f"unreadable: {type(error).__name__}",))
    codes = {status["code"] for status in found.get("validation_status", [])}
    problems = sorted(code for code in codes if code not in TRUST and not code.startswith(HARD_BINDINGS))
    active = found["manifests"][found["active_manifest"]]
    return ManifestState(
        valid=not problems,
        trusted=not codes & set(TRUST),
        hard_binding=not any(code.startswith(HARD_BINDINGS) for code in codes),
        signer=active.get("signature_info", {}).get("issuer"),
        bindings=tuple(bindings_in(active.get("assertions", []))),
        problems=tuple(problems),
    )


def bindings_in(assertions: list[dict[str, Any]]) -> Iterator[Binding]:
    """The soft bindings among a manifest's assertions; what is malformed claims nothing."""
    for assertion in assertions:
        if not str(assertion.get("label", "")).startswith("c2pa.soft-binding"):
            continue
        with suppress(KeyError, TypeError, ValueError):
            data = assertion["data"]
            for block in data["blocks"]:
                yield Binding(str(data["alg"]), base64.b64decode(block["value"], validate=True))


@cache
def context() -> Any:
    import c2pa

    return c2pa.Context(c2pa.Settings.from_dict(SETTINGS))
