"""The ladders of a venue: each is played day after day, and each day is a run."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import trio
from msgspec import UNSET
from msgspec.structs import replace

from arena.records.ladder_chain import mean_elo_of
from arena.records.ladder_day import LadderBook
from arena.records.ladder_facts import EntrantCame, KnownPlayer, LadderOpened, PairDrawn
from arena.records.venue_facts import DayOpened
from arena.server.run.ladder_run import OpenDay
from arena.server.series.accounts import DAY_MS, MINUTE_MS
from arena.server.series.days import Day, Resident, Surroundings, date_of, free_run_id
from arena.server.setup.bot_section import BotSection
from arena.server.setup.venue_file import LadderSection
from arena.server.setup.venue_runs import tournament_text

LOOK_MS: Final = MINUTE_MS
"""The longest time between two looks at the clock, which may be set, or stand still in sleep."""
CONSTANT_AFTER_MS: Final = 90 * DAY_MS
"""A version that was replaced this long ago keeps its rating: the fit does not grow with it."""


class Ladders:
    """Plays the ladders of a venue.

    A failure of a day ends the referee, which is started again and goes on with the days that are
    there.
    """

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._ladders: dict[str, _Ladder] = {}
        self._are_days_open = False
        """True once the days of an earlier referee are open: they say who is in play."""
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
            self._are_days_open = True
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
        for ladder in self._ladders.values():
            for day in ladder.days:
                if changed:
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
        """Return whether a match of an entrant is drawn and not decided, or that is not known."""
        if not self._are_days_open:
            return True
        for ladder in self._ladders.values():
            for day in ladder.days:
                if not day.run.is_open.is_set():
                    continue
                player = day.run.book.players.get(entrant)
                if player is not None and player.in_play:
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
        for day in self.days:
            if not day.run.is_open.is_set():
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
        opening = self._opening(date, residents)
        for day in self.days:
            opening = self._opening_after(day.run, opening, residents)
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

    def _opening(self, date: str, residents: Iterable[Resident]) -> LadderOpened:
        """Return what the first day begins with."""
        return LadderOpened(
            at_ms=0,
            ladder=self._name,
            day=date,
            key_commitment="",
            players=[self._anchor(resident, ()) for resident in residents],
            edges=(),
        )

    def _opening_after(
        self,
        day: OpenDay,
        opening: LadderOpened,
        residents: Iterable[Resident],
    ) -> LadderOpened:
        """Return what the day after this one begins with, as things are now."""
        book = day.book
        players = self._players_after(book, residents)
        anchors = {player.entrant: player for player in players if player.is_anchor}
        anchors_before = {player.entrant for player in book.opened.players if player.is_anchor}
        mean_elo = book.opened.anchors_mean_elo
        if anchors_before != anchors.keys():
            mean_elo = mean_elo_of(book, anchors.values())
        return replace(
            opening,
            before=day.sealed or day.log.moment(),
            players=players,
            edges=book.edges,
            anchors_mean_elo=mean_elo,
        )

    def _players_after(self, book: LadderBook, residents: Iterable[Resident]) -> list[KnownPlayer]:
        """Return the players that the next day knows from its beginning."""
        anchors = {resident.version.entrant: resident for resident in residents}
        frozen = _replaced_versions(book) - anchors.keys()
        constants = self._constants(book, frozen)
        players: list[KnownPlayer] = []
        for entrant, player in book.players.items():
            identity = replace(
                player.identity,
                is_anchor=entrant in anchors,
                is_frozen=entrant in frozen,
                constant_elo=constants.get(entrant, UNSET),
            )
            players.append(identity)
        for entrant, resident in anchors.items():
            if entrant not in book.players:
                players.append(self._anchor(resident, book.players))
        return players

    def _anchor(self, resident: Resident, entrants: Collection[str]) -> KnownPlayer:
        """Return a house bot that is new in a ladder."""
        version = resident.version
        return KnownPlayer(
            entrant=version.entrant,
            bot=version.bot,
            version=version.number,
            name=self._around.shown(version.bot) or UNSET,
            parent=self._around.parent_of(version, entrants) or UNSET,
            is_house=True,
            is_anchor=True,
        )

    def _constants(self, book: LadderBook, frozen: Collection[str]) -> Mapping[str, float]:
        """Return the ratings of versions that were replaced long ago, which they keep."""
        bots = self._around.log.book.bots
        before_ms = self._around.log.now_ms() - CONSTANT_AFTER_MS
        constants: dict[str, float] = {}
        for entrant in frozen:
            identity = book.players[entrant].identity
            later_versions = bots[identity.bot].versions[identity.version :]
            if later_versions and later_versions[0].at_ms < before_ms:
                constants[entrant] = round(book.ratings.elo(entrant), 2)
        return constants


def _replaced_versions(book: LadderBook) -> set[str]:
    """Return the versions whose place another one of the same bot has taken."""
    last_came: dict[str, tuple[int, str]] = {}
    for entrant, player in book.players.items():
        if player.last_coming is not None:
            bot = player.identity.bot
            coming = (player.last_coming.at_ms, entrant)
            last_came[bot] = max(coming, last_came.get(bot, coming))
    replaced: set[str] = set()
    for entrant, player in book.players.items():
        is_replaced = player.identity.is_frozen
        if player.identity.bot in last_came:
            is_replaced = last_came[player.identity.bot][1] != entrant
        if is_replaced:
            replaced.add(entrant)
    return replaced
