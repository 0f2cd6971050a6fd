"""The number of a pairing: from the key of the day, the record so far and who was free."""

import hashlib
import hmac
from collections.abc import Iterable
from typing import Final

BITS: Final = 53
"""So many bits every program that knows JSON reads exactly."""


def commitment_of_key(key: bytes) -> str:
    """Return the SHA-256 of the key of a day, in hexadecimal."""
    return hashlib.sha256(key).hexdigest()


def digest_of_free(free: Iterable[str]) -> str:
    """Return the SHA-256 of the entrants that are free: sorted, a line feed after each."""
    lines = "".join(f"{entrant}\n" for entrant in sorted(free))
    return hashlib.sha256(lines.encode()).hexdigest()


def drawn_number(key: bytes, head: str, free: int, free_sha256: str) -> int:
    """Return the number of a pairing: the first bits of an HMAC-SHA256.

    `head` is the SHA-256 of all lines of the record before the pairing, in hexadecimal.
    """
    text = f"brade-pairing-1|{head}|{free}|{free_sha256}"
    digest = hmac.digest(key, text.encode(), "sha256")
    return int.from_bytes(digest[:8]) >> (64 - BITS)
