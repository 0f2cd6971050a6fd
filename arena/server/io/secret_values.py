"""The only module with secrets: dice seeds, tokens, and comparison in constant time."""

import hashlib
import secrets

from arena.records.dice import SEED_BYTES


def new_dice_key() -> bytes:
    """A fresh secret of a run, from the operating system; the seeds of its dice are made from it."""
    return secrets.token_bytes(SEED_BYTES)


def dice_seed(dice_key: bytes, fixture: str, attempt: int) -> bytes:
    """The dice seed of an attempt, 32 bytes: keyed BLAKE2b (RFC 7693), so that a revealed seed does not reveal the key.

    The dice key is the only secret that a resumed run needs for its dice. It is written once,
    before the first match.
    """
    return hashlib.blake2b(
        f"{fixture}|{attempt}".encode(),
        key=dice_key,
        digest_size=SEED_BYTES,
    ).digest()


def new_token() -> str:
    """A fresh token or key, 256 bits in hexadecimal, which cannot be mistaken for a command-line option."""
    return secrets.token_hex(32)


_LOGIN_KEY = secrets.token_bytes(32)
"""Nobody else can make a `login_digest`, or tell anything from how it compares with others."""


def login_digest(name: str, token: str) -> bytes:
    """Return what a login is found by.

    The time it takes depends on the length of what was given alone.
    """
    return hashlib.blake2b(f"{name}\0{token}".encode(), key=_LOGIN_KEY, digest_size=32).digest()


def new_nonce() -> bytes:
    """16 bytes that no other connection gets."""
    return secrets.token_bytes(16)


def is_token(given: str, expected: str) -> bool:
    """Return whether a token is the expected one; the time taken does not depend on where they differ."""
    return secrets.compare_digest(given.encode(), expected.encode())
