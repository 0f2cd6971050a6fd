"""Ed25519 keys: that of the operator, and the signatures of all; the only module of the arena that knows them."""

from __future__ import annotations

import os
from pathlib import Path

from protocol.client.receipts import KeyFileError, read_key


class Signer:
    """The operator's key."""

    def __init__(self, path: Path, run: Path) -> None:
        """Read it; `run` is the run folder, in which it may not lie. Raises `KeyFileError`."""
        if path.resolve().is_relative_to(run.resolve()):
            raise KeyFileError(f"{path} lies in the run folder, which is to be published; move the key elsewhere")
        self._key = read_key(path)
        if path.stat().st_mode & 0o077:
            raise KeyFileError(f"{path} can be read by others than its owner; type: chmod 600 {path}")
        self.public_key = self._key.public_key().public_bytes_raw().hex()
        """In hexadecimal, to be published."""

    def sign(self, text: bytes) -> str:
        """The signature in hexadecimal."""
        return self._key.sign(text).hex()


def new_key(path: Path) -> str:
    """Make a key in a file of its own that only its owner can read; gives the public key. Raises `KeyFileError`."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = Ed25519PrivateKey.generate()
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise KeyFileError(f"{path} is there already; a key is never overwritten, choose another name") from None
    except OSError as error:
        raise KeyFileError(f"{path} cannot be written: {error.strerror}; choose a folder of your own") from None
    with os.fdopen(file, "wb") as pem:
        pem.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return key.public_key().public_bytes_raw().hex()


def public_key_of(path: Path) -> str:
    """The public key of a key file, in hexadecimal. Raises `KeyFileError`."""
    return read_key(path).public_key().public_bytes_raw().hex()


def is_signed(public_key: str, text: bytes, signature: str) -> bool:
    """Return whether a signature, in hexadecimal as the key, is that of a text."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key)).verify(bytes.fromhex(signature), text)
    except (InvalidSignature, ValueError):
        return False
    return True
