"""Certificates for the tests of TLS, and clients that trust them; made once per run."""

from __future__ import annotations

import datetime as dt
import ssl
from functools import cache
from pathlib import Path

import trustme
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

HOST = "localhost"


@cache
def authority() -> trustme.CA:
    return trustme.CA()


@cache
def _issued() -> trustme.LeafCert:
    return authority().issue_cert(HOST, "127.0.0.1")


@cache
def client() -> ssl.SSLContext:
    """The TLS context of a bot that trusts the authority."""
    context = ssl.create_default_context()
    authority().configure_trust(context)
    return context


@cache
def server() -> ssl.SSLContext:
    """The TLS context of an arena with the certificate."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    _issued().configure_cert(context)
    return context


def write_files(folder: Path) -> tuple[Path, Path, Path]:
    """PEM files: certificate, its key, and the authority for bots to trust."""
    certificate, key, ca = folder / "arena.pem", folder / "arena.key", folder / "ca.pem"
    certificate.write_bytes(b"".join(blob.bytes() for blob in _issued().cert_chain_pems))
    key.touch(mode=0o600)
    key.write_bytes(_issued().private_key_pem.bytes())
    authority().cert_pem.write_to_path(ca)
    return certificate, key, ca


def another_key() -> bytes:
    """A key that is not the arena's."""
    return authority().issue_cert(HOST).private_key_pem.bytes()


def write_self_made(folder: Path) -> tuple[Path, Path]:
    """Write `arena.pem` and `arena.key` as docs/your-first-tournament.md makes them.

    The certificate is for the name `localhost`, and for no address.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "arena")])
    now = dt.datetime.now(dt.UTC)
    day = dt.timedelta(days=1)
    usage = dict.fromkeys(
        (
            "content_commitment",
            "key_encipherment",
            "data_encipherment",
            "key_agreement",
            "crl_sign",
        ),
        False,
    )
    builder = (
        x509.CertificateBuilder(issuer_name=name, subject_name=name, public_key=key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - day)
        .not_valid_after(now + day)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(
            x509.KeyUsage(
                digital_signature=True,
                key_cert_sign=True,
                encipher_only=False,
                decipher_only=False,
                **usage,
            ),
            critical=True,
        )
    )
    certificate, key_file = folder / "arena.pem", folder / "arena.key"
    certificate.write_bytes(builder.sign(key, SHA256()).public_bytes(Encoding.PEM))
    key_file.touch(mode=0o600)
    key_file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return certificate, key_file
