"""What viewers may know of a duplicate pair: nothing of a step before both halves have it.

A bot that thinks about a step of one half could else look up, on the pages, what its opponent has played in the other
half. The arena writes every line at once, and nothing is written later for this: it follows from the lines alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from math import inf

from arena.matches.facts import (
    DrawAgreed,
    FactOfTurn,
    FlagFell,
    GameEnded,
    MatchEnded,
    MatchOpened,
    MatchVoided,
    TurnPlayed,
    TurnRejected,
)
from arena.matches.state import pair_of
from arena.records.facts import MatchLine


class InStep:
    """The lines of a match record in their order, each as soon as viewers may know it.

    A fact of a step waits until the other half has finished this step, or is over, and later lines wait behind it. In
    a series nothing waits.
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[str, MatchLine]] = deque()
        self._is_pairs = False
        self._finished: dict[int, float] = {}
        """The last step that each half has finished; no end of steps once it is over."""

    def take(self, key: str, fact: MatchLine) -> Iterator[tuple[str, MatchLine]]:
        """The next line, with its key; gives every line that may be known now."""
        if isinstance(fact, MatchOpened | MatchEnded | MatchVoided):
            yield from self._waiting  # the attempt is over
            self._waiting.clear()
            self._finished.clear()
            self._is_pairs = isinstance(fact, MatchOpened) and fact.terms.form == "pairs"
        self._waiting.append((key, fact))
        if isinstance(fact, GameEnded):
            self._finished[fact.game] = inf
        elif isinstance(fact, TurnPlayed | DrawAgreed | FlagFell) or (isinstance(fact, TurnRejected) and fact.left < 0):
            self._finished[fact.game] = fact.turn
        while self._waiting and self._may_be_known(self._waiting[0][1]):
            yield self._waiting.popleft()

    def _may_be_known(self, fact: MatchLine) -> bool:
        if not (self._is_pairs and isinstance(fact, FactOfTurn)):
            return True
        first = 2 * pair_of(fact.game) - 1
        return self._finished.get(first if fact.game != first else first + 1, 0) >= fact.turn
