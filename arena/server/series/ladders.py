"""The ladders of a venue: each is played day after day, and each day is a run."""

from collections.abc import Callable, Collection, Container, Iterable, Sequence
from functools import partial
from typing import Final

import trio
from msgspec.structs import replace

from arena.records.ladder_chain import mean_elo_after, players_after
from arena.records.ladder_day import LadderBook
from arena.records.ladder_facts import LadderOpened, PairDrawn
from arena.records.venue_facts import DayOpened
from arena.server.run.ladder_roster import HouseBot
from arena.server.series.accounts import DAY_MS, MINUTE_MS
from arena.server.series.days import Day, Resident, Surroundings, date_of, free_run_id
from arena.server.setup.venue_file import LadderSection, VenuePlan
from arena.server.setup.venue_runs import tournament_text

LOOK_MS: Final = MINUTE_MS
"""The longest time between two looks at the clock, which may be set, or stand still in sleep."""


class Ladders:
    """Plays the ladders of a venue.

    A failure of a day ends the referee, which is started again and goes on with the days that are
    there.
    """

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._ladders: dict[str, _Ladder] = {}
        self._has_changed = False
        """True if a bot has joined, or may or may not play: the days have to look at their bots."""
        self._wakes = trio.Event()
        around.accounts.on_change = lambda _: self._note_change()

    def _wake(self) -> None:
        self._wakes.set()

    def _note_change(self) -> None:
        self._has_changed = True
        self._wake()

    def take_plan(self, _plan: VenuePlan) -> None:
        """Open ladders that are new in the operator's file; the others change with their days."""
        self._wake()

    async def keep(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Play, for ever; the task has started once a day of each ladder is open."""
        async with trio.open_nursery() as nursery:
            for name in self._around.log.book.days:
                self._ladders[name] = _Ladder(self._around, name, nursery, self._wake)
            self._look(nursery)
            for ladder in self._ladders.values():
                if ladder.day is not None:
                    await ladder.day.run.is_open.wait()
            task_status.started()
            while True:
                self._wakes = trio.Event()
                self._look(nursery)
                with trio.move_on_after(self._wait_ms() / 1000):
                    await self._wakes.wait()

    def _look(self, nursery: trio.Nursery) -> None:
        """Open and close what is due, and tell the days of changes."""
        sections = {section.name: section for section in self._around.accounts.plan.ladder}
        for name in sections:
            if name not in self._ladders:
                self._ladders[name] = _Ladder(self._around, name, nursery, self._wake)
        has_changed, self._has_changed = self._has_changed, False
        for name, ladder in self._ladders.items():
            ladder.look(sections.get(name))
            if has_changed:
                ladder.look_at_members()

    def _wait_ms(self) -> int:
        """Return how long nothing is due: until midnight, or until a bot has rested."""
        now_ms = self._around.log.now_ms()
        wait_ms = min(LOOK_MS, DAY_MS - now_ms % DAY_MS)
        for bot in self._around.log.book.bots.values():
            if bot.rests_until_ms > now_ms:
                self._has_changed = True
                wait_ms = min(wait_ms, bot.rests_until_ms - now_ms)
        return wait_ms

    # What cups ask

    def book_of(self, ladder: str) -> LadderBook | None:
        """Return the book of the present day of a ladder; None if none is open."""
        day = self._open_day_of(ladder)
        return None if day is None else day.run.book

    def house_of(self, ladder: str) -> Iterable[HouseBot]:
        """Return the programs of the operator that may play in a ladder now."""
        day = self._open_day_of(ladder)
        if day is None:
            return []
        return [bot for bot in day.house() if bot.why_away is None]

    def _open_day_of(self, name: str) -> Day | None:
        ladder = self._ladders.get(name)
        if ladder is None or ladder.day is None or not ladder.day.run.is_open.is_set():
            return None
        return ladder.day

    def step_aside(self, bots: Collection[str]) -> None:
        """Pair these bots in no ladder until `come_back`; their matches in play go on."""
        self._around.busy.update(bots)
        self._note_change()

    def come_back(self, bots: Collection[str]) -> None:
        """Pair these bots again."""
        self._around.busy.difference_update(bots)
        self._note_change()


class _Ladder:
    """One ladder: its open day, and the day before as long as its edges are not taken.

    There are no more: the next day waits until the day before is sealed.
    """

    def __init__(
        self,
        around: Surroundings,
        name: str,
        nursery: trio.Nursery,
        wake: Callable[[], object],
    ) -> None:
        self._around = around
        self._name = name
        self._nursery = nursery
        self._wake = wake
        self.day: Day | None = None
        self._before: Day | None = None
        self._announced: DayOpened | None = None
        """The line of a day that has no record yet, since the referee ended in between."""
        self._go_on()

    def _go_on(self) -> None:
        """Go on with the days that an earlier referee has left."""
        lines = list(self._around.log.book.days.get(self._name, ()))
        if lines and not Day(self._around, lines[-1]).is_on_record:
            self._announced = lines.pop()
        if not lines:
            return
        residents: Sequence[Resident] = ()
        for section in self._around.accounts.plan.ladder:
            if section.name == self._name:
                residents = self._around.residents(section)
        last = Day(self._around, lines[-1], residents)
        if last.is_sealed:
            last.read()
            self._before = last
            return
        self.day = last
        self._nursery.start_soon(self._play, last)
        if len(lines) > 1:
            self._before = Day(self._around, lines[-2], residents)
            if self._before.is_sealed:
                self._before.read()
            else:
                self._before.run.close()
                self._nursery.start_soon(self._play, self._before)

    def look_at_members(self) -> None:
        """Let the days look at their bots again."""
        for day in (self._before, self.day):
            if day is not None:
                day.run.look()

    def look(self, section: LadderSection | None) -> None:
        """Open and close what is due; without a section the ladder ends with its day."""
        if self.day is None:
            is_over = self._before is None or self._before.run.sealed is not None
            if section is not None and is_over:
                self._open(section)
        elif self.day.run.is_open.is_set():
            self._take_edges(self.day)
            if self._before is None and self._is_due(self.day, section):
                self._close(self.day, section)

    def _take_edges(self, day: Day) -> None:
        """Take the edges of the day before, once it is sealed."""
        if self._before is not None and self._before.run.sealed is not None:
            day.run.take_edges(self._before.run)
            self._before = None

    def _is_due(self, day: Day, section: LadderSection | None) -> bool:
        """Return whether the next day is to begin."""
        today = date_of(self._around.log.at_ms())
        return section is None or day.run.is_full or day.date < today or self._announced is not None

    def _close(self, day: Day, section: LadderSection | None) -> None:
        """Close a day, and open the next one with the edges of this moment."""
        self._before = day
        if section is not None:
            self._open(section)
        else:
            self.day = None
        day.run.close()

    def _open(self, section: LadderSection) -> None:
        """Open a day. Raises `OSError`."""
        around = self._around
        residents = around.residents(section)
        opened = self._announced or self._announce()
        self._announced = None
        date = date_of(opened.at_ms)
        opening = self._opening(residents, opened.at_ms)
        text = tournament_text(
            section,
            name=f"{self._name} {date}",
            bots=(),
            tournament={
                "format": "ladder",
                "seats": section.seats,
                "most_matches": section.most_matches,
            },
            limits=around.accounts.plan.limits.of_runs,
        )
        self.day = Day(around, opened, residents, opening, text)
        self._nursery.start_soon(self._play, self.day)

    def _announce(self) -> DayOpened:
        """Write that a day is opened. Raises `DiskError`."""
        log = self._around.log
        at_ms = log.at_ms()
        run_ids = {opened.run for opened in log.book.days.get(self._name, ())}
        run_id = free_run_id(f"{self._name}-{date_of(at_ms)}", run_ids)
        opened = DayOpened(at_ms=at_ms, ladder=self._name, run=run_id)
        log.write(opened)
        return opened

    async def _play(self, day: Day) -> None:
        await day.play(partial(self._report, day))
        self._wake()

    def _report(self, day: Day, fact: object) -> None:
        if isinstance(fact, LadderOpened) or (isinstance(fact, PairDrawn) and day.run.is_full):
            self._wake()

    # What a day begins with

    def _opening(self, residents: Sequence[Resident], at_ms: int) -> LadderOpened:
        """Return what a day begins with, as things are now."""
        players_before: Container[str] = ()
        if self._before is not None:
            players_before = self._before.run.book.players
        anchors = []
        for resident in residents:
            player = self._around.player(resident.version, players_before)
            anchors.append(replace(player, is_anchor=True))
        if self._before is None:
            return LadderOpened(at_ms=0, key_commitment="", players=anchors)
        day = self._before.run
        old = self._around.log.book.old_versions(at_ms)
        players = players_after(day.book, anchors, old)
        return day.next_opening(players, mean_elo_after(day.book, players))
