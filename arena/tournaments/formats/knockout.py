"""The knock-out: a seeded bracket; an entrant that loses is out."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import ClassVar, Final

from arena.tournaments import TournamentError
from arena.tournaments.formats.interface import Format, Shape, Slots, SoFar
from arena.tournaments.results import decide_match
from arena.tournaments.schedule import Fixture, Round, seated
from arena.tournaments.standings import Column, Standings
from arena.words import Said

MOST_NAMES: Final = 8
"""How many of the entrants that are still in are named: those of the quarter-finals."""


class Knockout(Format, frozen=True, kw_only=True, tag="knockout-1"):
    """Winners go on until one is left; the order of the entrants gives the seeds."""

    shape: ClassVar[Shape] = "bracket"

    def next_round(self, so_far: SoFar) -> Round | None:
        """Neighbours in the bracket meet; None after the final, or if nobody is left.

        An entrant without a neighbour has a bye, even in the final. A withdrawn entrant leaves its
        place empty.
        """
        slots = tuple(
            name if name not in so_far.withdrawn else None for name in _bracket(so_far)[-1]
        )
        if len(slots) < 2 or not any(slots):
            return None
        pairs, byes = [], []
        for pair in _pairs(slots):
            there = sorted((name for name in pair if name is not None), key=so_far.entrants.index)
            if len(there) == 2:
                pairs.append((there[0], there[1]))
            else:
                byes += there
        number = len(so_far.rounds) + 1
        return Round(number=number, fixtures=seated(number, pairs, so_far.rounds), byes=tuple(byes))

    def matches(self, entrants: int) -> int:
        """Each match eliminates one entrant, and one remains."""
        return entrants - 1

    def columns(self, so_far: SoFar) -> tuple[Column, ...]:
        """Rounds survived: the winner of all has one more than the other finalist."""
        survived = {
            name: sum(name in each.names for each in so_far.rounds[1:]) for name in so_far.entrants
        }
        top, *others = _bracket(so_far)[-1]
        if top is not None and not others:
            survived[top] += 1
        return (Column(heading="rounds survived", numbers=survived),)

    def notes(self, so_far: SoFar, names: Mapping[str, str]) -> tuple[Said, ...]:
        """Tell which entrants went on after a match that nobody won, and why."""
        found = []
        results = {result.fixture: result for result in so_far.results}
        for played, following in zip_longest(so_far.rounds, so_far.rounds[1:]):
            for fixture in played.fixtures:
                result = results.get(fixture.id)
                if result is None or decide_match(result, so_far.best_game).winner is not None:
                    continue
                seeds = sorted(so_far.entrants.index(name) + 1 for name in fixture.entrants)
                better = so_far.entrants[seeds[0] - 1]
                if following is None or better in following.names:  # else it was withdrawn
                    name = names.get(better, better)
                    seen = {"match": fixture.id, "name": name, "mine": seeds[0], "theirs": seeds[1]}
                    found.append(Said("survives.void" if result.voided else "survives.drawn", seen))
        return tuple(found)

    def slots(self, so_far: SoFar) -> list[Slots]:
        """The bracket down to the winner, with places for those who are not known yet."""
        slots = _bracket(so_far)
        while len(slots[-1]) > 1:
            slots.append((None,) * (len(slots[-1]) // 2))
        return slots

    def early_end(self, so_far: SoFar, unplayed: Sequence[Fixture]) -> Said | None:
        """Say that nobody is left to win: all that were still in are withdrawn."""
        *_, (winner,) = self.slots(so_far)
        return Said("early.no_winner") if winner is None else None

    def outcome(self, so_far: SoFar, table: Standings) -> list[Said]:
        """The winner of the final, and what decided it."""
        *_, finalists, (winner,) = self.slots(so_far)
        if winner is None:
            return [Said("outcome.nobody")]
        name = table.name(winner)
        met = [
            result for result in so_far.results if {result.first, result.second} == set(finalists)
        ]
        if not met:
            return [Said("outcome.alone", {"name": name})]
        other = met[0].opponent_of(winner)
        decision = decide_match(met[0], so_far.best_game)
        seen = decision.reason.values
        if decision.winner is None:
            mine, theirs = (so_far.entrants.index(one) + 1 for one in (winner, other))
            why = Said("step.seed", {"mine": mine, "theirs": theirs})
        elif "difference" in seen:
            why = seen["difference"]
        else:
            why = Said("step.game_points", {"mine": seen["points"], "theirs": seen["theirs"]})
        return [Said("outcome.final", {"name": name, "other": table.name(other), "why": why})]

    def outlook(self, so_far: SoFar, table: Standings, left: Mapping[str, int]) -> list[Said]:
        """The entrants that have not lost."""
        rounds = len(so_far.rounds)
        slots = self.slots(so_far)[max(0, rounds - 1) :]
        lost = {
            name
            for place, name in enumerate(slots[0])
            if rounds and slots[1][place // 2] not in (None, name)
        }
        names = [
            table.name(name)
            for name in slots[0]
            if name and name not in lost | set(so_far.withdrawn)
        ]
        values = {"count": len(names), "all": len(so_far.entrants)}
        is_long = len(names) > MOST_NAMES
        return [
            Said("open.many_still_in", values)
            if is_long
            else Said("open.still_in", {**values, "names": names})
        ]


def _bracket(so_far: SoFar) -> list[Slots]:
    """The slots of every drawn round, then those of the next: one place for every pair of the last."""
    slots = [first_slots(so_far.entrants)]
    for each in so_far.rounds[1:]:
        if len(slots[-1]) <= 2:
            raise TournamentError([Said("format.after_the_final", {"round": each.number})])
        # The drawn round shows who went on; a later withdrawal must not change that.
        names = each.names
        slots.append(
            tuple(
                next((name for name in pair if name in names), None) for pair in _pairs(slots[-1])
            )
        )
    if so_far.rounds:
        slots.append(tuple(_winner(so_far, one, other) for one, other in _pairs(slots[-1])))
    return slots


def _pairs(slots: Slots) -> Iterable[tuple[str | None, str | None]]:
    return zip(slots[::2], slots[1::2], strict=True)


def _winner(so_far: SoFar, one: str | None, other: str | None) -> str | None:
    """The neighbour that goes on: the winner, or the better seed after a drawn or void match.

    If the match was not played because one has withdrawn, the other goes on; nobody if both have.
    """
    drawn = so_far.rounds[-1]
    there = [name for name in (one, other) if name is not None and name in drawn.names]
    if len(there) < 2:
        return there[0] if there else None
    fixture = next(
        (fixture.id for fixture in drawn.fixtures if fixture.entrants == frozenset(there)), None
    )
    if fixture is None:
        values = {"one": there[0], "other": there[1], "round": drawn.number}
        raise TournamentError([Said("format.neighbours", values)])
    result = next((result for result in so_far.results if result.fixture == fixture), None)
    if result is None:
        left = [name for name in there if name not in so_far.withdrawn]
        return left[0] if len(left) == 1 else None
    return decide_match(result, so_far.best_game).winner or min(there, key=so_far.entrants.index)


def first_slots(entrants: Sequence[str]) -> Slots:
    """Place entrants in a bracket by their seeds, the best first: 1, 8, 4, 5, 2, 7, 3, 6 for eight.

    The best two can only meet in the final, the best four not before the semi-finals, and so on. If
    their number is not a power of two, the places of the weakest seeds stay empty, so that the best
    seeds have the byes.
    """
    seeds = [1]
    while len(seeds) < len(entrants):
        above = 2 * len(seeds) + 1
        seeds = [each for seed in seeds for each in (seed, above - seed)]
    return tuple(entrants[seed - 1] if seed <= len(entrants) else None for seed in seeds)
