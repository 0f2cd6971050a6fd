"""Plays the turn that its evaluator, a neural network, likes best; many games at once, in one batch.

It looks three turns ahead where its clock allows it, else two or one.

docs/bots.md says how strong it is, docs/training.md how it learnt.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena.analysis import EvaluatorError, best_of_many, evaluator_for, expected, read_evaluator
from arena.games import Game, load_game
from protocol.client import Bot, CallView, MatchStart, Moves, TurnView, kit_options

TAKES_MS = {
    1: 0.0,
    2: 20.0,
    3: 150.0,
}  # what so many turns ahead take a game, before any was measured
# of the free time of a turn: the rest is for the way there and back, and for a busy machine
SHARE = 0.4
BANK_SHARE = 0.01  # of what is left in the bank besides
FORGETS = 0.9  # a slow batch counts less with every one that follows


class Neural(Bot):
    """The best turn by a network, one turn ahead, two or three."""

    name = "neural"
    version = "1"

    def __init__(self, plies: int = 3, weights: Path | None = None) -> None:
        """Know no ruleset yet; `weights` are those of `arena train`, else those that ship with the arena are used."""
        self.plies = plies
        self.window = (
            64 if plies < 3 else 2
        )  # three turns ahead the clock has no time for more games at once
        self.weights = weights
        self.known: dict[str, tuple[Game[Any], Any]] = {}
        self.takes_ms = dict(TAKES_MS)

    def match_start(self, match: MatchStart) -> None:
        """Get ready for the ruleset; leave at once where there is no evaluator for it."""
        ruleset = match.ruleset
        if ruleset["hash"] in self.known:
            return
        game: Any = load_game(ruleset["fields"])
        try:
            evaluator = (
                read_evaluator(self.weights, game.rules) if self.weights else evaluator_for(game)
            )
        except EvaluatorError as error:
            sys.exit(f"neural cannot play here: {error}")
        except AttributeError:
            sys.exit(
                f"neural plays tables games only, not {ruleset['name']}; sample_bots/random plays everything"
            )
        best_of_many(game, evaluator, [(game.start(), (6, 5))])  # the first time takes longer
        if evaluator.table:
            evaluator.table.get_ready()
        self.known[ruleset["hash"]] = game, evaluator

    def play(self, turn: TurnView) -> Moves:
        """Answer one turn: a batch of one."""
        return self.play_many([turn])[0]

    def play_many(self, turns: Sequence[TurnView]) -> list[Moves]:
        """Answer all turns that wait; those of one ruleset in one batch."""
        self.takes_ms = {plies: FORGETS * ms for plies, ms in self.takes_ms.items()}
        replies: dict[int, Moves] = {}
        alike: dict[tuple[str, int], list[int]] = {}
        for place, plies in enumerate(self.depths(turns)):
            alike.setdefault((turns[place].ruleset["hash"], plies), []).append(place)
        for (ruleset, plies), places in alike.items():
            game, evaluator = self.known[ruleset]
            asked = [
                (game.from_plain(turns[place].position), tuple(turns[place].dice))
                for place in places
            ]
            for place, (legal, choice) in zip(
                places, self.look(game, evaluator, asked, plies), strict=True
            ):
                info = {
                    "thousandths": round(1000 * choice.points),
                    "plies": plies,
                }  # the record keeps what it expected
                replies[place] = Moves(legal.moves(choice.place), info=info)
        return [replies[place] for place in range(len(turns))]

    def depths(self, turns: Sequence[TurnView]) -> list[int]:
        """Give each turn that waits a number of turns to look ahead; the first ones as deep as the clock allows."""
        free_ms = min(
            SHARE * turn.clock.delay_left_ms + BANK_SHARE * turn.clock.left_ms for turn in turns
        )
        found = [1] * len(turns)
        for plies in range(2, self.plies + 1):
            more_ms = max(1.0, self.takes_ms[plies] - self.takes_ms[plies - 1])
            number = min(found.count(plies - 1), int(free_ms / more_ms))
            found[:number] = [plies] * number
            free_ms -= number * more_ms
        return found

    def look(self, game: Any, evaluator: Any, asked: Sequence[Any], plies: int) -> list[Any]:
        """The best turns so many turns ahead; notes how long a game took."""
        begun = time.monotonic()
        found = best_of_many(game, evaluator, asked, plies)
        took_ms = 1000 * (time.monotonic() - begun) / len(asked)
        self.takes_ms[plies] = max(took_ms, self.takes_ms[plies])
        return found

    def call(self, call: CallView) -> int:
        """How many dice to roll, where there is a choice (B11.3)."""
        game, evaluator = self.known[call.ruleset["hash"]]
        position = game.from_plain(call.position)
        return max(call.choices, key=lambda number: expected(game, evaluator, position, number))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, parents=[kit_options()])
    parser.add_argument(
        "--plies",
        type=int,
        choices=(1, 2, 3),
        default=3,
        help="how many turns it looks ahead, if it has the time",
    )
    parser.add_argument("--weights", type=Path, help="a file of weights that `arena train` wrote")
    options = parser.parse_args()
    Neural(options.plies, options.weights).main()
