"""The only module with secrets: dice seeds, tokens, and comparison in constant time."""

import hashlib
import secrets

from arena.records.dice import SEED_BYTES


def new_dice_key() -> bytes:
    """Return a fresh secret of a run, from the operating system; dice seeds are made from it."""
    return secrets.token_bytes(SEED_BYTES)


def dice_seed(dice_key: bytes, fixture: str, attempt: int) -> bytes:
    """Return the dice seed of an attempt, 32 bytes.

    It is made by keyed BLAKE2b (RFC 7693), so that a revealed seed does not reveal the key. The
    dice key is the only secret that a resumed run needs for its dice. It is written once, before
    the first match.
    """
    name = f"{fixture}|{attempt}".encode()
    digest = hashlib.blake2b(name, key=dice_key, digest_size=SEED_BYTES)
    return digest.digest()


def new_token() -> str:
    """Return a fresh token or key: 256 bits in hexadecimal, never like a command-line option."""
    return secrets.token_hex(32)


def new_invite() -> str:
    """Return a fresh code by which a bot may join: 128 bits in hexadecimal."""
    return secrets.token_hex(16)


def sha256_of(secret: str) -> str:
    """Return the SHA-256 of a token or a code, by which it is kept.

    Both have so many random bits that no slow hash is needed.
    """
    return hashlib.sha256(secret.encode()).hexdigest()


_LOGIN_KEY = secrets.token_bytes(32)
"""Without it no program can make a `login_digest`, or learn anything from how digests compare."""


def login_digest(name: str, token_sha256: str) -> bytes:
    """Return the digest by which a login is looked up.

    The time it takes depends on the length of the name alone.
    """
    login = f"{name}\0{token_sha256}".encode()
    digest = hashlib.blake2b(login, key=_LOGIN_KEY, digest_size=32)
    return digest.digest()


def new_nonce() -> bytes:
    """Return 16 bytes that no other connection gets."""
    return secrets.token_bytes(16)


def is_token(token: str, expected: str) -> bool:
    """Return whether a token is the expected one; its time tells nothing of where they differ."""
    return secrets.compare_digest(token.encode(), expected.encode())
