"""The order of the lines in a tournament record: which of them may follow those before it."""

from msgspec import UNSET

from arena.records import facts
from arena.records.files import TOURNAMENT_RECORD
from arena.records.ladder_order import problem_of_line
from arena.records.lines import RecordError
from arena.records.state import AttemptOver, TournamentState, no_tournament
from arena.tournaments import TournamentError
from arena.tournaments.formats.ladder_format import Ladder
from arena.words import Said


class LineOrder:
    """Follows a tournament record line by line.

    It raises `RecordError` for a line that cannot follow those before.
    """

    def __init__(self, opened: facts.TournamentOpened) -> None:
        try:
            self.state = TournamentState(opened)
        except TournamentError as error:
            raise no_tournament(f"{TOURNAMENT_RECORD}:1", error) from error
        self.last: facts.TournamentFact = opened
        """The last line that is no signature of the head; signatures may stand anywhere."""
        self.under_way: dict[str, facts.FixtureIssued] = {}
        """The attempts that are issued and not over, by fixture."""
        self.over: dict[str, list[tuple[str, AttemptOver]]] = {}
        """The attempts that are over, by fixture, with their places."""

    def check(self, where: str, fact: facts.TournamentFact) -> None:
        """Check that this line may be the next one."""
        if isinstance(fact, facts.HeadSigned):
            return
        if isinstance(fact, facts.TournamentOpened):
            raise RecordError(where, Said("record.opened_once"))
        if isinstance(self.last, facts.TournamentEnded) != isinstance(fact, facts.RecordClosed):
            raise RecordError(where, Said("record.end_order"))
        if isinstance(self.last, facts.RecordClosed) and not isinstance(fact, facts.EntrantsAdded):
            raise RecordError(where, Said("record.only_entrants_added"))
        if isinstance(self.state.format, Ladder):
            problem = problem_of_line(self.state.book, self.last, fact)
            if problem is not None:
                raise RecordError(where, problem)
        if isinstance(fact, facts.FixtureIssued | AttemptOver):
            self._check_attempt(where, fact)
        elif isinstance(fact, facts.EntrantsAwaited | facts.EntrantsAbsent):
            self._check_absence(where, fact)

    def _check_absence(
        self, where: str, fact: facts.EntrantsAwaited | facts.EntrantsAbsent
    ) -> None:
        """Check that an absence concerns entrants with open fixtures, and is allowed here.

        Entrants are given up only when no match is under way.
        """
        if self.state.opened.absent is UNSET:
            raise RecordError(where, Said("record.nobody_waits"))
        playing: set[str] = set()
        for fixture in self.state.left_to_play():
            playing |= fixture.entrants
        strangers = [name for name in fact.away if name not in playing]
        if strangers:
            problem = Said("record.cannot_be_away", {"names": ", ".join(strangers)})
            raise RecordError(where, problem)
        if isinstance(fact, facts.EntrantsAbsent) and self.under_way:
            fixtures = ", ".join(self.under_way)
            problem = Said("record.not_given_up", {"fixtures": fixtures})
            raise RecordError(where, problem)

    def _check_attempt(self, where: str, fact: facts.FixtureIssued | AttemptOver) -> None:
        """Check that an attempt is issued after the one before it is over, and ends after that."""
        problem = self._problem_of_attempt(fact)
        if problem is not None:
            problem = Said("record.line_missing", {"problem": problem})
            raise RecordError(where, problem)

    def _problem_of_attempt(self, fact: facts.FixtureIssued | AttemptOver) -> Said | None:
        """Say why this line of an attempt cannot follow; None if it can."""
        if fact.fixture not in self.state.fixtures:
            return Said("record.not_scheduled", {"fixture": fact.fixture})
        attempt = {
            "fixture": fact.fixture,
            "attempt": fact.attempt,
        }
        under_way = self.under_way.get(fact.fixture)
        if not isinstance(fact, facts.FixtureIssued):
            if under_way is None or under_way.attempt != fact.attempt:
                return Said("record.never_issued", attempt)
            return None
        over = len(self.over.get(fact.fixture, ()))
        can_begin = under_way is None and not self.state.is_decided(fact.fixture)
        if not can_begin or fact.attempt != over + 1:
            return Said("record.cannot_begin", attempt)
        return None

    def add(self, where: str, fact: facts.TournamentFact) -> None:
        """Add the next line, which was checked."""
        if isinstance(fact, facts.HeadSigned):
            return
        if isinstance(fact, facts.FixtureIssued):
            self.under_way[fact.fixture] = fact
        elif isinstance(fact, AttemptOver):
            del self.under_way[fact.fixture]
            self.over.setdefault(fact.fixture, []).append((where, fact))
        try:
            self.state.apply(fact)
        except TournamentError as error:
            raise no_tournament(where, error) from error
        self.last = fact
