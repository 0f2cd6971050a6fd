"""The table of a tournament at any time: tallies, withdrawals (M5) and places (M4)."""

from collections import Counter
from collections.abc import (
    Collection,
    Iterable,
    Mapping,
    Sequence,
)
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import Final

from arena.games.result import Result
from arena.tournaments import TournamentError
from arena.tournaments.names import NO_NAMES
from arena.tournaments.results import (
    FORFEIT,
    BestGame,
    FixtureResult,
    best_games,
    by_round,
    decide_match,
    result_problems,
)
from arena.tournaments.schedule import (
    Fixture,
    Round,
    free_rounds,
)
from arena.tournaments.tie_breaks import (
    Ranking,
    Tally,
    TieBreak,
    order_field,
)
from arena.words import Said

WIN, DRAW, LOSS = Fraction(1), Fraction(1, 2), Fraction()
"""Match points of a match (M4)."""


class Withdrawal(StrEnum):
    """Withdrawal of an entrant: whether it withdrew, and whether its results count (M5)."""

    NONE = "none"
    STANDS = "stands"
    ANNULLED = "annulled"


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class Column:
    """A number for every entrant, or none for those without one.

    If it decides, entrants are ordered by it before match points, the greatest first.
    """

    heading: str
    numbers: Mapping[str, float]
    decides: bool = True
    is_shown: bool = True
    """False if only programs get it."""
    texts: Mapping[str, Said | str] = field(default_factory=dict)
    """For people, where it is not the number."""


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class Standing(Tally):
    """One row of the table, over the entrant's matches that count.

    `place` is 1 for the best; several may share one, and an annulled entrant has None. `played`,
    `won`, `drawn` and `lost` count matches. `points_against` are game points. `forfeits` counts the
    games this entrant forfeited. `free_rounds` counts the rounds that gave it the match points of a
    win without a match; they are in `match_points` alone.
    """

    place: int | None = None
    is_shared: bool = False
    entrant: str
    played: int
    won: int
    drawn: int
    lost: int
    points_against: int
    forfeits: int
    withdrawal: Withdrawal = Withdrawal.NONE
    free_rounds: int


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class Standings:
    """The table in order, with the reason of every tie.

    `notes` has one for every withdrawal and every decision of the format. `counted` names the
    fixtures behind the table, without void and annulled ones.
    """

    rows: tuple[Standing, ...]
    tie_breaks: tuple[TieBreak, ...]
    notes: tuple[Said, ...]
    counted: frozenset[str]
    best_game: BestGame
    columns: tuple[Column, ...]
    names: Mapping[str, str]
    """The display names of entrants, by id."""

    def name(self, entrant: str) -> str:
        """Return the display name of an entrant; its id if it has none."""
        return self.names.get(entrant, entrant)

    def display_names(self, entrants: Iterable[str]) -> list[str]:
        """Return the display names of entrants."""
        return [self.name(entrant) for entrant in entrants]


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class FormatAdditions:
    """What a format adds to the standings: the rounds it has drawn, its columns and notes.

    `rounds` are those drawn one by one so far, with their byes, and `rounds_due` is how many there
    are in all, if that is known beforehand. `columns` order the entrants before everything else.
    """

    rounds: Sequence[Round] = ()
    rounds_due: int | None = None
    columns: tuple[Column, ...] = ()
    notes: tuple[Said, ...] = ()
    unplaced: Sequence[str] = ()
    """Entrants that have no place, in order."""


NO_ADDITIONS: Final = FormatAdditions()


