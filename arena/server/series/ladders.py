"""The ladders of a venue: each is played day after day, and each day is a run."""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

import trio
from msgspec.structs import replace

from arena.records.ladder_chain import mean_elo_after, players_after
from arena.records.ladder_day import LadderBook
from arena.records.ladder_facts import EntrantCame, LadderOpened, PairDrawn
from arena.records.venue_facts import DayOpened
from arena.server.series.accounts import DAY_MS, MINUTE_MS
from arena.server.series.days import Day, Resident, Surroundings, date_of, free_run_id
from arena.server.setup.bot_section import BotSection
from arena.server.setup.venue_file import LadderSection
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
        self._changed: set[str] = set()
        """The bots that have joined, or may or may not play: the days have to look at them."""
        self._wakes = trio.Event()
        around.accounts.on_change = self._note_change
        around.accounts.is_in_play = self._is_in_play

    def wake(self) -> None:
        """Look again: something may be due, or the operator's file has changed."""
        self._wakes.set()

    def _note_change(self, bot: str) -> None:
        self._changed.add(bot)
        self.wake()

    async def keep(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Play, for ever; the task has started once a day of each ladder is open."""
        async with trio.open_nursery() as nursery:
            self._look(nursery)
            for ladder in self._ladders.values():
                for day in ladder.days:
                    await day.run.is_open.wait()
            task_status.started()
            while True:
                self._wakes = trio.Event()
                self._look(nursery)
                with trio.move_on_after(self._wait_ms() / 1000):
                    await self._wakes.wait()

    def _look(self, nursery: trio.Nursery) -> None:
        """Open and close what is due, and let the open days look at their bots."""
        log = self._around.log
        sections = {section.name: section for section in self._around.accounts.plan.ladder}
        for name in dict.fromkeys([*log.book.days, *sections]):
            section = sections.get(name)
            if name not in self._ladders:
                ladder = _Ladder(self._around, name, section, nursery, self.wake)
                self._ladders[name] = ladder
            self._ladders[name].look(section)
        changed, self._changed = self._changed, set()
        if not changed:
            return
        for ladder in self._ladders.values():
            for day in ladder.days:
                day.run.look(changed)

    def _wait_ms(self) -> int:
        """Return how long nothing is due: until midnight, or until a bot has rested."""
        now_ms = self._around.log.now_ms()
        wait_ms = min(LOOK_MS, DAY_MS - now_ms % DAY_MS)
        for bot in self._around.log.book.bots.values():
            if bot.rests_until_ms > now_ms:
                self._changed.add(bot.name)
                wait_ms = min(wait_ms, bot.rests_until_ms - now_ms)
        return wait_ms

    def _is_in_play(self, entrant: str) -> bool:
        """Return whether a match of an entrant is drawn and not decided."""
        for ladder in self._ladders.values():
            for day in ladder.days:
                if not day.run.is_open.is_set():
                    continue
                book = day.run.book
                if entrant in book.players and book.is_playing(entrant):
                    return True
        return False

    # What cups ask

    def book_of(self, ladder: str) -> LadderBook | None:
        """Return the book of the present day of a ladder; None if none is open."""
        day = self._open_day_of(ladder)
        return None if day is None else day.run.book

    def house_of(self, ladder: str) -> Iterator[BotSection]:
        """Yield the programs of the operator that may play in a ladder now."""
        day = self._open_day_of(ladder)
        if day is not None:
            for section, presence in day.house():
                if isinstance(presence, EntrantCame):
                    yield section

    def _open_day_of(self, name: str) -> Day | None:
        if name in self._ladders:
            for day in self._ladders[name].days[-1:]:
                if day.run.is_open.is_set():
                    return day
        return None


class _Ladder:
    """One ladder: its last day, and the day before as long as its edges are not taken.

    There are no more: the next day waits until the day before is sealed.
    """

    def __init__(
        self,
        around: Surroundings,
        name: str,
        section: LadderSection | None,
        nursery: trio.Nursery,
        wake: Callable[[], object],
    ) -> None:
        """Go on with the days that an earlier referee has left."""
        self._around = around
        self._name = name
        self._nursery = nursery
        self._wake = wake
        self.days: list[Day] = []
        """The oldest first."""
        self._announced: DayOpened | None = None
        """The line of a day that has no record yet, since the referee ended in between."""
        lines = list(around.log.book.days.get(name, ()))
        if lines and not Day(around, lines[-1]).is_on_record:
            self._announced = lines.pop()
        residents: Sequence[Resident] = ()
        if section is not None:
            residents = around.residents(section)
        for opened in lines[-2:]:
            for day_before in self.days:
                day_before.run.close()
            self._begin(Day(around, opened, residents))

    def _begin(self, day: Day) -> None:
        self.days.append(day)
        self._nursery.start_soon(self._play, day)

    async def _play(self, day: Day) -> None:
        await day.play(partial(self._report, day))
        self._wake()

    def _report(self, day: Day, fact: object) -> None:
        if isinstance(fact, LadderOpened) or (isinstance(fact, PairDrawn) and day.run.is_full):
            self._wake()

    def look(self, section: LadderSection | None) -> None:
        """Open and close what is due; without a section the ladder ends with its day."""
        if not all(day.run.is_open.is_set() for day in self.days):
            return
        if len(self.days) == 2:
            self._take_edges(*self.days)
        if len(self.days) == 2:
            return
        ending = list(self.days)
        if not all(self._is_due(day, section) for day in ending):
            return
        if section is not None:
            self._open(section)
        for day in ending:
            day.run.close()

    def _take_edges(self, day_before: Day, day: Day) -> None:
        """Take the edges of the day before, once it is sealed."""
        if day_before.run.sealed is not None:
            day.run.take_edges(day_before.run)
            self.days = [day]

    def _is_due(self, day: Day, section: LadderSection | None) -> bool:
        """Return whether a day is to be closed, and the next one to begin."""
        today = date_of(self._around.log.at_ms())
        is_over = day.run.book.key is not None
        return section is None or is_over or day.run.is_full or day.date < today

    def _open(self, section: LadderSection) -> None:
        """Open a day with the edges of this moment. Raises `OSError`."""
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
        self._begin(Day(around, opened, residents, opening, text))

    def _announce(self) -> DayOpened:
        """Write that a day is opened. Raises `DiskError`."""
        log = self._around.log
        at_ms = log.at_ms()
        run_ids = {opened.run for opened in log.book.days.get(self._name, ())}
        run_id = free_run_id(f"{self._name}-{date_of(at_ms)}", run_ids)
        opened = DayOpened(at_ms=at_ms, ladder=self._name, run=run_id)
        log.write(opened)
        return opened

    # What a day begins with

    def _opening(self, residents: Iterable[Resident], at_ms: int) -> LadderOpened:
        """Return what a day begins with that was announced at this time."""
        players_before: Container[str] = ()
        for day in self.days:
            players_before = day.run.book.players
        anchors = []
        for resident in residents:
            player = self._around.player(resident.version, players_before)
            anchors.append(replace(player, is_anchor=True))
        opening = LadderOpened(at_ms=0, key_commitment="", players=anchors)
        old = self._around.log.book.old_versions(at_ms)
        for day in self.days:
            book = day.run.book
            players = players_after(book, anchors, old)
            opening = replace(
                opening,
                before=day.run.sealed or day.run.log.moment(),
                players=players,
                edges=book.edges,
                anchors_mean_elo=mean_elo_after(book, players),
            )
        return opening
