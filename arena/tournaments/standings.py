"""The table of a tournament at any time: tallies, withdrawals (M5) and places (M4)."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from arena.tournaments import TournamentError
from arena.tournaments.names import NO_NAMES
from arena.tournaments.results import (
    FORFEIT,
    BestGame,
    FixtureResult,
    best_games,
    decide_match,
    result_problems,
)
from arena.tournaments.schedule import Fixture, Round, free_rounds
from arena.tournaments.tie_breaks import Tally, TieBreak, order_field
from arena.words import Said

WIN, DRAW, LOSS = Fraction(1), Fraction(1, 2), Fraction()
"""Match points of a match (M4)."""


class Withdrawal(StrEnum):
    """Withdrawal of an entrant: whether it withdrew, and whether its results count (M5)."""

    NONE = "none"
    STANDS = "stands"
    ANNULLED = "annulled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A number for every entrant by which a format orders them before match points, the greatest first."""

    heading: str
    numbers: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """The table in order, every tie with its reason, and a note for every withdrawal and decision of the format.

    `counted` names the fixtures behind the table, without void and annulled ones.
    """

    rows: tuple[Standing, ...]
    tie_breaks: tuple[TieBreak, ...]
    notes: tuple[Said, ...]
    counted: frozenset[str]
    best_game: BestGame
    columns: tuple[Column, ...]
    names: Mapping[str, str]
    """What entrants are called on screens."""

    def name(self, entrant: str) -> str:
        """Return the name of an entrant on screens."""
        return self.names.get(entrant, entrant)


def standings(
    entrants: Sequence[str],
    schedule: Sequence[Fixture],
    results: Iterable[FixtureResult],
    *,
    best_game: BestGame = "value",
    withdrawn: Collection[str] = frozenset(),
    rounds: Sequence[Round] = (),
    rounds_due: int | None = None,
    columns: tuple[Column, ...] = (),
    notes: tuple[Said, ...] = (),
    names: Mapping[str, str] = NO_NAMES,
) -> Standings:
    """Order the entrants by M4 after the results so far; withdrawn entrants are judged by M5.

    `schedule` has all fixtures that were to be played; the order of `entrants` and of `results`
    does not matter. Annulled entrants come last, without a place. Raises TournamentError with
    everything that contradicts itself.

    If rounds are drawn one by one, `schedule` has what was drawn so far, `rounds` the same with the
    byes, and `rounds_due` how many rounds there are in all if that is known beforehand: then M5
    asks for half of those. An entrant gets the match points of a win for a round in which it has a
    bye, or its opponent withdrew before their match or has its results annulled. `columns` are
    those of the format; they order the entrants before everything else. `notes` are the format's
    too. Sentences call entrants by their display `names`.
    """
    results = sorted(results, key=lambda result: (result.round, result.fixture))
    if found := _problems(entrants, schedule, results, best_game, withdrawn):
        raise TournamentError(found)
    free = free_rounds(rounds, {result.fixture for result in results}, withdrawn)
    due = {  # matches that each withdrawn entrant had to play; free rounds do not count
        name: sum(name in fixture.entrants for fixture in schedule)
        if rounds_due is None
        else rounds_due - free[name]
        for name in withdrawn
    }
    withdrawals, judgements = _judge_withdrawn(due, results, names)
    annulled = {
        name for name, withdrawal in withdrawals.items() if withdrawal is Withdrawal.ANNULLED
    }
    counted = [
        result
        for result in results
        if not result.voided and annulled.isdisjoint((result.first, result.second))
    ]
    for result in results if rounds else ():
        if (
            not result.voided
        ):  # its opponent was annulled, so an entrant has a free round for the match
            met = {result.first, result.second}
            free.update(met - annulled if met & annulled else ())
    own: dict[str, list[FixtureResult]] = {name: [] for name in entrants}
    for result in counted:
        own[result.first].append(result)
        own[result.second].append(result)
    tallies = _tallies(own, best_game, free, columns)
    order = order_field(
        {name: tallies[name] for name in entrants if name not in annulled}, best_game, names
    )
    rows: list[Standing] = []
    for group in order.places:
        place = len(rows) + 1
        for name in group:
            withdrawal = withdrawals.get(name, Withdrawal.NONE)
            rows.append(
                replace(tallies[name], place=place, is_shared=len(group) > 1, withdrawal=withdrawal)
            )
    rows += [
        replace(tallies[name], withdrawal=Withdrawal.ANNULLED, free_rounds=0)
        for name in sorted(annulled)
    ]
    return Standings(
        rows=tuple(rows),
        tie_breaks=order.tie_breaks,
        notes=judgements + notes,
        counted=frozenset(result.fixture for result in counted),
        best_game=best_game,
        columns=columns,
        names=names,
    )


