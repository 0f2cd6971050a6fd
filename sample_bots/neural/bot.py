"""Plays the turn that its evaluator, a neural network, likes best; up to 64 games at once, in one batch.

It looks two turns ahead where its clock allows it, else one.

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

DEEPER_MS = 20.0  # what two turns ahead takes a game, before any was measured
SHARE = 0.4  # of the free time of a turn: the rest is for the way there and back, and for a busy machine
BANK_SHARE = 0.01  # of what is left in the bank besides
FORGETS = 0.95  # a slow batch counts less with every one that follows


class Neural(Bot):
    """The best turn by a network, one turn ahead or two."""

    name = "neural"
    version = "1"
    window = 64

    def __init__(self, plies: int = 2, weights: Path | None = None) -> None:
        """Know no ruleset yet; `weights` are those of `arena train`, else those that ship with the arena are used."""
        self.plies = plies
        self.weights = weights
        self.known: dict[str, tuple[Game[Any], Any]] = {}
        self.deeper_ms = DEEPER_MS

    def match_start(self, match: MatchStart) -> None:
        """Get ready for the ruleset; leave at once where there is no evaluator for it."""
        ruleset = match.ruleset
        if ruleset["hash"] in self.known:
            return
        game: Any = load_game(ruleset["fields"])
        try:
            evaluator = read_evaluator(self.weights, game.rules) if self.weights else evaluator_for(game)
        except EvaluatorError as error:
            sys.exit(f"neural cannot play here: {error}")
        except AttributeError:
            sys.exit(f"neural plays tables games only, not {ruleset['name']}; sample_bots/random plays everything")
        best_of_many(game, evaluator, [(game.start(), (6, 5))])  # the first time takes longer
        if evaluator.table:
            evaluator.table.get_ready()
        self.known[ruleset["hash"]] = game, evaluator

    def play(self, turn: TurnView) -> Moves:
        """Answer one turn: a batch of one."""
        return self.play_many([turn])[0]

    def play_many(self, turns: Sequence[TurnView]) -> list[Moves]:
        """Answer all turns that wait; those of one ruleset in one batch."""
        replies: dict[int, Moves] = {}
        deeper = self.games_in_time(turns)  # so many of them are looked at two turns ahead
        for ruleset in {turn.ruleset["hash"] for turn in turns}:
            game, evaluator = self.known[ruleset]
            places = [place for place, turn in enumerate(turns) if turn.ruleset["hash"] == ruleset]
            asked = [(game.from_plain(turns[place].position), tuple(turns[place].dice)) for place in places]
            found = self.deeper(game, evaluator, asked[:deeper]) + best_of_many(game, evaluator, asked[deeper:])
            deeper -= min(deeper, len(asked))
            for place, (legal, choice) in zip(places, found, strict=True):
                info = {"thousandths": round(1000 * choice.points)}  # of a point; the record keeps what it expected
                replies[place] = Moves(legal.moves(choice.place), info=info)
        return [replies[place] for place in range(len(turns))]

    def games_in_time(self, turns: Sequence[TurnView]) -> int:
        """How many of the turns that wait the shortest clock allows to look at two turns ahead."""
        if self.plies == 1:
            return 0
        free_ms = min(SHARE * turn.clock.delay_left_ms + BANK_SHARE * turn.clock.left_ms for turn in turns)
        return min(len(turns), int(free_ms / self.deeper_ms))

    def deeper(self, game: Any, evaluator: Any, asked: Sequence[Any]) -> list[Any]:
        """The best turns two turns ahead; notes how long a game took."""
        begun = time.monotonic()
        found = best_of_many(game, evaluator, asked, plies=2)
        took_ms = 1000 * (time.monotonic() - begun) / max(1, len(asked))
        self.deeper_ms = max(took_ms, FORGETS * self.deeper_ms)
        return found

    def call(self, call: CallView) -> int:
        """How many dice to roll, where there is a choice (B11.3)."""
        game, evaluator = self.known[call.ruleset["hash"]]
        position = game.from_plain(call.position)
        return max(call.choices, key=lambda number: expected(game, evaluator, position, number))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, parents=[kit_options()])
    parser.add_argument(
        "--plies", type=int, choices=(1, 2), default=2, help="how many turns it looks ahead, if it has the time"
    )
    parser.add_argument("--weights", type=Path, help="a file of weights that `arena train` wrote")
    options = parser.parse_args()
    Neural(options.plies, options.weights).main()