def standings(
    entrants: Sequence[str],
    schedule: Sequence[Fixture],
    results: Iterable[FixtureResult],
    *,
    best_game: BestGame = "value",
    withdrawn: Collection[str] = frozenset(),
    additions: FormatAdditions = NO_ADDITIONS,
    names: Mapping[str, str] = NO_NAMES,
) -> Standings:
    """Order the entrants by M4 after the results so far; withdrawn entrants are judged by M5.

    `schedule` has all fixtures that were to be played, or those of the rounds drawn so far. The
    order of `entrants` and of `results` does not matter. Annulled entrants come last, without a
    place. Sentences call entrants by their display `names`. Raises TournamentError with everything
    that contradicts itself.

    If rounds are drawn one by one, M5 asks for half of `rounds_due`. An entrant then gets the match
    points of a win for a round in which it has a bye, or its opponent withdrew before their match
    or has its results annulled.
    """
    matches = by_round(results)
    problems = _problems(
        entrants,
        schedule,
        matches,
        best_game,
        withdrawn,
    )
    if problems:
        raise TournamentError(problems)
    settled = {match.fixture for match in matches}
    free = free_rounds(additions.rounds, settled, withdrawn)
    matches_due = _count_due_matches(schedule, withdrawn, free, additions.rounds_due)
    judgements = _judge_withdrawn(matches_due, matches)
    withdrawals, annulled, judged = {}, set(), []
    for judgement in judgements:
        withdrawals[judgement.entrant] = judgement.withdrawal
        judged.append(judgement.note(names))
        if judgement.withdrawal is Withdrawal.ANNULLED:
            annulled.add(judgement.entrant)
    counted, walkovers = _leave_out(annulled, matches)
    if additions.rounds:
        free.update(walkovers)
    tallies = _tallies(
        entrants,
        counted,
        best_game,
        free,
        additions.columns,
    )
    ranked = {}
    without_place = annulled.union(additions.unplaced)
    for name in entrants:
        if name not in without_place:
            ranked[name] = tallies[name]
    ranking = order_field(ranked, best_game, names)
    rows = _rows(tallies, ranking, withdrawals, additions.unplaced)
    return Standings(
        rows=tuple(rows),
        tie_breaks=ranking.tie_breaks,
        notes=(*judged, *additions.notes),
        counted=frozenset(match.fixture for match in counted),
        best_game=best_game,
        columns=additions.columns,
        names=names,
    )


def _leave_out(
    annulled: AbstractSet[str],
    matches: Sequence[FixtureResult],
) -> tuple[list[FixtureResult], list[str]]:
    """Return the matches that count, and the opponents of annulled entrants in the others.

    In rounds drawn one by one such a match becomes a free round for the opponent.
    """
    counted: list[FixtureResult] = []
    opponents: list[str] = []
    for match in matches:
        if match.voided:
            continue
        players = {match.first, match.second}
        if annulled.isdisjoint(players):
            counted.append(match)
        else:
            opponents += players - annulled
    return counted, opponents


def _rows(
    tallies: Mapping[str, Standing],
    ranking: Ranking,
    withdrawals: Mapping[str, Withdrawal],
    unplaced: Sequence[str],
) -> list[Standing]:
    """Give every tally its place; those that have none and the annulled ones come last."""
    rows: list[Standing] = []
    for group in ranking.places:
        place = len(rows) + 1
        for name in group:
            row = replace(
                tallies[name],
                place=place,
                is_shared=len(group) > 1,
                withdrawal=withdrawals.get(name, Withdrawal.NONE),
            )
            rows.append(row)
    rows += [tallies[name] for name in unplaced]
    for name, withdrawal in sorted(withdrawals.items()):
        if withdrawal is Withdrawal.ANNULLED:
            rows.append(replace(tallies[name], withdrawal=withdrawal, free_rounds=0))
    return rows


def _count_due_matches(
    schedule: Sequence[Fixture],
    withdrawn: Collection[str],
    free: Mapping[str, int],
    rounds_due: int | None,
) -> dict[str, int]:
    """Count the matches that each withdrawn entrant had to play; free rounds do not count."""
    if rounds_due is not None:
        return {name: rounds_due - free[name] for name in withdrawn}
    scheduled = Counter[str]()
    for fixture in schedule:
        scheduled.update(fixture.entrants)
    return {name: scheduled[name] for name in withdrawn}


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class _Judgement:
    """The judgement of a withdrawn entrant by M5, and the matches it follows from."""

    entrant: str
    played: int
    due: int

    @property
    def withdrawal(self) -> Withdrawal:
        if 2 * self.played >= self.due:
            return Withdrawal.STANDS
        return Withdrawal.ANNULLED

    def note(self, names: Mapping[str, str]) -> Said:
        """Tell the judgement with its reason."""
        name = names.get(self.entrant, self.entrant)
        reason = {
            "name": name,
            "played": self.played,
            "count": self.due,
        }
        return Said(f"withdrawn.{self.withdrawal.value}", reason)


def _judge_withdrawn(
    matches_due: Mapping[str, int],
    matches: Sequence[FixtureResult],
) -> list[_Judgement]:
    """Judge withdrawn entrants by M5: results stand if half of the matches or more were played.

    A void match counts neither as due nor as played. Each withdrawn entrant is judged by what it
    played, whatever happens to the others.
    """
    judgements = []
    for name in sorted(matches_due):
        played, void = 0, 0
        for match in matches:
            if name not in (match.first, match.second):
                continue
            if match.voided:
                void += 1
            else:
                played += 1
        due = matches_due[name] - void
        judgements.append(
            _Judgement(
                entrant=name,
                played=played,
                due=due,
            )
        )
    return judgements


