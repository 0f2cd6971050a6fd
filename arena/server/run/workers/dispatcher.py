"""Sends the fixtures of a tournament to workers in chunks, and takes their results into its tournament_log."""

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

    def __init__(self, run: OpenRun, tournament_log: TournamentLog, crew: Crew, show: Show) -> None:
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
        """How many chunks are with workers."""
        self._until_back = trio.lowlevel.ParkingLot()
        self._unfinished: Counter[str] = Counter()
        """How often each fixture came back unfinished."""
        self._said: set[str] = set()
        self._played, self._seconds = 0, 0.0
        """How many fixtures came back, and how long their chunks took."""

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
        """The next fixtures: as many as take a worker a while, and fewer towards the end, so that all end together."""
        first = await self._tournament_log.next(self._entrants)
        if first is None:
            return []
        waiting = self._tournament_log.waiting
        by_time = int(CHUNK_SECONDS * self._played / self._seconds) if self._played else 1
        fair = (1 + len(waiting)) // (2 * max(1, self._crew.size))
        size = min(max(by_time, self._at_once), max(fair, 1), MOST)
        fixtures = [first]
        while waiting and len(fixtures) < size:
            fixture = await self._tournament_log.next(self._entrants)
            assert fixture is not None, "every entrant of a chunk is free"
            fixtures.append(fixture)
        return fixtures

    async def _play(self, fixtures: Sequence[Fixture]) -> None:
        orders = [
            await self._order(fixture)
            for fixture in fixtures
            if fixture.id in self._tournament_log.under_way or self._tournament_log.is_open(fixture)
        ]
        if orders:
            matches = _WithWorker(self._crew, min(len(orders), self._at_once))
            self._run.draining.take_in(matches)
            begun = trio.current_time()
            try:
                chunk = Chunk(
                    plan=self._plan,
                    directory=self._run.directory,
                    run=self._run.folder.path.absolute(),
                    hidden=tuple(self._run.places),
                    orders=tuple(orders),
                    server=server_name(),
                )
                self._take_in(
                    orders,
                    await self._crew.play(
                        chunk,
                        self._run.folder,
                        self._tournament_log.tell_progress,
                    ),
                )
            except WorkerLost as lost:
                self._run.log.warning("worker_lost", reason=lost.said)
            else:
                self._played += len(orders)
                self._seconds += trio.current_time() - begun
            matches.turns_in_play, matches.is_being_settled = 0, True
            for order in orders:
                is_complete = await self._tournament_log.take_up(order.opened)
                self._unfinished[order.opened.match] += not is_complete
            self._run.draining.let_go(matches)
        self._put_back(fixtures)
        self._out -= 1
        self._until_back.unpark_all()

    async def _order(self, fixture: Fixture) -> Order:
        if under_way := self._tournament_log.under_way.pop(fixture.id, None):
            self._tournament_log.tell_progress(
                GamesPlayed(fixture=fixture.id, games=len(under_way.games))
            )
            return Order(opened=under_way.match.setting.opened, seed=under_way.seed, goes_on=True)
        opened, seed = await self._tournament_log.issue(fixture)
        return Order(opened=opened, seed=seed, goes_on=False)

    def _take_in(self, orders: Sequence[Order], done: Done) -> None:
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
                keys = {
                    key: value
                    for key, value in event.items()
                    if key not in ("event", "level", "timestamp")
                }
                getattr(self._run.log, event["level"])(event["event"], **keys)

    def _put_back(self, fixtures: Sequence[Fixture]) -> None:
        """Queue unfinished and void fixtures first.

        Raises `WorkerError` if one comes back too often.
        """
        for fixture in reversed(fixtures):
            if self._unfinished[fixture.id] >= TRIES:
                raise WorkerError(
                    Said("worker.unfinished", {"fixture": fixture.id, "count": TRIES})
                )
            if fixture.id in self._tournament_log.under_way or self._tournament_log.is_open(
                fixture
            ):
                self._tournament_log.waiting.put_back(fixture)


class _WithWorker:
    """The matches of a chunk while a worker has it."""

    def __init__(self, crew: Crew, at_once: int) -> None:
        self._crew = crew
        self.turns_in_play = at_once
        """About: each match has one."""
        self.is_being_settled = False

    def put_nothing_more(self) -> None:
        self._crew.call_off()
