"""The only module with secrets: dice seeds, tokens, and comparison in constant time."""

import hashlib
import secrets

from arena.records.dice import SEED_BYTES


def new_dice_key() -> bytes:
    """A fresh secret of a run, from the operating system; the seeds of its dice are made from it."""
    return secrets.token_bytes(SEED_BYTES)


def dice_seed(dice_key: bytes, fixture: str, attempt: int) -> bytes:
    """The dice seed of an attempt, 32 bytes: keyed BLAKE2b (RFC 7693), so that a revealed seed does not reveal the key.

    The dice key is the only secret that a resumed run needs for its dice. It is written once, before the first match.
    """
    return hashlib.blake2b(f"{fixture}|{attempt}".encode(), key=dice_key, digest_size=SEED_BYTES).digest()


def new_token() -> str:
    """A fresh token or key, 256 bits in hexadecimal, which cannot be mistaken for a command-line option."""
    return secrets.token_hex(32)


def new_nonce() -> bytes:
    """16 bytes that no other connection gets."""
    return secrets.token_bytes(16)


def is_token(given: str, expected: str) -> bool:
    """Return whether a token is the expected one; the time taken does not depend on where they differ."""
    return secrets.compare_digest(given.encode(), expected.encode())
