"""A run as the index of a folder keeps it: its row in the list, and its pages as they are sent."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from arena.pages.contents import RunInList, RunState
from arena.pages.following import RunFollower
from arena.pages.growing_file import GrowingFile
from arena.pages.ladder import DayCourse
from arena.pages.venue_contents import RatedBot
from arena.records.facts import FixtureSettled, TournamentFact
from arena.records.files import TOURNAMENT_RECORD
from arena.records.lines import RecordError
from arena.tournaments.standings import Standings
from arena.words import Said, say

COMPRESSION: Final = 6


class RunReader:
    """The record of a run, read as far as it is written and may be known."""

    def __init__(self, folder: Path) -> None:
        self._file = GrowingFile(folder, TOURNAMENT_RECORD)
        self.course = DayCourse()
        self.follower = RunFollower(self.course.hear)
        self.settled = 0
        """The number of settled matches that were read."""

    def pieces(self, until_ms: int) -> Iterator[tuple[list[TournamentFact], bool]]:
        """Give the new lines, and whether they are the first of a record that is read again."""
        for lines, is_again in self._file.read_all():
            if is_again:
                self.course = DayCourse()
                self.follower = RunFollower(self.course.hear)
                self.settled = 0
            self.follower.read(lines)
            facts = [fact for _, fact in self.follower.advance(until_ms)]
            yield facts, is_again
            self.settled += sum(isinstance(fact, FixtureSettled) for fact in facts)

    @property
    def trouble(self) -> Said | str:
        """The reason if the record cannot be read, or no further."""
        return self._file.trouble or self.follower.broken

    @property
    def is_growing(self) -> bool:
        """True if more is likely to come."""
        state = self.follower.state
        return state is not None and not state.is_finished and not self.trouble

    def row(self, folder: str, changed_ms: int) -> RunInList:
        """Return the row of the run, which lies in this folder; it never fails for a record."""
        name = folder.rpartition("/")[2]
        state = self.follower.state
        if state is None:
            return unread_row(folder, changed_ms, self.trouble)
        opened = state.opened
        trouble = self.trouble
        outcome: Said | None = None
        try:
            outcome = self._outcome(self.follower.table())
        except RecordError as error:
            trouble = error.said
        run_state: RunState = "finished" if state.is_finished else "under way"
        return RunInList(
            folder=folder,
            name=opened.name or name,
            ruleset=str(opened.ruleset["name"]),
            format=state.format.name,
            state=run_state,
            outcome=outcome,
            started_ms=opened.at_ms,
            latest_ms=self.follower.latest_ms,
            settled=sum(not match.voided for match in state.results),
            scheduled=state.scheduled,
            trouble=trouble,
        )

    def _outcome(self, table: Standings) -> Said | None:
        """Return the sentence that says who won or who leads; None before a match counts."""
        state = self.follower.state
        assert state is not None, "it has standings"
        sentences = state.outcome(table)
        if sentences and (table.counted or state.is_finished):
            return sentences[0]
        return None

    def players(self) -> list[RatedBot]:
        """Return the players of a day of a ladder; none of another run."""
        state = self.follower.state
        if state is None or state.book is None:
            return []
        return self.course.players(state.book, self.follower.latest_ms)

    def words(self, row: RunInList) -> str:
        """Return the text that a search of the list looks at."""
        parts = [row.name, row.folder, row.ruleset, row.format]
        if row.outcome is not None:
            parts.append(say(row.outcome))
        if self.follower.state is not None:
            parts += self.follower.state.names.values()
        return " ".join(parts).casefold()

    def pages(self) -> dict[str, bytes]:
        """Return the pages of the run, compressed JSON by name; none if it gives no standings."""
        if self.follower.state is None:
            return {}
        try:
            contents = {
                "run": self.follower.page(),
                "running": list(self.follower.running),
                "annulled": sorted(self.follower.annulled()),
                "crosstable": self.follower.crosstable(),
                "pairings": self.follower.pairings(),
            }
        except RecordError:
            return {}
        return {name: _compressed(content) for name, content in contents.items()}


def unread_row(folder: str, changed_ms: int, trouble: Said | str) -> RunInList:
    """Return the row of a run whose record says nothing."""
    return RunInList(
        folder=folder,
        name=folder.rpartition("/")[2],
        state="unreadable" if trouble else "not started",
        started_ms=changed_ms,
        latest_ms=changed_ms,
        trouble=trouble,
    )


def _compressed(content: object) -> bytes:
    return gzip.compress(msgspec.json.encode(content), COMPRESSION, mtime=0)
