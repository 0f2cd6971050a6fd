"""A certificate for the tests of TLS, and clients that trust it; made once per run by an authority of our own."""

from __future__ import annotations

import ssl
from functools import cache
from pathlib import Path

import trustme

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
