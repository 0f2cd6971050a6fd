"""The dispatcher: it sends fixtures to workers in chunks, and takes results into the record."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import msgspec
import trio

from arena.server.io.operator_log import OF_THE_MACHINE, Show, sentence
from arena.server.run.tournament_log import GamesPlayed, TournamentLog
from arena.server.run.workers.chunk import Chunk, Crew, Done, Order, WorkerError, WorkerLost
from arena.server.venue.entrance import server_name
from arena.server.venue.venue import OpenRun
from arena.tournaments.schedule import Fixture
from arena.words import Said

CHUNK_SECONDS: Final = 3.0
"""About how long a chunk takes: long beside the milliseconds of sending it, short for those who
wait for results."""
MOST: Final = 64
"""Fixtures in a chunk, at most."""
TRIES: Final = 10
"""How often a match may come back unfinished before the run ends: the match may be what kills its
workers."""


class Dispatcher:
    """Plays a tournament with a crew.

    It reads results from match records, and writes the tournament record itself.
    """

    def __init__(
        self,
        run: OpenRun,
        tournament_log: TournamentLog,
        crew: Crew,
        show: Show,
    ) -> None:
        plan = run.plan
        self._at_once = plan.tournament.at_once or 1
        section = msgspec.structs.replace(plan.tournament, at_once=self._at_once)
        self._plan = msgspec.structs.replace(plan, tournament=section)
        self._run = run
        self._tournament_log = tournament_log
        self._crew = crew
        self._show = show
        self._entrants = frozenset(plan.entrants)
        self._out = 0
        """Number of chunks that workers have."""
        self._until_back = trio.lowlevel.ParkingLot()
        self._unfinished: Counter[str] = Counter()
        """Number of times that each fixture came back unfinished."""
        self._said: set[str] = set()
        self._played, self._seconds = 0, 0.0
        """Number of fixtures that came back, and the time that their chunks took."""

    async def play_all(self) -> None:
        """Go on with matches under way, and play the rest. Raises `WorkerError`."""
        async with trio.open_nursery() as nursery:
            while True:
                fixtures = []
                if self._out < max(1, self._crew.size):
                    fixtures = await self._take_chunk()
                if fixtures:
                    await self._run.draining.before_a_match()
                    self._out += 1
                    nursery.start_soon(self._play, fixtures)
                elif self._out:
                    await self._until_back.park()
                else:
                    break

    async def _take_chunk(self) -> list[Fixture]:
        """Take the next fixtures: enough to occupy a worker for `CHUNK_SECONDS`.

        Chunks get smaller towards the end, so that all workers end together.
        """
        first = await self._tournament_log.next(self._entrants)
        if first is None:
            return []
        waiting = self._tournament_log.waiting
        by_time = 1
        if self._played:
            by_time = int(CHUNK_SECONDS * self._played / self._seconds)
        fair = (1 + len(waiting)) // (2 * max(1, self._crew.size))
        size = min(max(by_time, self._at_once), max(fair, 1), MOST)
        fixtures = [first]
        while waiting and len(fixtures) < size:
            fixture = await self._tournament_log.next(self._entrants)
            assert fixture is not None, "every entrant of a chunk is free"
            fixtures.append(fixture)
        return fixtures

    async def _play(self, fixtures: Sequence[Fixture]) -> None:
        """Have a chunk of fixtures played, and put back those that are not over."""
        orders = []
        for fixture in fixtures:
            if self._is_to_be_played(fixture):
                order = await self._order(fixture)
                orders.append(order)
        if orders:
            await self._play_orders(orders)
        self._put_back(fixtures)
        self._out -= 1
        self._until_back.unpark_all()

    def _is_to_be_played(self, fixture: Fixture) -> bool:
        log = self._tournament_log
        return fixture.id in log.under_way or log.is_open(fixture)

    async def _play_orders(self, orders: Sequence[Order]) -> None:
        """Have a worker play these attempts, and settle the complete ones."""
        matches = _WithWorker(self._crew, min(len(orders), self._at_once))
        self._run.draining.take_in(matches)
        started = trio.current_time()
        chunk = Chunk(
            plan=self._plan,
            directory=self._run.directory,
            run=self._run.folder.path.absolute(),
            hidden=tuple(self._run.places),
            orders=tuple(orders),
            server=server_name(),
        )
        tell = self._tournament_log.tell_progress
        try:
            done = await self._crew.play(chunk, self._run.folder, tell)
            self._take_in(orders, done)
        except WorkerLost as lost:
            self._run.log.warning("worker_lost", reason=lost.said)
        else:
            self._played += len(orders)
            self._seconds += trio.current_time() - started
        matches.turns_in_play = 0
        matches.is_being_settled = True
        for order in orders:
            is_complete = await self._tournament_log.take_up(order.opened)
            if not is_complete:
                self._unfinished[order.opened.match] += 1
        self._run.draining.let_go(matches)

    async def _order(self, fixture: Fixture) -> Order:
        """Return the order for a fixture: an attempt that goes on, or a new one."""
        under_way = self._tournament_log.under_way.pop(fixture.id, None)
        if under_way is None:
            opened, seed = await self._tournament_log.issue(fixture)
            return Order(
                opened=opened,
                seed=seed,
                goes_on=False,
            )
        progress = GamesPlayed(fixture=fixture.id, games=len(under_way.games))
        self._tournament_log.tell_progress(progress)
        return Order(
            opened=under_way.match.setting.opened,
            seed=under_way.seed,
            goes_on=True,
        )

    def _take_in(self, orders: Sequence[Order], done: Done) -> None:
        """Keep the files of a worker, and log what it said that is new."""
        self._run.folder.take_in(done.kept, [order.opened.match for order in orders])
        self._tournament_log.contain(done.contained)
        for event in done.said:
            text = sentence(event)
            if text in self._said:
                continue
            self._said.add(text)
            if event["event"] not in OF_THE_MACHINE:
                self._show(event)  # the worker has written it down
            else:
                details = dict(event)
                for key in ("event", "level", "timestamp"):
                    details.pop(key, None)
                log = getattr(self._run.log, event["level"])
                log(event["event"], **details)

    def _put_back(self, fixtures: Sequence[Fixture]) -> None:
        """Queue unfinished and void fixtures first.

        Raises `WorkerError` if one comes back too often.
        """
        for fixture in reversed(fixtures):
            if self._unfinished[fixture.id] >= TRIES:
                details = {"fixture": fixture.id, "count": TRIES}
                raise WorkerError(Said("worker.unfinished", details))
            if self._is_to_be_played(fixture):
                self._tournament_log.waiting.put_back(fixture)


class _WithWorker:
    """The matches of a chunk while a worker has it."""

    def __init__(self, crew: Crew, at_once: int) -> None:
        self._crew = crew
        self.turns_in_play = at_once
        """An estimate: each match has one."""
        self.is_being_settled = False

    def put_nothing_more(self) -> None:
        self._crew.call_off()
