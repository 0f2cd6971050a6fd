"""The knock-out: a seeded bracket; an entrant that loses is out."""

from collections.abc import (
    Collection,
    Iterable,
    Mapping,
    Sequence,
)
from itertools import zip_longest
from typing import (
    ClassVar,
    Final,
    TypeAlias,
)

from arena.tournaments import TournamentError
from arena.tournaments.formats.interface import (
    BracketRound,
    Format,
    Shape,
    SoFar,
)
from arena.tournaments.results import FixtureResult, decide_match
from arena.tournaments.schedule import (
    Fixture,
    Round,
    seat_pairs,
)
from arena.tournaments.standings import Column, Standings
from arena.words import Said

MOST_NAMES: Final = 8
"""The most remaining entrants to be named: those of the quarter-finals."""


class Knockout(Format, frozen=True, kw_only=True, tag="knockout-1"):
    """Winners go on until one entrant remains; the order of the entrants gives the seeds."""

    shape: ClassVar[Shape] = "bracket"

    def next_round(self, so_far: SoFar) -> Round | None:
        """Let neighbours in the bracket meet; None after the final, or if no entrant remains.

        An entrant without a neighbour has a bye, even in the final. A withdrawn entrant leaves its
        place empty.
        """
        places = _known_bracket(so_far)[-1]
        if len(places) < 2:
            return None
        pairs, byes = [], []
        for pair in _pairs(places):
            present = [name for name in _names(pair) if name not in so_far.withdrawn]
            present.sort(key=so_far.entrants.index)
            if len(present) == 2:
                better, worse = present
                pairs.append((better, worse))
            else:
                byes += present
        if not pairs and not byes:
            return None
        number = len(so_far.rounds) + 1
        return Round(
            number=number,
            fixtures=seat_pairs(number, pairs, so_far.rounds),
            byes=tuple(byes),
        )

    def matches(self, entrants: int) -> int:
        """Count the matches: each eliminates one entrant, and one remains."""
        return entrants - 1

    def columns(self, so_far: SoFar) -> tuple[Column, ...]:
        """Return the rounds survived: the winner of all has one more than the other finalist."""
        survived = dict.fromkeys(so_far.entrants, 0)
        for round_ in so_far.rounds[1:]:
            for name in round_.names & survived.keys():
                survived[name] += 1
        last_places = _known_bracket(so_far)[-1]
        winner = last_places[0]
        if len(last_places) == 1 and winner is not None:
            survived[winner] += 1
        return (
            Column(
                heading="rounds survived",
                numbers=survived,
            ),
        )

    def notes(self, so_far: SoFar, names: Mapping[str, str]) -> tuple[Said, ...]:
        """Tell which entrants went on after a match that neither won, and why."""
        notes = []
        settled = {match.fixture: match for match in so_far.results}
        for played, following in zip_longest(so_far.rounds, so_far.rounds[1:]):
            for fixture in played.fixtures:
                match = settled.get(fixture.id)
                if match is None or decide_match(match, so_far.best_game).winner is not None:
                    continue
                mine, theirs = sorted(_seed(so_far, name) for name in fixture.entrants)
                better = so_far.entrants[mine - 1]
                if following is not None and better not in following.names:
                    continue  # the better seed was withdrawn
                survival = {
                    "match": fixture.id,
                    "name": names.get(better, better),
                    "mine": mine,
                    "theirs": theirs,
                }
                code = "survives.void" if match.voided else "survives.drawn"
                notes.append(Said(code, survival))
        return tuple(notes)

    def bracket(self, so_far: SoFar) -> list[BracketRound]:
        """Return the bracket down to the winner, with empty places for entrants not known yet."""
        bracket = _known_bracket(so_far)
        while len(bracket[-1]) > 1:
            half = len(bracket[-1]) // 2
            bracket.append((None,) * half)
        return bracket

    def early_end(
        self,
        so_far: SoFar,
        unplayed: Sequence[Fixture],
    ) -> Said | None:
        """Say that no entrant remains to win, because all of the last ones are withdrawn."""
        *_, (winner,) = self.bracket(so_far)
        if winner is not None:
            return None
        return Said("early.no_winner")

    def outcome(self, so_far: SoFar, table: Standings) -> list[Said]:
        """Name the winner of the final, and what decided it."""
        *_, finalists, (winner,) = self.bracket(so_far)
        if winner is None:
            return [Said("outcome.no_winner")]
        name = table.name(winner)
        final = _match_between(so_far, set(finalists))
        if final is None:
            return [Said("outcome.alone", {"name": name})]
        loser = final.opponent_of(winner)
        decision = decide_match(final, so_far.best_game)
        reason = decision.reason.values
        if decision.winner is None:
            seeds = {
                "mine": _seed(so_far, winner),
                "theirs": _seed(so_far, loser),
            }
            why: object = Said("step.seed", seeds)
        elif "difference" in reason:
            why = reason["difference"]
        else:
            points = {
                "mine": reason["points"],
                "theirs": reason["theirs"],
            }
            why = Said("step.game_points", points)
        return [
            Said(
                "outcome.final",
                {
                    "name": name,
                    "other": table.name(loser),
                    "why": why,
                },
            )
        ]

    def outlook(
        self,
        so_far: SoFar,
        table: Standings,
        unplayed: Mapping[str, int],
    ) -> list[Said]:
        """Say who plays the final, or who is in it; before that, name the entrants still in it."""
        bracket = self.bracket(so_far)
        *_, (winner,) = bracket
        if winner is not None:
            return self.outcome(so_far, table)
        names = table.display_names(_still_in(so_far, bracket))
        if not names:
            return [Said("outcome.no_winner")]
        finalists = table.display_names(_present(so_far, bracket[-2]))
        others = [name for name in names if name not in finalists]
        if len(finalists) == 2:
            return [Said("stakes.final", {"names": finalists})]
        if finalists and 2 <= len(others) <= MOST_NAMES:
            return [Said("stakes.finalist", {"name": finalists[0], "names": others})]
        counts = {
            "count": len(names),
            "all": len(so_far.entrants),
        }
        if len(names) > MOST_NAMES:
            return [Said("stakes.many_still_in", counts)]
        return [
            Said(
                "stakes.still_in",
                {
                    **counts,
                    "names": names,
                },
            )
        ]


