"""Verifiable dice: every roll of a fixture follows from a seed that was committed to beforehand (docs/dice.md).

The only module that computes dice; where the seed comes from is the shell's business.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from itertools import count, islice

from arena.matches.facts import Pair
from arena.matches.state import MatchState

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


class Dealer:
    """Deals the dice of one attempt at a fixture as the match machine asks for them."""

    def __init__(self, state: MatchState, seed: bytes) -> None:
        """Both bots must have been ready: their entropies are part of the dice."""
        one, two = state.ready
        assert one is not None, "dice are rolled after both bots were ready"
        assert two is not None, "dice are rolled after both bots were ready"
        self._entropies = (bytes.fromhex(one.entropy), bytes.fromhex(two.entropy))
        self._opened = state.opened
        self._seed = seed
        self._streams: dict[int, Iterator[int]] = {}

    def throw(self, game: int) -> Pair:
        """The next throw for the start of a game: a die for each seat (B2.1)."""
        stream = self._streams.get(game) or self._begin(game)
        return next(stream), next(stream)

    def roll(self, game: int, dice: int) -> tuple[int, ...]:
        """So many dice for the side to move in a game."""
        stream = self._streams.get(game) or self._begin(game)
        return (next(stream), next(stream)) if dice == 2 else tuple(islice(stream, dice))

    def forget(self, game: int) -> None:
        """A game is over."""
        self._streams.pop(game, None)

    def _begin(self, game: int) -> Iterator[int]:
        opened = self._opened
        stream = dice_stream(
            self._seed, fixture=opened.match, attempt=opened.attempt, game=game, entropies=self._entropies
        )
        self._streams[game] = stream
        return stream
