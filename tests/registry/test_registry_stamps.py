"""Time stamps: asked from a real authority on loopback (openssl's), kept with a tree head, and checked offline."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from registry_samples import KEY, fill

import tiacam
from tiacam.cli import main
from tiacam.errors import DamagedRegistryError, RegistryUnavailableError, UsageError
from tiacam.registry import Registry, TreeHead
from tiacam.registry.log import request_stamp, verify_stamp

PICTURES = Path(tiacam.__file__).parent / "cli" / "pictures"
CONFIGURATION = """
[tsa]
default_tsa = here
[here]
serial = {folder}/serial
signer_cert = {folder}/signer.pem
signer_key = {folder}/signer.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha384, sha512
ess_cert_id_alg = sha256
"""


def make_certificate(
    name: str,
    issuer: x509.Certificate | None,
    signer: ec.EllipticCurvePrivateKey,
    key: ec.EllipticCurvePrivateKey,
) -> x509.Certificate:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.now(UTC) - timedelta(days=1))
        .not_valid_after(datetime.now(UTC) + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False
        )
    )
    if issuer:
        usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
        builder = builder.add_extension(usage, critical=True)
    return builder.sign(signer, hashes.SHA256())


class Authority(BaseHTTPRequestHandler):
    """Answers time-stamp queries with `openssl ts`."""

    folder: Path

    def do_POST(self) -> None:
        (self.folder / "query").write_bytes(self.rfile.read(int(self.headers["Content-Length"])))
        command = ["openssl", "ts", "-reply", "-config", "tsa.cnf", "-queryfile", "query"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, check=False)
        self.send_response(200 if done.returncode == 0 else 500)
        self.end_headers()
        self.wfile.write(done.stdout)

    def log_message(self, *values: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> tuple[x509.Certificate, Path]:
    folder = tmp_path_factory.mktemp("authority")
    root_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    root = make_certificate("Test root", None, root_key, root_key)
    signer = make_certificate("Test authority", root, root_key, key)
    pem = serialization.Encoding.PEM
    (folder / "root.pem").write_bytes(root.public_bytes(pem))
    (folder / "signer.pem").write_bytes(signer.public_bytes(pem))
    (folder / "signer.key").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    (folder / "serial").write_text("01\n")
    (folder / "tsa.cnf").write_text(CONFIGURATION.format(folder=folder))
    return root, folder


@pytest.fixture(scope="module")
def authority(root: tuple[x509.Certificate, Path]) -> Iterator[str]:
    if not shutil.which("openssl"):
        pytest.skip("there is no openssl here to be the authority")
    server = HTTPServer(("127.0.0.1", 0), type("Here", (Authority,), {"folder": root[1]}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture
def head(authority: str, tmp_path: Path) -> TreeHead:
    fill(tmp_path / "registry.sqlite", 3)
    with Registry.open(tmp_path / "registry.sqlite") as registry:
        return registry.log.sign_head(KEY, partial(request_stamp, authority))


def test_a_stamped_tree_head_tells_its_time_to_whoever_trusts_the_authority(
    head: TreeHead, root: tuple[x509.Certificate, Path], tmp_path: Path
) -> None:
    with Registry.open(tmp_path / "registry.sqlite") as registry:
        (kept,) = registry.log.heads()
        assert registry.verify_chain().tree_heads == 1
    assert kept == head
    time = verify_stamp(kept.stamp, kept.signed_bytes(), [root[0]])
    assert abs(time - datetime.now(UTC)) < timedelta(minutes=1)


def test_a_stamp_holds_for_its_own_head_only(head: TreeHead, root: tuple[x509.Certificate, Path]) -> None:
    other = TreeHead(**vars(head) | {"size": 2}).signed(KEY)
    with pytest.raises(DamagedRegistryError, match="does not verify"):
        verify_stamp(head.stamp, other.signed_bytes(), [root[0]])


def test_an_authority_that_nobody_trusts_is_refused(head: TreeHead) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    with pytest.raises(DamagedRegistryError):
        verify_stamp(head.stamp, head.signed_bytes(), [make_certificate("Another", None, key, key)])


def test_the_command_asks_for_a_stamp_and_checks_it_in_a_proof_without_the_registry(
    authority: str, root: tuple[x509.Certificate, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    registry, proof = str(tmp_path / "r.tiacam"), str(tmp_path / "proof.json")
    assert main(["register", str(PICTURES / "coffee.jpg"), "--message", "m", "--registry", registry]) == 0
    record_id = capsys.readouterr().out.partition("registered as ")[2].split()[0]
    assert main(["audit", "--sign", "--stamp", authority, "--registry", registry]) == 0
    assert main(["prove", record_id, "--out", proof, "--registry", registry]) == 0
    capsys.readouterr()
    assert main(["audit", "--proof", proof, "--roots", str(root[1] / "root.pem")]) == 0
    assert f"stamped at {datetime.now(UTC):%Y-%m-%d}" in capsys.readouterr().out
    (tmp_path / "other.pem").write_bytes((root[1] / "signer.pem").read_bytes())
    assert main(["audit", "--proof", proof, "--roots", str(tmp_path / "other.pem")]) == 1


def test_a_reply_that_is_no_stamp_is_refused(root: tuple[x509.Certificate, Path]) -> None:
    with pytest.raises(DamagedRegistryError):
        verify_stamp(b"no stamp", b"data", [root[0]])


def test_an_authority_that_does_not_answer_is_named() -> None:
    with pytest.raises(RegistryUnavailableError, match=r"127\.0\.0\.1:9"):
        request_stamp("http://127.0.0.1:9/", b"data")
    with pytest.raises(UsageError, match="wanted an http"):
        request_stamp("file:///etc/passwd", b"data")
