"""A batch: the fixtures that a worker is given to play, with what it has to know, and the agenda it makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from arena.matches.facts import MatchEnded, MatchOpened, MatchVoided
from arena.records.facts import GameSummary, Way, result_of
from arena.server.io.clock import Clock
from arena.server.run.resume import UnderWay, take_up
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import Plan
from arena.tournaments.results import decide_match
from arena.tournaments.schedule import Fixture, parse_fixture


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An attempt that was issued and is to be played."""

    opened: MatchOpened
    seed: bytes = field(repr=False)
    """Of the dice of this attempt alone: all that a worker learns of the secrets of the run."""
    goes_on: bool
    """Whether its record was begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What a worker is to play, and how."""

    plan: Plan
    directory: Path
    """Where commands of bots run."""
    run: Path
    """The run folder on the arena's machine, with the secrets of the run: no bot may see it."""
    orders: tuple[Order, ...]
    server: str
    """Which arena it comes from, with its version; the worker's must be the same."""

    @property
    def fixtures(self) -> list[str]:
        """In the order of play."""
        return [order.opened.match for order in self.orders]

    def __repr__(self) -> str:
        """Show the fixtures alone: programs that log what they were called with shall not log commands and seeds."""
        return f"Batch({', '.join(self.fixtures)})"


class BatchAgenda:
    """The agenda of a worker. The tournament is the arena's: a void attempt is over for the worker as well."""

    def __init__(self, batch: Batch, folder: RunFolder, clock: Clock) -> None:
        """`folder` holds the records of attempts that go on. Raises `RecordError` if one is not in order."""
        clock.catch_up(max(order.opened.at_ms for order in batch.orders))  # which another machine may have written
        self._clock = clock
        self._plan = batch.plan
        self._orders = {order.opened.match: order for order in batch.orders}
        self._done: set[str] = set()
        self.contained: dict[str, Way] = {}
        """How launched bots are contained here, for the arena."""
        self.under_way: dict[str, UnderWay] = {}
        for order in batch.orders:
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
        """Nobody, as far as a worker is concerned: what was issued is played."""
        return 0

    def is_barred(self, fixture: Fixture) -> bool:  # noqa: ARG002 - the arena knows who is
        """Never: what was issued is played."""
        return False

    def is_decided(self, fixture: Fixture) -> bool:
        """Whether the attempt is over."""
        return fixture.id in self._done

    def contain(self, bots: Mapping[str, Way]) -> None:
        """Keep for the arena how launched bots are contained here."""
        self.contained |= bots

    async def next_to_play(self) -> list[Fixture]:
        """What is neither over nor under way, in order."""
        return [parse_fixture(name) for name in self._orders if name not in self._done | self.under_way.keys()]

    async def issue(self, fixture: Fixture) -> tuple[MatchOpened, bytes]:
        """Give the header of the match record, of this moment, and the seed of the dice, as they came with the batch.

        The time to start up is reckoned from the header: by our own clock, and from now, since the fixture may have
        waited for the batch to arrive and for those before it. The clock was set forward to when it was issued.
        """
        order = self._orders[fixture.id]
        return replace(order.opened, at_ms=self._clock.now_ms()), order.seed

    def tell_games(self, fixture: str, games: int) -> None:
        """Nobody: the arena hears of a match when the batch is back."""

    async def conclude(
        self,
        fixture: str,
        attempt: int,  # noqa: ARG002 - there is one
        games: Sequence[GameSummary],
        end: MatchEnded | MatchVoided,
    ) -> str | None:
        """The attempt is over; gives the winner. The arena reads the result from the record."""
        self._done.add(fixture)
        if isinstance(end, MatchVoided):
            return None
        return decide_match(result_of(fixture, games), self._plan.best_game).winner
