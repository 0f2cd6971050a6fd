"""The state of a tournament, updated fact by fact: what was drawn and decided, who was withdrawn, what is left."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import get_args

from msgspec import UNSET

from arena.games.result import Result
from arena.records import facts
from arena.records.files import TOURNAMENT_RECORD
from arena.records.lines import RecordError
from arena.tournaments import TournamentError
from arena.tournaments.formats.interface import Format, SoFar
from arena.tournaments.names import listed, shown
from arena.tournaments.results import FixtureResult, PairCount, count_pairs
from arena.tournaments.schedule import Fixture, Round, parse_fixture
from arena.tournaments.standings import FormatAdditions, Standings, standings
from arena.words import Said

Concluded = facts.FixtureSettled | facts.FixtureVoided
"""The lines that end an attempt."""


def names_of(fact: facts.TournamentOpened | facts.EntrantsAdded) -> dict[str, str]:
    """Return the names on screens by id; raises `TournamentError` for a name or a person that did not enter."""
    given = fact.names or {}
    for told, code in (
        (given, "record.stranger_named"),
        (fact.people or (), "record.stranger_person"),
    ):
        if strangers := set(told) - set(fact.entrants):
            raise TournamentError([Said(code, {"names": ", ".join(sorted(strangers))})])
    return {entrant: given.get(entrant, entrant) for entrant in fact.entrants}


class TournamentState:
    """State that follows from the facts so far; it answers every question without reading them again.

    `entrants` are in the order of the file, newcomers last; `fixtures` are all that are known by
    now, by id and in the order of play; `rounds` are those drawn, in formats with rounds. Raises
    `TournamentError` if entrants or fixtures contradict each other.
    """

    def __init__(self, opened: facts.TournamentOpened) -> None:
        self.opened = opened
        self.format: Format = opened.schedule
        if problems := self.format.problems(opened.entrants):
            raise TournamentError(problems)
        self.entrants = list(opened.entrants)
        self.names = names_of(opened)
        """What every entrant is called on screens."""
        self.fixtures = {
            fixture.id: fixture
            for fixture in self._in_this_run(self.format.fixtures(self.entrants))
        }
        self.rounds: list[Round] = []
        self.attempts: Counter[str] = Counter()
        self.violations: Counter[str] = Counter()
        self.withdrawn: set[str] = set()
        self.results: list[FixtureResult] = []
        """The results: fixtures settled, and void for good."""
        self.contained: dict[str, set[facts.Way]] = {}
        """Every way in which the program of a launched bot was contained, by entrant."""
        self.is_finished = False
        """Whether the standings are written, and nobody has entered since."""
        self.awaited: Sequence[str] = ()
        """The entrants for which all matches wait that are left; empty while something can be
        played."""
        self._missed: Counter[str] = Counter()
        """Fixtures that are void because an entrant was away, counted by this entrant."""
        self._voids: Counter[tuple[str, bool]] = Counter()
        """By the fixture, and whether the arena itself failed."""
        self._decided: set[str] = set()
        self._open = dict(self.fixtures)

    def take(self, fact: facts.TournamentFact) -> None:
        """Take one more line of the record."""
        match fact:
            case facts.FixtureIssued():
                self.attempts[fact.fixture] = max(self.attempts[fact.fixture], fact.attempt)
                self.awaited = ()
            case facts.FixtureSettled():
                self._conclude(fact, fact.games, is_last=True)
            case facts.FixtureVoided():
                self._voids[fact.fixture, fact.reason == facts.FAILED] += (
                    fact.reason != facts.STOPPED
                )
                self._conclude(fact, (), is_last=fact.is_last)
            case facts.EntrantWithdrawn():
                self.withdrawn.add(fact.entrant)
                self._open = {
                    name: each for name, each in self._open.items() if not self.is_barred(each)
                }
            case facts.EntrantsAwaited():
                self.awaited = fact.away
            case facts.EntrantsAbsent():
                self._give_up(fact)
            case facts.RoundDrawn():
                self.rounds.append(round_of(fact))
                self._add_fixtures(self.rounds[-1].fixtures)
            case facts.EntrantsAdded():
                self._add_entrants(fact)
            case facts.BotsContained():
                for name, way in fact.bots.items():
                    self.contained.setdefault(name, set()).add(way)
            case facts.TournamentEnded():
                self.is_finished = True
            case _:
                pass  # the first line and closing lines change nothing

    def _conclude(self, fact: Concluded, games: Sequence[Result], *, is_last: bool) -> None:
        result = facts.result_of(fact.fixture, games)
        self.violations[result.first] += fact.violations[0]
        self.violations[result.second] += fact.violations[1]
        if not is_last:
            return
        if result.fixture not in self.fixtures:
            raise TournamentError(
                [Said("record.decided_not_scheduled", {"fixture": result.fixture})]
            )
        if result.fixture in self._decided:
            raise TournamentError([Said("record.decided_twice", {"fixture": result.fixture})])
        self._decide(result)

    def _decide(self, result: FixtureResult) -> None:
        self.results.append(result)
        self._decided.add(result.fixture)
        self._open.pop(result.fixture, None)

    def _give_up(self, fact: facts.EntrantsAbsent) -> None:
        """Count every open fixture of these entrants as void."""
        self.awaited = ()
        for fixture in self.left_to_play():
            if missing := [name for name in fact.away if name in fixture.entrants]:
                self._decide(facts.result_of(fixture.id, ()))
                self._missed.update(missing)

    def _add_entrants(self, fact: facts.EntrantsAdded) -> None:
        if problems := self.format.problems([*self.entrants, *fact.entrants]):
            raise TournamentError(problems)
        field = [name for name in self.entrants if name not in self.withdrawn]
        last_round = max((fixture.round for fixture in self.fixtures.values()), default=0)
        missing = self.format.catch_up(field, fact.entrants, last_round)
        if missing is None:
            raise TournamentError([Said("format.no_newcomers", {"format": self.format.name})])
        self._add_fixtures(self._in_this_run(missing))
        self.entrants += fact.entrants
        self.names |= names_of(fact)
        self.is_finished = False

    def _in_this_run(self, fixtures: Sequence[Fixture]) -> tuple[Fixture, ...]:
        """Return fixtures of the format with the id of the run, if it has one."""
        run = self.opened.run
        return (
            tuple(fixtures)
            if run is UNSET
            else tuple(replace(fixture, run=run) for fixture in fixtures)
        )

    def _add_fixtures(self, fixtures: Iterable[Fixture]) -> None:
        for fixture in fixtures:
            self.fixtures[fixture.id] = self._open[fixture.id] = fixture

    def is_decided(self, fixture: str) -> bool:
        """Return whether a fixture is settled, or void for good."""
        return fixture in self._decided

    def is_barred(self, fixture: Fixture) -> bool:
        """Return whether one of its entrants was withdrawn."""
        return fixture.first in self.withdrawn or fixture.second in self.withdrawn

    def left_to_play(self) -> list[Fixture]:
        """The undecided fixtures in the order of play, without those of withdrawn entrants."""
        return list(self._open.values())

    def is_last_void(self, fixture: str, reason: Said) -> bool:
        """Return whether one more void attempt for this reason is the last at this fixture."""
        has_failed = reason == facts.FAILED
        return reason != facts.STOPPED and self._voids[fixture, has_failed] + 1 >= (
            facts.FAILURES if has_failed else facts.ATTEMPTS
        )

    def in_violation(self) -> list[str]:
        """Entrants with more violations than allowed that are not withdrawn yet (M5), in the order of the file."""
        allowed = self.opened.violations
        return [
            name
            for name in self.entrants
            if self.violations[name] > allowed and name not in self.withdrawn
        ]

    def next_round(self) -> Round | None:
        """Draw the next round; None while one is not over, after the last, and in formats that draw none."""
        drawn = None if self._open else self.format.next_round(self.so_far)
        return None if drawn is None else replace(drawn, fixtures=self._in_this_run(drawn.fixtures))

    @property
    def so_far(self) -> SoFar:
        """Return all that a format may look at."""
        return SoFar(
            entrants=self.entrants,
            rounds=self.rounds,
            results=self.results,
            withdrawn=self.withdrawn,
            best_game=self.opened.best_game,
        )

    @property
    def scheduled(self) -> int:
        """Number of matches in the tournament: those known by now, or more if rounds are still to be drawn."""
        due = 0 if self.is_finished else self.format.matches(len(self.entrants))
        return max(len(self.fixtures), due)

    @property
    def over(self) -> int:
        """Number of known matches that need no more play: decided, or prevented by a withdrawal."""
        return len(self.fixtures) - len(self._open)

    def standings(self) -> Standings:
        """The present standings (M4, M5); raises `RecordError` if draws and results do not fit together."""
        for number, drawn in enumerate(self.rounds, start=1):
            if drawn.number != number:
                wrong = Said("record.round_out_of_order", {"drawn": drawn.number, "number": number})
                raise RecordError(
                    TOURNAMENT_RECORD, Said("record.no_standings", {"problem": wrong})
                )
        try:
            return standings(
                self.entrants,
                list(self.fixtures.values()),
                self.results,
                best_game=self.opened.best_game,
                withdrawn=self.withdrawn,
                additions=FormatAdditions(
                    rounds=self.rounds,
                    rounds_due=self.format.rounds_due(len(self.entrants)),
                    columns=self.format.columns(self.so_far),
                    notes=(*self.format.notes(self.so_far, self.names), *self._absences()),
                ),
                names=self.names,
            )
        except TournamentError as error:
            raise RecordError(
                TOURNAMENT_RECORD, Said("record.no_standings", {"problem": error.said})
            ) from error

    def outcome(self, table: Standings) -> list[Said]:
        """Say who won and why; while the tournament is played, what is still open."""
        if self.is_finished:
            early = self.early_end()
            return [*self.format.outcome(self.so_far, table), *([early] if early else [])]
        count = self.scheduled - self.over
        left = Counter(name for fixture in self._open.values() for name in fixture.entrants)
        matches = [Said("open.matches", {"count": count})] if count else []
        return [*matches, *self.format.outlook(self.so_far, table, left)]

    def early_end(self) -> Said | None:
        """Say why the tournament ended before its time; None if it did not, or is still played."""
        if not self.is_finished:
            return None
        unplayed = [
            fixture for fixture in self.fixtures.values() if not self.is_decided(fixture.id)
        ]
        early = self.format.early_end(self.so_far, unplayed)
        if early is None and self._missed:
            missed = [name for name in self.entrants if name in self._missed]
            return Said("early.absent", {"names": shown(self.names, missed)})
        return early

    def _absences(self) -> list[Said]:
        """Say which entrants are waited for, and whose matches could not be played."""
        awaited = (
            [Said("absent.awaited", {"names": shown(self.names, self.awaited)})]
            if self.awaited
            else []
        )
        missed = [name for name in self.entrants if name in self._missed]
        return awaited + [
            Said("absent.missed", {"name": self.names[name], "count": self._missed[name]})
            for name in missed
        ]

    def matches_counted(self, table: Standings) -> Said:
        """Say how many matches count, and how many do not because of withdrawals (M5)."""
        lost = {"not_played": self.over - len(self._decided), "annulled": len(self.annulled(table))}
        withdrawn = [name for name in self.entrants if name in self.withdrawn]
        values = {
            "counted": len(table.counted),
            "count": self.scheduled,
            "causes": [
                Said(f"counted.{cause}", {"count": count}) for cause, count in lost.items() if count
            ],
            "names": shown(self.names, withdrawn),
        }
        return Said("counted.but" if any(lost.values()) else "counted.matches", values)

    def annulled(self, table: Standings) -> frozenset[str]:
        """Return the settled fixtures that count for nobody because an entrant withdrew (M5)."""
        if not self.withdrawn:
            return frozenset()
        return (
            frozenset(result.fixture for result in self.results if not result.voided)
            - table.counted
        )

    def pairs(self, table: Standings) -> dict[str, PairCount]:
        """The pairs of every entrant that has a place, in the order of the standings; empty if none are played."""
        if self.opened.terms.form != "pairs":
            return {}
        counted = [result for result in self.results if result.fixture in table.counted]
        return count_pairs([row.entrant for row in table.rows if row.place is not None], counted)

    def containment(self) -> list[Said]:
        """Describe how the launched bots were contained, a sentence for every way; a bot may appear in several."""
        found = []
        for way in get_args(facts.Way):
            bots = [
                self.names[name] for name in self.entrants if way in self.contained.get(name, ())
            ]
            found += [Said(f"contained.{way}", {"bots": listed(bots)})] if bots else []
        return found


def state_of(
    opened: facts.TournamentOpened, facts: Sequence[facts.TournamentFact]
) -> TournamentState:
    """The state after these facts; raises `RecordError` if they contradict themselves."""
    where = TOURNAMENT_RECORD
    try:
        state = TournamentState(opened)
        is_whole = bool(facts) and facts[0] == opened  # else the line numbers are unknown
        for line, fact in enumerate(facts, start=1):
            where = f"{TOURNAMENT_RECORD}:{line}" if is_whole else TOURNAMENT_RECORD
            state.take(fact)
    except TournamentError as error:
        raise RecordError(where, Said("record.no_tournament", {"problem": error.said})) from error
    return state


def round_of(fact: facts.RoundDrawn) -> Round:
    """A recorded round. Raises `TournamentError` if one of its fixtures is not valid."""
    return Round(
        number=fact.round, fixtures=tuple(map(parse_fixture, fact.fixtures)), byes=tuple(fact.byes)
    )


class LineOrder:
    """Follows a tournament record line by line.

    It raises `RecordError` for a line that cannot follow those before.
    """

    def __init__(self, opened: facts.TournamentOpened) -> None:
        try:
            self.state = TournamentState(opened)
        except TournamentError as error:
            raise RecordError(
                f"{TOURNAMENT_RECORD}:1", Said("record.no_tournament", {"problem": error.said})
            ) from error
        self.last: facts.TournamentFact = opened
        """The last line; a signature of the lines before it may stand anywhere and counts for
        nothing."""
        self.under_way: dict[str, facts.FixtureIssued] = {}
        """The attempts that are issued and not over, by fixture."""
        self.over: dict[str, list[tuple[str, Concluded]]] = {}
        """The attempts that are over, by fixture, with their lines."""

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
        if isinstance(fact, facts.FixtureIssued | Concluded):
            self._check_attempt(where, fact)
        elif isinstance(fact, facts.EntrantsAwaited | facts.EntrantsAbsent):
            self._check_absence(where, fact)

    def _check_absence(
        self, where: str, fact: facts.EntrantsAwaited | facts.EntrantsAbsent
    ) -> None:
        """An entrant is waited for, or given up, only if it has something left to play, and nobody plays now."""
        left = {name for fixture in self.state.left_to_play() for name in fixture.entrants}
        if self.state.opened.absent is UNSET:
            raise RecordError(where, Said("record.nobody_waits"))
        if strangers := [name for name in fact.away if name not in left]:
            raise RecordError(where, Said("record.cannot_be_away", {"names": ", ".join(strangers)}))
        if isinstance(fact, facts.EntrantsAbsent) and self.under_way:
            raise RecordError(
                where, Said("record.not_given_up", {"fixtures": ", ".join(self.under_way)})
            )

    def _check_attempt(self, where: str, fact: facts.FixtureIssued | Concluded) -> None:
        """An attempt is issued when the one before it is over, and is over when it was issued."""
        under_way, over = self.under_way.get(fact.fixture), len(self.over.get(fact.fixture, ()))
        values = {"fixture": fact.fixture, "attempt": fact.attempt}
        problem = None
        if fact.fixture not in self.state.fixtures:
            problem = Said("record.not_scheduled", {"fixture": fact.fixture})
        elif not isinstance(fact, facts.FixtureIssued):
            if under_way is None or under_way.attempt != fact.attempt:
                problem = Said("record.never_issued", values)
        elif under_way or self.state.is_decided(fact.fixture) or fact.attempt != over + 1:
            problem = Said("record.cannot_begin", values)
        if problem is not None:
            raise RecordError(where, Said("record.line_missing", {"problem": problem}))

    def take(self, where: str, fact: facts.TournamentFact) -> None:
        """Take the next line, which was checked."""
        if isinstance(fact, facts.HeadSigned):
            return
        if isinstance(fact, facts.FixtureIssued):
            self.under_way[fact.fixture] = fact
        elif isinstance(fact, Concluded):
            del self.under_way[fact.fixture]
            self.over.setdefault(fact.fixture, []).append((where, fact))
        try:
            self.state.take(fact)
        except TournamentError as error:
            raise RecordError(
                where, Said("record.no_tournament", {"problem": error.said})
            ) from error
        self.last = fact
