"""Races for tests, and what they are worth by plain recursion over the engine."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from arena.analysis.races import FIRST, placements
from arena.games.playing import rolls
from arena.games.tables.board import CHECKERS, OFF
from arena.games.tables.game import TablesGame
from arena.games.tables.position import from_counts, from_state, swapped
from arena.games.tables.ruleset import RULESETS

GAMES = {name: TablesGame(rules) for name, rules in RULESETS.items()}


class PlainRaces:
    """Races under one ruleset: the whole position goes to the engine, and nothing is rounded."""

    def __init__(self, game: TablesGame) -> None:
        self.game = game
        self.known: dict[int, Fraction] = {}

    def chance(self, state: int) -> Fraction:
        """How likely the side about to roll, in the low half, wins; both sides play to win."""
        if state not in self.known:
            position = from_state(state, self.game.rules.layout)
            total = Fraction(0)
            for roll in rolls(2):
                results = self.game.legal_turns(position, roll).results()
                best = max(Fraction(1) if ending else 1 - self.chance(swapped(after)) for after, ending in results)
                total += Fraction(1 if roll[0] == roll[1] else 2, 36) * best
            self.known[state] = total
        return self.known[state]


def state_of(game: TablesGame, mine: tuple[int, ...], theirs: tuple[int, ...]) -> int:
    """A position from the checkers of both sides on 19 to 24, mine in the low half."""
    return from_counts(_counts(mine), _counts(theirs), game.rules.layout).state


def races(game: TablesGame, checkers: int) -> Iterator[int]:
    """Every race in which each side has between one and so many checkers left."""
    standing = [placement for placement in placements(checkers) if any(placement)]
    for mine in standing:
        for theirs in standing:
            yield state_of(game, mine, theirs)


def _counts(placement: tuple[int, ...]) -> dict[int, int]:
    return {FIRST + place: number for place, number in enumerate(placement)} | {OFF: CHECKERS - sum(placement)}