def _tallies(
    entrants: Sequence[str],
    matches: Sequence[FixtureResult],
    best_game: BestGame,
    free: Mapping[str, int],
    columns: Sequence[Column],
) -> dict[str, Standing]:
    """Add up the row of each entrant, still without a place, over the matches that count."""
    matches_of: dict[str, list[FixtureResult]] = {name: [] for name in entrants}
    for match in matches:
        matches_of[match.first].append(match)
        matches_of[match.second].append(match)
    meetings = _points_won(entrants, matches, best_game)
    totals = {}
    for name in entrants:
        totals[name] = free[name] * WIN
        for points_won in meetings[name].values():
            totals[name] += sum(points_won)
    rows = {}
    for name in entrants:
        won: list[Result] = []
        lost: list[Result] = []
        for match in matches_of[name]:
            won += match.won_by(name)
            lost += match.won_by(match.opponent_of(name))
        outcomes = Counter[Fraction]()
        sonneborn_berger = Fraction()
        for opponent, points_won in meetings[name].items():
            outcomes.update(points_won)
            sonneborn_berger += sum(points_won) * totals[opponent]
        rows[name] = Standing(
            entrant=name,
            match_points=totals[name],
            points_for=sum(game.points for game in won),
            best_games=best_games(won, best_game),
            sonneborn_berger=sonneborn_berger,
            meetings={opponent: tuple(points) for opponent, points in meetings[name].items()},
            format_keys=tuple(column.numbers[name] for column in columns if column.decides),
            played=len(matches_of[name]),
            won=outcomes[WIN],
            drawn=outcomes[DRAW],
            lost=outcomes[LOSS],
            points_against=sum(game.points for game in lost),
            forfeits=sum(game.ending == FORFEIT for game in lost),
            free_rounds=free[name],
        )
    return rows


def _points_won(
    entrants: Sequence[str],
    matches: Sequence[FixtureResult],
    best_game: BestGame,
) -> dict[str, dict[str, list[Fraction]]]:
    """Return the match points of each entrant against each opponent, one number per match."""
    meetings: dict[str, dict[str, list[Fraction]]] = {name: {} for name in entrants}
    for match in matches:
        winner = decide_match(match, best_game).winner
        for name in (match.first, match.second):
            points = _match_points(winner, name)
            meetings[name].setdefault(match.opponent_of(name), []).append(points)
    return meetings


def _match_points(winner: str | None, entrant: str) -> Fraction:
    if winner is None:
        return DRAW
    return WIN if winner == entrant else LOSS


def _problems(
    entrants: Sequence[str],
    schedule: Sequence[Fixture],
    matches: Sequence[FixtureResult],
    best_game: BestGame,
    withdrawn: Collection[str],
) -> list[Said]:
    """Return all that contradicts itself: in the field, then the schedule, then the results."""
    problems = []
    for name, count in Counter(entrants).items():
        if count > 1:
            entered = {"name": repr(name), "count": count}
            problems.append(Said("result.entered", entered))
    field = set(entrants)
    for name in sorted(set(withdrawn) - field):
        stranger = {"name": repr(name)}
        problems.append(Said("result.withdrawn_stranger", stranger))
    scheduled = []
    for fixture in schedule:
        scheduled.append(fixture.id)
        for name in sorted(fixture.entrants - field):
            problem = Said("result.stranger", {"name": repr(name)})
            problems.append(_of(fixture.id, problem))
    settled = [match.fixture for match in matches]
    problems += _find_repeated("result.scheduled_twice", scheduled)
    problems += _find_repeated("result.settled_twice", settled)
    problems += _check_results(schedule, matches, best_game)
    return problems


def _find_repeated(code: str, fixtures: Sequence[str]) -> list[Said]:
    problems = []
    for name, count in Counter(fixtures).items():
        if count > 1:
            problem = Said(code, {"count": count})
            problems.append(_of(name, problem))
    return problems


def _check_results(
    schedule: Sequence[Fixture],
    matches: Sequence[FixtureResult],
    best_game: BestGame,
) -> list[Said]:
    """Return what is wrong with each result, by the schedule and in itself."""
    by_id = {fixture.id: fixture for fixture in schedule}
    problems = []
    for match in matches:
        due = by_id.get(match.fixture)
        if due is None:
            problems.append(_of(match.fixture, Said("result.not_scheduled")))
        elif (due.round, due.first, due.second) != (match.round, match.first, match.second):
            played = {
                "round": match.round,
                "first": match.first,
                "second": match.second,
            }
            problem = Said("result.of_another_round", played)
            problems.append(_of(match.fixture, problem))
        problems += result_problems(match, best_game)
    return problems


def _of(fixture: str, problem: Said) -> Said:
    return Said("result.of_fixture", {"fixture": fixture, "problem": problem})
