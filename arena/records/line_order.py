"""Order of the lines in a tournament record, both to verify a run and to go on with one."""

from __future__ import annotations

from arena.records.facts import (
    EntrantsAdded,
    FixtureIssued,
    FixtureSettled,
    FixtureVoided,
    HeadSigned,
    RecordClosed,
    TournamentEnded,
    TournamentFact,
    TournamentOpened,
)
from arena.records.files import TOURNAMENT_RECORD
from arena.records.lines import RecordError
from arena.records.state import TournamentState
from arena.tournaments.errors import TournamentError


class LineOrder:
    """Follows a tournament record line by line. It raises `RecordError` for a line that cannot follow those before."""

    def __init__(self, opened: TournamentOpened) -> None:
        try:
            self.state = TournamentState(opened)
        except TournamentError as error:
            raise RecordError(f"{TOURNAMENT_RECORD}:1", f"there is no such tournament: {error}") from error
        self.last: TournamentFact = opened
        """The last line; a signature of the lines before it may stand anywhere and counts for nothing."""
        self.under_way: dict[str, FixtureIssued] = {}
        """The attempts that are issued and not over, by fixture."""
        self.over: dict[str, list[tuple[str, FixtureSettled | FixtureVoided]]] = {}
        """The attempts that are over, by fixture, with their lines."""

    def check(self, where: str, fact: TournamentFact) -> None:
        """Check that this line may be the next one."""
        if isinstance(fact, HeadSigned):
            return
        if isinstance(fact, TournamentOpened):
            raise RecordError(where, "a tournament is opened once")
        if isinstance(self.last, TournamentEnded) != isinstance(fact, RecordClosed):
            raise RecordError(where, "tournament_ended and the closing line end the record, one after the other")
        if isinstance(self.last, RecordClosed) and not isinstance(fact, EntrantsAdded):
            raise RecordError(where, "only entrants_added may follow a closing line")
        if isinstance(fact, FixtureIssued | FixtureSettled | FixtureVoided):
            self._check_attempt(where, fact)

    def _check_attempt(self, where: str, fact: FixtureIssued | FixtureSettled | FixtureVoided) -> None:
        """An attempt is issued when the one before it is over, and is over when it was issued."""
        under_way, over = self.under_way.get(fact.fixture), len(self.over.get(fact.fixture, ()))
        told = ""
        if fact.fixture not in self.state.fixtures:
            told = f"{fact.fixture} is not in the schedule"
        elif not isinstance(fact, FixtureIssued):
            if under_way is None or under_way.attempt != fact.attempt:
                told = f"attempt {fact.attempt} at {fact.fixture} is over, but was never issued"
        elif under_way or self.state.is_decided(fact.fixture) or fact.attempt != over + 1:
            told = f"attempt {fact.attempt} at {fact.fixture} cannot begin here"
        if told:
            raise RecordError(where, f"{told}; a line before this one is missing")

    def take(self, where: str, fact: TournamentFact) -> None:
        """Take the next line, which was checked."""
        if isinstance(fact, HeadSigned):
            return
        if isinstance(fact, FixtureIssued):
            self.under_way[fact.fixture] = fact
        elif isinstance(fact, FixtureSettled | FixtureVoided):
            del self.under_way[fact.fixture]
            self.over.setdefault(fact.fixture, []).append((where, fact))
        try:
            self.state.take(fact)
        except TournamentError as error:
            raise RecordError(where, f"there is no such tournament: {error}") from error
        self.last = fact
