"""Two turns ahead: my turn, then the opponent's best answer to each of the 21 rolls."""

import time
from collections.abc import Sequence
from itertools import chain
from typing import Any

from evaluation import Evaluation

from arena.games import Game, LegalTurn, rolls

CANDIDATES = 5  # turns looked into, the best by their value at once
MARGIN = 0.5  # points; a turn that looks worse than the best by more is not looked into


class Search:
    """Chooses turns under one ruleset."""

    def __init__(self, game: Game[Any]) -> None:
        """Get ready; takes some milliseconds."""
        self.game = game
        self.evaluation = Evaluation(game.ruleset)

    def best(self, position: object, dice: tuple[int, ...], seconds: float) -> LegalTurn[Any]:
        """The turn to play.

        Of equal turns it is the first in the order of the engine, so that it can be repeated.

        `seconds` bounds the time: when it is over the turns looked into so far have to do, and if
        it is 0 the values at once.
        """
        deadline = time.monotonic() + seconds
        valued = [(self.at_once(legal), legal) for legal in self.game.legal_turns(position, dice)]
        valued.sort(key=lambda one: -one[0])  # stable
        most, best = valued[0]
        if len(valued) == 1 or seconds <= 0:
            return best
        highest = None
        for value, legal in valued[:CANDIDATES]:
            if value < most - MARGIN or time.monotonic() >= deadline:
                break
            ahead = value if legal.ending else self.after_answer(legal.position)
            if highest is None or ahead > highest:
                highest, best = ahead, legal
        return best

    def at_once(self, legal: LegalTurn[Any]) -> float:
        """The value of a turn without looking ahead, in points."""
        return legal.ending.points if legal.ending else self.evaluation.value(legal.position.state)

    def after_answer(self, position: Any) -> float:
        """The value of a position after my turn, over all rolls of the opponent and its best answer to each."""
        theirs = self.game.flip(position)
        return -self.expected(theirs, self.game.dice_to_roll(theirs))

    def expected(self, position: object, dice: int) -> float:
        """The value of a position for the side about to roll so many dice, over all rolls."""
        return sum(chance * self.answer(position, roll) for roll, chance in rolls(dice).items())

    def answer(self, position: object, roll: Sequence[int]) -> float:
        """The value of the best turn with this roll, for the side that plays it."""
        states, endings = self.game.legal_turns(position, roll).states_and_endings()
        return max(chain((ending.points for ending in endings), map(self.evaluation.value, states)))
