"""The watcher of a venue: its log and its file, beside the folder of its runs (runs.py).

It reads files only. Of the log it keeps the book, whose hashes of secrets go into no answer.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias

import trio

from arena.pages.live.runs import Runs
from arena.pages.live.runs_folder import stamp_of
from arena.pages.serving.faults import survived
from arena.records.files import ANALYSIS, VENUE_RECORD
from arena.records.lines import RecordError, whole_lines
from arena.records.venue_book import VenueBook, book_of
from arena.records.venue_facts import CupBegun, CupLeftOut, DayOpened
from arena.server.io.disk import read_inside
from arena.server.io.failures import reason_of_all
from arena.server.setup.venue_file import CupSection, VenueFileError, VenuePlan, parse_venue
from arena.server.setup.venue_folder import RUNS, VENUE_FILE
from arena.words import Said

LOOK_SECONDS: Final = 1.0

RunFact: TypeAlias = DayOpened | CupBegun | CupLeftOut
WhyPaused: TypeAlias = Callable[[], Said | None]
"""Says why no match begins; None while matches begin."""


class Venue:
    """A venue that is followed by its files."""

    def __init__(
        self, folder: Path, delay_ms: int = 0, why_paused: WhyPaused = lambda: None
    ) -> None:
        """Follow the venue in a folder; `why_paused` is the word of its referee."""
        self.folder = folder
        self.runs = Runs(folder / RUNS, delay_ms)
        self.book = VenueBook()
        self.plan = VenuePlan()
        """The last file of the operator that could be used."""
        self.trouble: Said | str = ""
        """The reason if the log cannot be read, or no further."""
        self.paused: Said | None = None
        self._why_paused = why_paused
        self._stamps: list[str] = []
        self._analyses: list[str] = []

    def close(self) -> None:
        """Close the index of the runs."""
        self.runs.close()

    async def follow(self) -> None:
        """Look at the files for ever."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.runs.follow)
            while True:
                with survived("the venue is looked at"):
                    self.look()
                await trio.sleep(LOOK_SECONDS)

    def look(self) -> None:
        """Read what is new, and tell viewers of it."""
        stamps = [stamp_of(self.folder, name) for name in (VENUE_RECORD, VENUE_FILE)]
        has_changed = stamps != self._stamps
        if has_changed:
            self._stamps = stamps
            self._read_log()
            self._read_file()
        analyses = self._stamps_of_analyses()
        if analyses != self._analyses:
            self._analyses = analyses
            has_changed = True
        code = "" if self.paused is None else self.paused.code
        self.paused = self._why_paused()
        code_now = "" if self.paused is None else self.paused.code
        if has_changed or code_now != code:  # its figures change all the time
            self.runs.tell_change()

    def _stamps_of_analyses(self) -> list[str]:
        """Return what changes when the analysis of a late match comes."""
        late: list[str] = []
        for facts in self.series:
            late += runs_of(facts[-2:])
        return [stamp_of(self.runs.folder / run, ANALYSIS) for run in late]

    def _read_log(self) -> None:
        """Read the log. One that cannot be read is told, and the last book stays."""
        try:
            self.book = book_of(whole_lines(read_inside(self.folder, VENUE_RECORD)))
            self.trouble = ""
        except (OSError, RecordError) as error:
            self.trouble = reason_of_all(error)

    def _read_file(self) -> None:
        """Read the operator's file. Of one that cannot be used the referee tells the operator."""
        with suppress(OSError, VenueFileError):
            text = read_inside(self.folder, VENUE_FILE).decode(errors="replace")
            self.plan = parse_venue(text)

    # The venue

    @property
    def series(self) -> list[Sequence[RunFact]]:
        """The times of each cup and the days of each ladder, the oldest first."""
        series: list[Sequence[RunFact]] = [*self.book.cups.values()]
        series += self.book.days.values()
        return series

    @property
    def ladders(self) -> list[str]:
        """The names of all ladders: those of the operator's file first."""
        names = [ladder.name for ladder in self.plan.ladder]
        return list(dict.fromkeys([*names, *self.book.days]))

    @property
    def cups(self) -> dict[str, CupSection | None]:
        """All cups, with what the operator's file says of each."""
        sections: dict[str, CupSection | None] = dict.fromkeys(self.book.cups)
        return sections | {cup.name: cup for cup in self.plan.cup}

    @property
    def now_ms(self) -> int:
        """The time that viewers may know of."""
        return int(time.time() * 1000) - self.runs.delay_ms


def runs_of(facts: Iterable[RunFact]) -> list[str]:
    """Return the runs of a series; a cup that was left out has none."""
    return [fact.run for fact in facts if not isinstance(fact, CupLeftOut)]
