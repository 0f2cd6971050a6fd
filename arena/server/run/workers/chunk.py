"""A chunk: the fixtures that a worker is given to play, with what it has to know, and the agenda it makes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from arena.games.result import Result
from arena.matches.facts import MatchEnded, MatchOpened, MatchVoided
from arena.records.facts import Way, result_of
from arena.server.io.clock import Clock
from arena.server.run.resume import UnderWay, take_up
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import Plan
from arena.tournaments.results import decide_match
from arena.tournaments.schedule import Fixture, parse_fixture

TELL_MS: Final = 1000
"""How long a worker says nothing of a match before it tells how many games are over; it never tells of short ones."""

TellGames = Callable[[str, int], object]
"""Told now and then how many games of a fixture are over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An attempt that was issued and has to be played."""

    opened: MatchOpened
    seed: bytes = field(repr=False)
    """The dice seed of this attempt: the only secret of the run that a worker learns."""
    goes_on: bool
    """Whether its record has been begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Chunk of work: what a worker is to play, and how."""

    plan: Plan
    directory: Path
    """Where commands of bots run."""
    run: Path
    """The run folder on the arena's machine. It holds the secrets of the run: no bot may see it."""
    orders: tuple[Order, ...]
    server: str
    """The arena it comes from, with its version; the worker's must be the same."""

    @property
    def fixtures(self) -> list[str]:
        """In the order of play."""
        return [order.opened.match for order in self.orders]

    def __repr__(self) -> str:
        """Show the fixtures alone: programs that log what they were called with shall not log commands and seeds."""
        return f"Chunk({', '.join(self.fixtures)})"


class ChunkAgenda:
    """The agenda of a worker. The tournament is the arena's: a void attempt is over for the worker as well."""

    def __init__(self, chunk: Chunk, folder: RunFolder, clock: Clock, tell: TellGames) -> None:
        """`folder` holds the records of attempts that go on. Raises `RecordError` if one is not in order."""
        self._tell = tell
        self._told_ms: dict[str, int] = {}
        """When something was last told of a match; at first when it was begun."""
        clock.catch_up(max(order.opened.at_ms for order in chunk.orders))  # which another machine may have written
        self._clock = clock
        self._plan = chunk.plan
        self._orders = {order.opened.match: order for order in chunk.orders}
        self._done: set[str] = set()
        self.contained: dict[str, Way] = {}
        """How launched bots are contained here, for the arena."""
        self.under_way: dict[str, UnderWay] = {}
        for order in chunk.orders:
            if order.goes_on:
                found = take_up(folder, order.opened, order.seed, clock)
                assert isinstance(found, UnderWay), "a complete record is settled by the arena"
                self.under_way[order.opened.match] = found

    @property
    def builds(self) -> dict[str, str]:
        """The fingerprints of the bots that play in the attempts under way, by entrant."""
        return {name: build for attempt in self.under_way.values() for name, build in attempt.builds.items()}

    @property
    def withdrawn(self) -> int:
        """None: a worker plays everything it is given."""
        return 0

    def is_barred(self, fixture: Fixture) -> bool:  # noqa: ARG002 - the arena knows who is
        """Never: a worker plays everything it is given."""
        return False

    def is_decided(self, fixture: Fixture) -> bool:
        """Return whether the attempt is over."""
        return fixture.id in self._done

    def contain(self, bots: Mapping[str, Way]) -> None:
        """Keep how launched bots are contained here, for the arena."""
        self.contained |= bots

    async def next_to_play(self) -> list[Fixture]:
        """The fixtures that are neither over nor under way, in order."""
        return [parse_fixture(name) for name in self._orders if name not in self._done | self.under_way.keys()]

    async def issue(self, fixture: Fixture) -> tuple[MatchOpened, bytes]:
        """Return the header of the match record, with the present time, and the seed that came with the chunk.

        Start-up time counts from the header. It starts now and by our clock, since the fixture may have waited for the
        chunk to arrive and for others in it. The clock was set forward to when the fixture was issued.
        """
        order = self._orders[fixture.id]
        now_ms = self._told_ms[fixture.id] = self._clock.now_ms()
        return replace(order.opened, at_ms=now_ms), order.seed

    def tell_games(self, fixture: str, games: int) -> None:
        """Tell the arena once a second at most."""
        now_ms = self._clock.now_ms()
        if now_ms - self._told_ms.setdefault(fixture, now_ms) >= TELL_MS:
            self._told_ms[fixture] = now_ms
            self._tell(fixture, games)

    async def conclude(
        self,
        fixture: str,
        attempt: int,  # noqa: ARG002 - there is one
        games: Sequence[Result],
        end: MatchEnded | MatchVoided,
    ) -> str | None:
        """The attempt is over; returns the winner. The arena reads the result from the record."""
        self._done.add(fixture)
        if isinstance(end, MatchVoided):
            return None
        return decide_match(result_of(fixture, games), self._plan.best_game).winner