def _judge_withdrawn(
    due_matches: Mapping[str, int], results: Sequence[FixtureResult], names: Mapping[str, str]
) -> tuple[dict[str, Withdrawal], tuple[Said, ...]]:
    """Let a withdrawn entrant's results stand if it played half of its matches or more, else annul them (M5).

    A void match counts neither as due nor as played. Each withdrawn entrant is judged by what it
    played, whatever happens to the others.
    """
    verdicts, notes = {}, []
    for name in sorted(due_matches):
        own = [result for result in results if name in (result.first, result.second)]
        void = sum(result.voided for result in own)
        played = len(own) - void
        due = due_matches[name] - void
        stands = 2 * played >= due
        verdicts[name] = Withdrawal.STANDS if stands else Withdrawal.ANNULLED
        values = {"name": names.get(name, name), "played": played, "count": due}
        notes.append(Said(f"withdrawn.{verdicts[name].value}", values))
    return verdicts, tuple(notes)


def _tallies(
    own: Mapping[str, Sequence[FixtureResult]],
    best_game: BestGame,
    free: Mapping[str, int],
    columns: Sequence[Column],
) -> dict[str, Standing]:
    """Add up the row of each entrant, still without a place; `own[name]` are its matches that count."""
    meetings: dict[str, dict[str, list[Fraction]]] = {name: {} for name in own}
    matches = {result.fixture: result for results in own.values() for result in results}
    winners = {name: decide_match(result, best_game).winner for name, result in matches.items()}
    for name, results in own.items():
        for result in results:
            winner = winners[result.fixture]
            points = DRAW if winner is None else WIN if winner == name else LOSS
            meetings[name].setdefault(result.opponent_of(name), []).append(points)
    scores = {
        name: {other: sum(won, Fraction()) for other, won in meetings[name].items()} for name in own
    }
    totals = {name: sum(scores[name].values(), free[name] * WIN) for name in own}
    rows = {}
    for name, results in own.items():
        won = [game for result in results for game in result.won_by(name)]
        lost = [game for result in results for game in result.won_by(result.opponent_of(name))]
        outcomes = Counter(points for each in meetings[name].values() for points in each)
        rows[name] = Standing(
            entrant=name,
            match_points=totals[name],
            points_for=sum(game.points for game in won),
            best_games=best_games(won, best_game),
            sonneborn_berger=sum(
                (score * totals[other] for other, score in scores[name].items()), Fraction()
            ),
            meetings={other: tuple(points) for other, points in meetings[name].items()},
            before=tuple(column.numbers[name] for column in columns),
            played=len(results),
            won=outcomes[WIN],
            drawn=outcomes[DRAW],
            lost=outcomes[LOSS],
            points_against=sum(game.points for game in lost),
            forfeits=sum(game.ending == FORFEIT for game in lost),
            free_rounds=free[name],
        )
    return rows


def _problems(
    entrants: Sequence[str],
    schedule: Sequence[Fixture],
    results: Sequence[FixtureResult],
    best_game: BestGame,
    withdrawn: Collection[str],
) -> list[Said]:
    entered = Counter(entrants)
    found = [
        Said("result.entered", {"name": repr(name), "count": entered[name]})
        for name in entered
        if entered[name] > 1
    ]
    gone = sorted(set(withdrawn) - set(entrants))
    found += [Said("result.withdrawn_stranger", {"name": repr(name)}) for name in gone]
    for fixture in schedule:
        strangers = sorted(fixture.entrants - set(entrants))
        found += [
            _of(fixture.id, Said("result.stranger", {"name": repr(name)})) for name in strangers
        ]
    scheduled = {fixture.id: fixture for fixture in schedule}
    times = Counter(fixture.id for fixture in schedule)
    settled = Counter(result.fixture for result in results)
    for code, counts in (("result.scheduled_twice", times), ("result.settled_twice", settled)):
        found += [
            _of(name, Said(code, {"count": count})) for name, count in counts.items() if count > 1
        ]
    for result in results:
        due = scheduled.get(result.fixture)
        if due is None:
            found.append(_of(result.fixture, Said("result.not_scheduled")))
        elif (due.round, due.first, due.second) != (result.round, result.first, result.second):
            values = {"round": result.round, "first": result.first, "second": result.second}
            found.append(_of(result.fixture, Said("result.of_another_round", values)))
        found += result_problems(result, best_game)
    return found


def _of(fixture: str, problem: Said) -> Said:
    return Said("result.of_fixture", {"fixture": fixture, "problem": problem})
