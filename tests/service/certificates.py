"""A certificate authority of our own and a signer's certificate of the form that C2PA asks for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

PEM = serialization.Encoding.PEM


@dataclass(frozen=True)
class Certificates:
    """Files in PEM: the chain, the signer first, and the signer's private key."""

    chain: Path
    private_key: Path


def make_certificates(folder: Path) -> Certificates:
    root_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    root = certify("root", root_key, "root", root_key, authority=True)
    leaf = certify("signer", key, "root", root_key, authority=False)
    files = Certificates(folder / "chain.pem", folder / "key.pem")
    files.chain.write_bytes(leaf.public_bytes(PEM) + root.public_bytes(PEM))
    plain = serialization.NoEncryption()
    files.private_key.write_bytes(key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, plain))
    return files


def name_of(common: str) -> x509.Name:
    organisation = x509.NameAttribute(NameOID.ORGANIZATION_NAME, "A museum")
    return x509.Name([organisation, x509.NameAttribute(NameOID.COMMON_NAME, common)])


def certify(
    subject: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: str,
    issuer_key: ec.EllipticCurvePrivateKey,
    *,
    authority: bool,
) -> x509.Certificate:
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(name_of(subject))
        .issuer_name(name_of(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=30))
        .add_extension(x509.BasicConstraints(authority, None), critical=True)
        .add_extension(usage(authority), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False
        )
    )
    if not authority:
        purpose = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.EMAIL_PROTECTION])
        builder = builder.add_extension(purpose, critical=True)
    return builder.sign(issuer_key, hashes.SHA256())


def usage(authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=authority,
        crl_sign=authority,
        encipher_only=False,
        decipher_only=False,
    )
