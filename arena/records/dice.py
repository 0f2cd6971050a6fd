"""Verifiable dice: every roll of a fixture follows from a seed that was committed to beforehand (docs/dice.md).

The only module that computes dice; where the seed comes from is the shell's business.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from itertools import count

SEED_BYTES = 32


def commitment(seed: bytes) -> str:
    """SHA-256 of the seed in hexadecimal, made known before either bot gives its entropy."""
    return hashlib.sha256(seed).hexdigest()


def dice_stream(seed: bytes, *, fixture: str, attempt: int, game: int, entropies: tuple[bytes, bytes]) -> Iterator[int]:
    """The endless dice (1..6) of one game: HMAC-SHA256 in counter mode, bytes of 252 and more skipped.

    `attempt` and `game` count from 1; `entropies` are what the bots at seats 1 and 2 gave, 0-32 bytes each.
    """
    start = f"brade-dice-1|{fixture}|{attempt}|{game}|{entropies[0].hex()}|{entropies[1].hex()}|"
    for block in count():
        for byte in hmac.digest(seed, f"{start}{block}".encode(), "sha256"):
            if byte < 252:  # 252 = 42 * 6: every face is equally likely below it
                yield byte % 6 + 1
