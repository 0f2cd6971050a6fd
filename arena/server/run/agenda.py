"""Agenda of a scheduler: which fixtures there are, and where their results go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from arena.games.result import Result
from arena.matches.facts import MatchEnded, MatchOpened, MatchVoided
from arena.records.facts import Way
from arena.server.run.resume import UnderWay
from arena.tournaments.schedule import Fixture


class Agenda(Protocol):
    """The tournament_log of a whole tournament, or the chunk of fixtures that a worker was given."""

    under_way: dict[str, UnderWay]
    """Attempts of an earlier run that go on, by fixture, in the order in which they were issued."""

    @property
    def builds(self) -> dict[str, str]:
        """The fingerprints of the bots that play in the attempts under way, by entrant."""
        ...

    @property
    def withdrawn(self) -> int:
        """Number of entrants that were withdrawn."""
        ...

    def is_decided(self, fixture: Fixture) -> bool:
        """Return whether no further attempt at the fixture will be played."""
        ...

    def is_barred(self, fixture: Fixture) -> bool:
        """Return whether one of its entrants was withdrawn."""
        ...

    def contain(self, bots: Mapping[str, Way]) -> None:
        """Record how launched bots are contained, by entrant, before any is launched."""
        ...

    async def next_to_play(self) -> list[Fixture]:
        """The fixtures that can be played now and are not under way, in order; None at the end.

        Call it while nothing is played.
        """
        ...

    async def issue(self, fixture: Fixture) -> tuple[MatchOpened, bytes]:
        """Begin another attempt at a fixture; returns the header of its match record, and the seed of its dice."""
        ...

    def tell_games(self, fixture: str, games: int) -> None:
        """Take how many games are over in a match that is being played."""
        ...

    async def conclude(
        self, fixture: str, attempt: int, games: Sequence[Result], end: MatchEnded | MatchVoided
    ) -> str | None:
        """Record an attempt whose match record is sealed; returns the winner of the match."""
        ...
