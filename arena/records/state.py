"""The state of a tournament, updated fact by fact: draws, decisions, withdrawals, open fixtures."""

from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import get_args

from msgspec import UNSET

from arena.games.result import Result
from arena.records import facts
from arena.records.files import TOURNAMENT_RECORD
from arena.records.ladder_day import LadderBook
from arena.records.ladder_facts import EntrantCame, LadderFact, LadderOpened, PairDrawn
from arena.records.lines import RecordError
from arena.tournaments import TournamentError
from arena.tournaments.formats.interface import Format, Rated, SoFar
from arena.tournaments.formats.ladder_format import Ladder
from arena.tournaments.names import join_names, shown
from arena.tournaments.results import (
    FixtureResult,
    PairCount,
    count_pairs,
)
from arena.tournaments.schedule import (
    Fixture,
    Round,
    parse_fixture,
)
from arena.tournaments.standings import FormatAdditions, Standings, Withdrawal, standings
from arena.words import Said

AttemptOver = facts.FixtureSettled | facts.FixtureVoided
"""The lines that end an attempt."""


def names_of(fact: facts.TournamentOpened | facts.EntrantsAdded) -> dict[str, str]:
    """Return the names on screens by id.

    Raises `TournamentError` for a name that is not among the entrants.
    """
    names = fact.names or {}
    unknown_names = names.keys() - set(fact.entrants)
    if unknown_names:
        unknown = {"names": ", ".join(sorted(unknown_names))}
        raise TournamentError([Said("record.stranger_named", unknown)])
    return {entrant: names.get(entrant, entrant) for entrant in fact.entrants}