def _present(so_far: SoFar, bracket: BracketRound) -> list[str]:
    """Return the known entrants of these places that are not withdrawn."""
    return [name for name in bracket if name is not None and name not in so_far.withdrawn]


def _still_in(so_far: SoFar, bracket: Sequence[BracketRound]) -> list[str]:
    """Return the entrants that have not lost, from the top of the bracket to the bottom."""
    if not so_far.rounds:
        return _present(so_far, bracket[0])
    current = bracket[len(so_far.rounds) - 1]
    following = bracket[len(so_far.rounds)]
    names = []
    for place, name in enumerate(current):
        if name is None or name in so_far.withdrawn:
            continue
        if following[place // 2] in (None, name):
            names.append(name)
    return names


def _known_bracket(so_far: SoFar) -> list[BracketRound]:
    """Return the bracket of every drawn round, then those of the next.

    The next round has one place for every pair of the last.
    """
    bracket = [first_bracket_round(so_far.entrants)]
    for round_ in so_far.rounds[1:]:
        if len(bracket[-1]) <= 2:
            raise TournamentError([Said("format.after_the_final", {"round": round_.number})])
        # The round shows who went on; a later withdrawal must not change that.
        names = round_.names
        following = [_first_in(pair, names) for pair in _pairs(bracket[-1])]
        bracket.append(tuple(following))
    if so_far.rounds:
        winners = [_winner(so_far, pair) for pair in _pairs(bracket[-1])]
        bracket.append(tuple(winners))
    return bracket


_Pair: TypeAlias = tuple[str | None, str | None]
"""Two neighbours of a bracket."""


def _pairs(places: BracketRound) -> Iterable[_Pair]:
    return zip(places[::2], places[1::2], strict=True)


def _names(pair: _Pair) -> list[str]:
    return [name for name in pair if name is not None]


def _first_in(pair: _Pair, names: Collection[str]) -> str | None:
    for name in pair:
        if name in names:
            return name
    return None


def _seed(so_far: SoFar, entrant: str) -> int:
    return so_far.entrants.index(entrant) + 1


def _match_between(
    so_far: SoFar,
    entrants: Collection[str | None],
) -> FixtureResult | None:
    """Return the first settled match of two entrants; None if they have none."""
    for match in so_far.results:
        if {match.first, match.second} == entrants:
            return match
    return None


def _winner(so_far: SoFar, pair: _Pair) -> str | None:
    """Return the neighbour that goes on: the winner, or after a draw or a void the better seed.

    If the match was not played because one has withdrawn, the other goes on; none if both have.
    """
    last_round = so_far.rounds[-1]
    present = [name for name in _names(pair) if name in last_round.names]
    if not present:
        return None
    if len(present) == 1:
        return present[0]
    match = _result_of(so_far, _fixture_between(last_round, present))
    if match is None:
        remaining = [name for name in present if name not in so_far.withdrawn]
        return remaining[0] if len(remaining) == 1 else None
    winner = decide_match(match, so_far.best_game).winner
    if winner is not None:
        return winner
    return min(present, key=so_far.entrants.index)


def _fixture_between(round_: Round, neighbours: Sequence[str]) -> str:
    """Return the id of the fixture of two neighbours; raises TournamentError if there is none."""
    for fixture in round_.fixtures:
        if fixture.entrants == frozenset(neighbours):
            return fixture.id
    first, second = neighbours
    meeting = {
        "one": first,
        "other": second,
        "round": round_.number,
    }
    raise TournamentError([Said("format.neighbours", meeting)])


def _result_of(so_far: SoFar, fixture: str) -> FixtureResult | None:
    for match in so_far.results:
        if match.fixture == fixture:
            return match
    return None


def first_bracket_round(entrants: Sequence[str]) -> BracketRound:
    """Place entrants in a bracket by their seeds, the best first: 1, 8, 4, 5, 2, 7, 3, 6 for eight.

    The best two can only meet in the final, the best four not before the semi-finals, and so on. If
    their number is not a power of two, the places of the weakest seeds stay empty, so that the best
    seeds have the byes.
    """
    seeds = [1]
    while len(seeds) < len(entrants):
        seeds_of_a_pair = 2 * len(seeds) + 1  # the sum of both
        doubled = []
        for seed in seeds:
            doubled += [seed, seeds_of_a_pair - seed]
        seeds = doubled
    empty_places = [None] * (len(seeds) - len(entrants))
    by_seed = [*entrants, *empty_places]
    return tuple(by_seed[seed - 1] for seed in seeds)
