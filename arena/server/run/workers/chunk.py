"""A chunk: fixtures for a worker, with all that it has to know, and its answer."""

import concurrent.futures
import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

import trio
from msgspec.structs import replace

from arena.games.result import Result
from arena.matches.facts import MatchEnded, MatchOpened, MatchVoided
from arena.records.facts import Way, result_of
from arena.server.io.clock import RunClock
from arena.server.io.operator_log import Event
from arena.server.run.resume import UnderWay, take_up
from arena.server.run.tournament_log import BotThinks, Progressed, TellProgress
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import Plan
from arena.tournaments.results import decide_match
from arena.tournaments.schedule import Fixture, parse_fixture
from arena.tournaments.waiting import WaitingFixtures
from arena.words import SaidError

TELL_MS: Final = 1000
"""How long a worker says nothing of a match before it tells how many games are over; it never tells
of short ones."""


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class Order:
    """An attempt that was issued and has to be played."""

    opened: MatchOpened
    seed: bytes = field(repr=False)
    """The dice seed of this attempt: the only secret of the run that a worker learns."""
    goes_on: bool
    """True if its record has been started."""


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class Chunk:
    """Chunk of work: what a worker is to play, and how."""

    plan: Plan
    directory: Path
    """Where commands of bots run."""
    run: Path
    """The run folder on the arena's machine."""
    hidden: tuple[Path, ...]
    """Places that no bot may see, also where a worker plays in a folder of its own: the worker may
    be on the arena's machine."""
    orders: tuple[Order, ...]
    server: str
    """The arena it comes from, with its version; the worker's must be the same."""

    @property
    def fixtures(self) -> list[str]:
        """The ids of its fixtures, in the order of play."""
        return [order.opened.match for order in self.orders]

    def __repr__(self) -> str:
        """Show the fixtures alone: programs that log arguments must not log commands and seeds."""
        return f"Chunk({', '.join(self.fixtures)})"


class WorkerLost(SaidError):  # noqa: N818 - it is no error but what happens to workers
    """A worker is gone that had a chunk; what it had not finished is to be played by another."""


class WorkerError(SaidError):
    """The run cannot go on with these workers; says what is wrong where, and what to do."""


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class Done:
    """Answer to a chunk that was played, or called off; results stand in the records alone."""

    said: tuple[Event, ...]
    """For the operator: the events of the worker's log, and those about its machine."""
    contained: Mapping[str, Way]
    """The kind of containment of launched bots, by entrant."""
    kept: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    """Files that are not in the run folder yet, by their name in it."""


class Crew(Protocol):
    """Workers that play chunks."""

    @property
    def size(self) -> int:
        """Number of chunks that may be out at the same time."""

    async def play(self, chunk: Chunk, folder: RunFolder, tell: TellProgress) -> Done:
        """Have a chunk played for the run in this folder. Raises `WorkerLost` and `WorkerError`.

        `tell` is called for long matches and long thoughts, if the workers can.
        """

    def call_off(self) -> None:
        """Have all workers finish the turns in play and give their chunks back."""


class ChunkAgenda:
    """The agenda of a worker.

    The tournament is the arena's: a void attempt is over for the worker as well.
    """

    has_more = False
    look_again_s = math.inf

    def __init__(
        self,
        chunk: Chunk,
        folder: RunFolder,
        clock: RunClock,
        tell: TellProgress,
    ) -> None:
        """`folder` holds the records of attempts that go on.

        Raises `RecordError` if one is damaged.
        """
        self._tell = tell
        self._told_ms: dict[str, int] = {}
        """When something was last told of a match; at first when the match began."""
        # Another machine may have written the time of an order.
        clock.catch_up(max(order.opened.at_ms for order in chunk.orders))
        self._clock = clock
        self._plan = chunk.plan
        self._orders = {order.opened.match: order for order in chunk.orders}
        self._done: set[str] = set()
        self.contained: dict[str, Way] = {}
        """How launched bots are contained here, for the arena."""
        self.under_way: dict[str, UnderWay] = {}
        for order in chunk.orders:
            if order.goes_on:
                attempt = take_up(folder, order.opened, order.seed, clock)
                assert isinstance(attempt, UnderWay), "a complete record is settled by the arena"
                self.under_way[order.opened.match] = attempt
        self.waiting = WaitingFixtures()
        """The fixtures to play; attempts that go on come first."""
        new = [name for name in self._orders if name not in self.under_way]
        self.waiting.add(map(parse_fixture, (*self.under_way, *new)))

    def is_open(self, fixture: Fixture) -> bool:
        """Return whether the attempt has still to be played: a worker plays each fixture once."""
        return fixture.id not in self._done

    def contain(self, bots: Mapping[str, Way]) -> None:
        """Keep how launched bots are contained here, for the arena."""
        self.contained |= bots

    async def next(self, free: AbstractSet[str]) -> Fixture | None:
        """Take out the next fixture to play if these entrants are free; None if none is now."""
        return self.waiting.take(free)

    async def issue(self, fixture: Fixture) -> tuple[MatchOpened, bytes]:
        """Return the first line of the match record, and the dice seed of the attempt.

        The line has the present time, `at_ms`, from which the time for starting bots counts. The
        fixture may have waited before.
        """
        order = self._orders[fixture.id]
        now_ms = self._clock.now_ms()
        self._told_ms[fixture.id] = now_ms
        return replace(order.opened, at_ms=now_ms), order.seed

    def tell_progress(self, progressed: Progressed) -> None:
        """Tell the arena; of games once a second at most."""
        if isinstance(progressed, BotThinks):
            self._tell(progressed)
            return
        now_ms = self._clock.now_ms()
        told_ms = self._told_ms.setdefault(progressed.fixture, now_ms)
        if now_ms - told_ms >= TELL_MS:
            self._told_ms[progressed.fixture] = now_ms
            self._tell(progressed)

    async def conclude(
        self,
        fixture: str,
        attempt: int,  # noqa: ARG002 - there is one
        games: Sequence[Result],
        end: MatchEnded | MatchVoided,
    ) -> str | None:
        """Note that the attempt is over; returns the winner.

        The arena reads the result from the record.
        """
        self._done.add(fixture)
        if isinstance(end, MatchVoided):
            return None
        return decide_match(result_of(fixture, games), self._plan.best_game).winner


async def wait_done(future: concurrent.futures.Future[Any]) -> None:
    """Wait until the future of an executor is done; cancel it if the wait is cancelled."""
    done = trio.Event()
    token = trio.lowlevel.current_trio_token()

    def tell(_: object) -> None:
        with suppress(trio.RunFinishedError):  # the wait is over
            token.run_sync_soon(done.set)

    future.add_done_callback(tell)
    try:
        await done.wait()
    except BaseException:
        future.cancel()
        raise
