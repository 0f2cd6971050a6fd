"""Sends the fixtures of a tournament to workers in batches, and takes their results into its ledger."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
import trio

from arena.server.entrance import server_name
from arena.server.folder import RunFolder
from arena.server.ledger import Ledger
from arena.server.plan import Plan
from arena.server.reporting import Report
from arena.server.stopping import Stopping
from arena.server.workers.batch import Batch, Order
from arena.server.workers.crew import Crew, Done, WorkerError, WorkerLost
from arena.tournaments.schedule import Fixture, parse_fixture

BATCH_SECONDS: Final = 3.0
"""About how long a batch takes: long beside the milliseconds of sending it, short for whoever waits for results."""
MOST: Final = 64
"""Fixtures in a batch, at most."""
TRIES: Final = 10
"""How often a match may come back unfinished before the run ends: it may be what its workers die of."""


class Dispatcher:
    """Plays a tournament with a crew. Results are read from match records; the tournament's record is ours."""

    def __init__(
        self,
        plan: Plan,
        folder: RunFolder,
        directory: Path,
        ledger: Ledger,
        crew: Crew,
        stopping: Stopping,
        report: Report,
    ) -> None:
        self._at_once = plan.tournament.at_once or 1
        section = msgspec.structs.replace(plan.tournament, at_once=self._at_once)
        self._plan = msgspec.structs.replace(plan, tournament=section)
        self._folder = folder
        self._directory = directory
        self._ledger = ledger
        self._crew = crew
        self._stopping = stopping
        self._report = report
        self._waiting: deque[Fixture] = deque()
        self._out = 0
        """How many batches are with workers."""
        self._is_back = trio.Event()
        self._unfinished: Counter[str] = Counter()
        """How often each fixture came back unfinished."""
        self._said: set[str] = set()
        self._played, self._seconds = 0, 0.0
        """How many fixtures came back, and how long their batches took."""

    async def play_all(self) -> None:
        """Go on with what is under way, and play what is left. Raises `WorkerError`."""
        self._waiting.extend(map(parse_fixture, self._ledger.under_way))
        self._waiting.extend(await self._ledger.next_to_play())
        async with trio.open_nursery() as nursery:
            while self._waiting or self._out:
                if self._waiting and self._out < max(1, self._crew.size):
                    await self._stopping.before_a_match()
                    self._out += 1
                    nursery.start_soon(self._play, self._take_batch())
                else:
                    self._is_back = trio.Event()
                    await self._is_back.wait()
                if not self._waiting and not self._out:
                    self._waiting.extend(await self._ledger.next_to_play())

    def _take_batch(self) -> list[Fixture]:
        """The next fixtures: as many as take a worker a while, and fewer towards the end, so that all end together."""
        by_time = int(BATCH_SECONDS * self._played / self._seconds) if self._played else 1
        fair = len(self._waiting) // (2 * max(1, self._crew.size))
        size = min(max(by_time, self._at_once), max(fair, 1), MOST)
        return [self._waiting.popleft() for _ in range(min(size, len(self._waiting)))]

    async def _play(self, fixtures: Sequence[Fixture]) -> None:
        """Have fixtures played, one attempt at each, and take what comes back of them."""
        orders = [
            await self._order(fixture)
            for fixture in fixtures
            if fixture.id in self._ledger.under_way or not self._ledger.is_barred(fixture)
        ]
        if orders:
            matches = _WithWorker(self._crew, min(len(orders), self._at_once))
            self._stopping.take_in(matches)
            begun = trio.current_time()
            try:
                self._take_in(orders, await self._crew.play(self._batch(orders), self._folder))
            except WorkerLost as lost:
                self._report(f"a worker was lost ({lost}); what it had not finished is given to another")
            else:
                self._played += len(orders)
                self._seconds += trio.current_time() - begun
            matches.are_back()
            for order in orders:
                await self._ledger.take_up(order.opened)
            self._stopping.let_go(matches)
        self._put_back(fixtures)
        self._out -= 1
        self._is_back.set()

    def _batch(self, orders: Sequence[Order]) -> Batch:
        return Batch(
            plan=self._plan,
            directory=self._directory,
            run=self._folder.path.absolute(),
            orders=tuple(orders),
            server=server_name(),
        )

    async def _order(self, fixture: Fixture) -> Order:
        """What is to be played of a fixture: the attempt that is under way, or another."""
        if under_way := self._ledger.under_way.pop(fixture.id, None):
            return Order(opened=under_way.opened, seed=under_way.seed, goes_on=True)
        opened, seed = await self._ledger.issue(fixture)
        return Order(opened=opened, seed=seed, goes_on=False)

    def _take_in(self, orders: Sequence[Order], done: Done) -> None:
        self._folder.take_in(done.kept, [order.opened.match for order in orders])
        self._ledger.contain(done.contained)
        for text in done.said:
            if text not in self._said:
                self._said.add(text)
                self._report(text)

    def _put_back(self, fixtures: Sequence[Fixture]) -> None:
        """What came back unfinished, and what is void, is played next. Raises `WorkerError` if it does so for ever."""
        for fixture in reversed(fixtures):
            is_under_way = fixture.id in self._ledger.under_way
            self._unfinished[fixture.id] += is_under_way
            if self._unfinished[fixture.id] >= TRIES:
                raise WorkerError(
                    f"{fixture.id} has come back unfinished {TRIES} times, since its workers died; "
                    "see whether they have memory enough, and whether its bots end them"
                )
            if is_under_way or not (self._ledger.is_decided(fixture) or self._ledger.is_barred(fixture)):
                self._waiting.appendleft(fixture)


class _WithWorker:
    """The matches of a batch while a worker has it."""

    def __init__(self, crew: Crew, at_once: int) -> None:
        self._crew = crew
        self.turns_in_play = at_once
        """About: each match has one."""
        self.is_being_settled = False

    def put_nothing_more(self) -> None:
        self._crew.call_off()

    def are_back(self) -> None:
        self.turns_in_play = 0
        self.is_being_settled = True