class TournamentState:
    """State that follows from the facts so far; no question needs to read them again.

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
        """The display names of all entrants, by id."""
        scheduled = self._in_this_run(self.format.fixtures(self.entrants))
        self.fixtures = {fixture.id: fixture for fixture in scheduled}
        self.rounds: list[Round] = []
        self.book: LadderBook | None = None
        """What follows from the lines of a ladder; None in other formats, and before its second
        line."""
        self.attempts: Counter[str] = Counter()
        self.violations: Counter[str] = Counter()
        self.withdrawn: set[str] = set()
        self.results: list[FixtureResult] = []
        """The results: fixtures settled, and void for good."""
        self.contained: dict[str, set[facts.Way]] = {}
        """The containments of the program of a launched bot, by entrant."""
        self.is_finished = False
        """True if the standings are written, and no entrant was added since."""
        self.awaited: Sequence[str] = ()
        """The entrants for which all open matches wait; empty while a match can be played."""
        self._missed: Counter[str] = Counter()
        """Fixtures that are void because an entrant was away, counted by this entrant."""
        self._voids: Counter[tuple[str, bool]] = Counter()
        """Void attempts, by the fixture and whether the arena itself failed."""
        self._decided: set[str] = set()
        self._open = dict(self.fixtures)
        self._earlier = (0, frozenset[str]())
        """The number of results, and the entrants withdrawn, before the last match or round."""

    def apply(self, fact: facts.TournamentFact) -> None:
        """Change the state as the next line of the record says. Raises `TournamentError`."""
        # More than ten branches: it is a table of the facts.
        match fact:
            case facts.FixtureIssued():
                self.attempts[fact.fixture] = max(self.attempts[fact.fixture], fact.attempt)
                self.awaited = ()
            case facts.FixtureSettled():
                if not self.rounds:
                    self._note_earlier()
                self._end_attempt(fact, fact.games, is_last=True)
            case facts.FixtureVoided():
                if fact.reason != facts.STOPPED:
                    self._voids[fact.fixture, fact.reason == facts.FAILED] += 1
                self._end_attempt(fact, (), is_last=fact.is_last)
            case facts.EntrantWithdrawn():
                self.withdrawn.add(fact.entrant)
                for fixture in self.left_to_play():
                    if self.is_barred(fixture):
                        del self._open[fixture.id]
            case facts.EntrantsAwaited():
                self.awaited = fact.away
            case facts.EntrantsAbsent():
                self._give_up(fact)
            case facts.RoundDrawn():
                self.rounds.append(round_of(fact))
                self._note_earlier()
                self._add_fixtures(self.rounds[-1].fixtures)
            case facts.EntrantsAdded():
                self._add_entrants(fact)
            case facts.BotsContained():
                for entrant, containment in fact.bots.items():
                    self.contained.setdefault(entrant, set()).add(containment)
            case facts.TournamentEnded():
                self.is_finished = True
            case _ if isinstance(fact, LadderFact):
                self._apply_to_book(fact)
            case _:
                pass  # the first line and closing lines change nothing

    def _apply_to_book(self, fact: LadderFact) -> None:
        """Take a line that only a day of a ladder has. Raises `TournamentError`."""
        if self.book is None:
            self._open_book(fact)
            return
        self.book.apply(fact)
        if isinstance(fact, EntrantCame) and fact.player.entrant not in self.names:
            self.entrants.append(fact.player.entrant)
            self.names[fact.player.entrant] = fact.player.name or fact.player.bot
        elif isinstance(fact, PairDrawn):
            self._add_fixtures([parse_fixture(fact.fixture)])

    def _open_book(self, fact: LadderFact) -> None:
        """Open the book of a day with its second line. Raises `TournamentError`."""
        if not isinstance(self.format, Ladder) or not isinstance(fact, LadderOpened):
            raise TournamentError([Said("record.no_ladder", {"format": self.format.name})])
        run = self.opened.run or ""
        self.book = LadderBook(self.format, self.opened.terms, run, fact)

    def _end_attempt(self, fact: AttemptOver, games: Sequence[Result], *, is_last: bool) -> None:
        """Count the violations of an attempt that ended.

        If it was the last, record the result of its fixture. Raises `TournamentError`.
        """
        result = facts.result_of(fact.fixture, games)
        first, second = fact.violations
        self.violations[result.first] += first
        self.violations[result.second] += second
        if not is_last:
            return
        problem = None
        if result.fixture not in self.fixtures:
            problem = "record.decided_not_scheduled"
        elif result.fixture in self._decided:
            problem = "record.decided_twice"
        if problem is not None:
            raise TournamentError([Said(problem, {"fixture": result.fixture})])
        self._add_result(result)
        if self.book is not None:
            self.book.decide(result, fact.at_ms)

    def _add_result(self, result: FixtureResult) -> None:
        self.results.append(result)
        self._decided.add(result.fixture)
        self._open.pop(result.fixture, None)

    def _note_earlier(self) -> None:
        self._earlier = (len(self.results), frozenset(self.withdrawn))

    def _give_up(self, fact: facts.EntrantsAbsent) -> None:
        """Count every open fixture of these entrants as void."""
        self.awaited = ()
        for fixture in self.left_to_play():
            missing = [name for name in fact.away if name in fixture.entrants]
            if missing:
                self._add_result(facts.result_of(fixture.id, ()))
                self._missed.update(missing)

    def _add_entrants(self, fact: facts.EntrantsAdded) -> None:
        """Add entrants, and the fixtures that they have to catch up. Raises `TournamentError`."""
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
        if run is UNSET:
            return tuple(fixtures)
        return tuple(replace(fixture, run=run) for fixture in fixtures)

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
        """Return the undecided fixtures in the order of play; withdrawn entrants have none."""
        return list(self._open.values())

    def is_last_void(self, fixture: str, reason: Said) -> bool:
        """Return whether one more void attempt for this reason is the last at this fixture."""
        if reason == facts.STOPPED:
            return False
        has_failed = reason == facts.FAILED
        most = facts.FAILURES if has_failed else facts.ATTEMPTS
        return self._voids[fixture, has_failed] + 1 >= most

    def in_violation(self) -> list[str]:
        """Return the entrants with too many violations that are not withdrawn yet (M5).

        They are in the order of the file.
        """
        offenders: list[str] = []
        if not self.format.withdraws:
            return offenders
        for name in self.entrants:
            is_over = self.violations[name] > self.opened.violations
            if is_over and name not in self.withdrawn:
                offenders.append(name)
        return offenders

    def next_round(self) -> Round | None:
        """Draw the next round.

        None while a round is not over, after the last, and in formats that draw none.
        """
        if self._open:
            return None
        drawn = self.format.next_round(self.so_far)
        if drawn is None:
            return None
        return replace(drawn, fixtures=self._in_this_run(drawn.fixtures))

    @property
    def so_far(self) -> SoFar:
        """The part of the state that a format may look at."""
        return self._with(self.results, self.withdrawn, self.rated)

    @property
    def rated(self) -> Mapping[str, Rated]:
        """The present ratings of a ladder, by entrant; empty in other formats."""
        if self.book is None:
            return {}
        return self.book.rated(self.entrants)

    def _with(
        self,
        results: Sequence[FixtureResult],
        withdrawn: Collection[str],
        rated: Mapping[str, Rated],
    ) -> SoFar:
        return SoFar(
            entrants=self.entrants,
            rounds=self.rounds,
            results=results,
            withdrawn=withdrawn,
            best_game=self.opened.best_game,
            rated=rated,
        )

    @property
    def scheduled(self) -> int:
        """Number of matches in the tournament, also of rounds that are still to be drawn."""
        fixtures = len(self.fixtures)
        if self.is_finished:
            return fixtures
        return max(fixtures, self.format.matches(len(self.entrants)))

    @property
    def over(self) -> int:
        """Number of known matches that need no more play: decided, or prevented by a withdrawal."""
        return len(self.fixtures) - len(self._open)

    def standings(self, rated: Mapping[str, Rated] | None = None) -> Standings:
        """Compute the present standings (M4, M5).

        `rated` are other ratings of the same entrants than those of the book. Raises
        `RecordError` if draws and results do not fit together.
        """
        for number, drawn in enumerate(self.rounds, start=1):
            if drawn.number != number:
                wrong = Said("record.round_out_of_order", {"drawn": drawn.number, "number": number})
                raise _no_standings(wrong)
        if rated is None:
            rated = self.rated
        return self._standings_of(self._with(self.results, self.withdrawn, rated))

    def _standings_of(self, so_far: SoFar) -> Standings:
        try:
            return standings(
                so_far.entrants,
                list(self.fixtures.values()),
                so_far.results,
                best_game=so_far.best_game,
                withdrawn=so_far.withdrawn,
                additions=FormatAdditions(
                    rounds=so_far.rounds,
                    rounds_due=self.format.rounds_due(len(so_far.entrants)),
                    columns=self.format.columns(so_far),
                    notes=(*self.format.notes(so_far, self.names), *self._absences()),
                    unplaced=self.format.unplaced(so_far),
                ),
                names=self.names,
            )
        except TournamentError as error:
            raise _no_standings(error.said) from error

    def moves(self, table: Standings) -> dict[str, int]:
        """Return by how many places each entrant went up, below 0 if down, by what came last.

        That is the last settled match, or in a format with rounds everything since the draw of the
        present round: its matches are played at the same time, and each round is drawn from the
        standings. Entrants without a place now or then are left out. It is empty before a match
        counted, once the tournament is finished, and in a ladder, where each result changes many
        places a little. Raises `RecordError`.
        """
        if self.is_finished or self.book is not None:
            return {}
        number, withdrawn = self._earlier
        earlier = self._standings_of(self._with(self.results[:number], withdrawn, {}))
        if not earlier.counted:
            return {}
        places = {row.entrant: row.place for row in earlier.rows}
        moves = {}
        for row in table.rows:
            before = places[row.entrant]
            if row.place is not None and before is not None:
                moves[row.entrant] = before - row.place
        return moves

    def outcome(self, table: Standings) -> list[Said]:
        """Say who won and why; while the tournament is played, what is at stake.

        The first sentence is the headline.
        """
        if self.is_finished:
            sentences = list(self.format.outcome(self.so_far, table))
            early = self.early_end()
            if early is not None:
                sentences.append(early)
            return sentences
        to_play: Counter[str] = Counter()
        for fixture in self._open.values():
            to_play.update(fixture.entrants)
        return self.format.outlook(self.so_far, table, to_play)

    def early_end(self) -> Said | None:
        """Say why the tournament ended before its time; None if it did not, or is still played."""
        if not self.is_finished:
            return None
        unplayed = [
            fixture for fixture in self.fixtures.values() if not self.is_decided(fixture.id)
        ]
        early = self.format.early_end(self.so_far, unplayed)
        if early is None and self._missed:
            return Said("early.absent", {"names": shown(self.names, self._in_order(self._missed))})
        return early

    def _absences(self) -> list[Said]:
        """Say which entrants are waited for, and whose matches could not be played."""
        sentences = []
        if self.awaited:
            names = shown(self.names, self.awaited)
            sentences.append(Said("absent.awaited", {"names": names}))
        for name in self._in_order(self._missed):
            absence = {
                "name": self.names[name],
                "count": self._missed[name],
            }
            sentences.append(Said("absent.missed", absence))
        return sentences

    def matches_counted(self, table: Standings) -> Said:
        """Say how many matches count, and how many do not because of withdrawals (M5)."""
        not_played = self.over - len(self._decided)
        annulled = len(self.annulled(table))
        causes = []
        if not_played:
            causes.append(Said("counted.not_played", {"count": not_played}))
        if annulled:
            causes.append(Said("counted.annulled", {"count": annulled}))
        return Said(
            "counted.but" if causes else "counted.matches",
            {
                "counted": len(table.counted),
                "count": self.scheduled,
                "causes": causes,
                "names": shown(self.names, self._in_order(self.withdrawn)),
            },
        )

    def _in_order(self, names: Container[str]) -> list[str]:
        """Return these entrants in the order of the file."""
        return [name for name in self.entrants if name in names]

    def annulled(self, table: Standings) -> frozenset[str]:
        """Return the settled fixtures that do not count because an entrant withdrew (M5)."""
        if not self.withdrawn:
            return frozenset()
        settled = {fixture.fixture for fixture in self.results if not fixture.voided}
        return frozenset(settled - table.counted)

    def pairs(self, table: Standings) -> dict[str, PairCount]:
        """Count the pairs of every entrant whose matches count, in the order of the standings.

        Empty if no pairs are played.
        """
        if self.opened.terms.form != "pairs":
            return {}
        rows = [row for row in table.rows if row.withdrawal is not Withdrawal.ANNULLED]
        counted = [fixture for fixture in self.results if fixture.fixture in table.counted]
        return count_pairs([row.entrant for row in rows], counted)

    def containment(self) -> list[Said]:
        """Describe how the launched bots were contained, with a sentence for every containment.

        A bot may appear in several.
        """
        sentences = []
        for containment in get_args(facts.Way):
            entrants = [name for name in self.contained if containment in self.contained[name]]
            if entrants:
                bots = join_names(shown(self.names, self._in_order(entrants)))
                sentences.append(Said(f"contained.{containment}", {"bots": bots}))
        return sentences


def _no_standings(problem: Said) -> RecordError:
    return RecordError(TOURNAMENT_RECORD, Said("record.no_standings", {"problem": problem}))


def no_tournament(where: str, error: TournamentError) -> RecordError:
    """Return the error of a line that makes no tournament."""
    return RecordError(where, Said("record.no_tournament", {"problem": error.said}))


def state_of(
    opened: facts.TournamentOpened, facts: Sequence[facts.TournamentFact]
) -> TournamentState:
    """Return the state after these facts; raises `RecordError` if they contradict themselves."""
    where = TOURNAMENT_RECORD
    try:
        state = TournamentState(opened)
        is_whole = bool(facts) and facts[0] == opened  # else the line numbers are unknown
        for line, fact in enumerate(facts, start=1):
            if is_whole:
                where = f"{TOURNAMENT_RECORD}:{line}"
            state.apply(fact)
    except TournamentError as error:
        raise no_tournament(where, error) from error
    return state


def round_of(fact: facts.RoundDrawn) -> Round:
    """Return a recorded round; raises `TournamentError` if one of its fixtures is not valid."""
    return Round(
        number=fact.round,
        fixtures=tuple(map(parse_fixture, fact.fixtures)),
        byes=tuple(fact.byes),
    )
