"""The only module with secrets: dice seeds, tokens, and comparing them without telling how much was right."""

from __future__ import annotations

import secrets

from arena.records.dice import SEED_BYTES


def new_seed() -> bytes:
    """A fresh dice seed from the operating system."""
    return secrets.token_bytes(SEED_BYTES)


def new_token() -> str:
    """A fresh token or key, 256 bits, safe in an environment variable."""
    return secrets.token_urlsafe(32)


def new_nonce() -> bytes:
    """16 bytes that no other connection gets."""
    return secrets.token_bytes(16)


def is_token(given: str, expected: str) -> bool:
    """Whether a token is the expected one, in a time that does not depend on where they differ."""
    return secrets.compare_digest(given.encode(), expected.encode())
