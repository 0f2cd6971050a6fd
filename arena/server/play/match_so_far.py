"""The progress of a match for those who wait for its end: the games that are over, and the end."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable

import trio

from arena.matches.facts import GameEnded, MatchEnded, MatchFact, MatchVoided


class MatchSoFar:
    """Kept by the table of the match."""

    __slots__ = ("_over", "end", "games", "on_game_over")

    def __init__(self) -> None:
        self.games: list[GameEnded] = []
        """The games that are over, in the order of their numbers."""
        self.end: MatchEnded | MatchVoided | None = None
        """How the match ended, once it has."""
        self.on_game_over: Callable[[], object] | None = None
        """Told when a game is over, before it is known whether the match is."""
        self._over = trio.Event()

    def add(self, games: Iterable[GameEnded]) -> None:
        """These games are over."""
        for game in games:
            insort(self.games, game, key=lambda ended: ended.game)
        if self.on_game_over is not None:
            self.on_game_over()

    def replace(self, facts: Iterable[MatchFact]) -> MatchEnded | MatchVoided:
        """Take these facts in place of all that was told; returns the end of the match, which is among them."""
        games = [fact for fact in facts if isinstance(fact, GameEnded)]
        self.games = sorted(games, key=lambda ended: ended.game)
        [self.end] = [fact for fact in facts if isinstance(fact, MatchEnded | MatchVoided)]
        return self.end

    @property
    def is_told(self) -> bool:
        """True once those who wait for the end know it."""
        return self._over.is_set()

    def tell(self) -> None:
        """The match is over, and its table cleared."""
        self._over.set()

    async def over(self) -> MatchEnded | MatchVoided | None:
        """Wait for the end of the match; gives how it ended, or None if it was given up."""
        await self._over.wait()
        return self.end
