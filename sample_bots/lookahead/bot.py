"""Looks two turns ahead: plays the turn that leaves the opponent the least, whatever it rolls.

`search.py` looks ahead, `evaluation.py` says what a position is worth, `weights.py` has the
numbers.
"""

import sys

from search import Search

from arena.games import load_game
from protocol.client import Bot, CallView, MatchStart, Moves, TurnView

LONGEST_S = 0.5  # for a turn, however much time there is
# of the free time of a turn: the rest is for the way there and back, and for a busy machine
SHARE = 0.4
BANK_SHARE = 0.02  # of what is left in the bank besides
LEAST_S = 0.01  # less is not worth beginning with


class Lookahead(Bot):
    """The best turn after the opponent's best answers."""

    name = "lookahead"
    version = "1"

    def __init__(self) -> None:
        """Know no ruleset yet."""
        self.searches: dict[str, Search] = {}

    def match_start(self, match: MatchStart) -> None:
        """Get ready for the ruleset; leave at once where the evaluation means nothing."""
        name, fields = match.ruleset["name"], match.ruleset["fields"]
        if fields["family"] != "tables" or fields["facing"] != "same_way":
            sys.exit(
                f"lookahead knows Bräde only, where both sides travel the same way (B1.1), not {name}; "
                "sample_bots/greedy plays every tables game, sample_bots/random plays everything"
            )
        if match.ruleset["hash"] not in self.searches:
            self.searches[match.ruleset["hash"]] = Search(load_game(fields))

    def play(self, turn: TurnView) -> Moves:
        """Choose a turn in the time there is."""
        search = self.searches[turn.ruleset["hash"]]
        position = search.game.from_plain(turn.position)
        seconds = time_for_a_turn(turn.clock.delay_left_ms, turn.clock.left_ms)
        return Moves(
            [list(move) for move in search.best(position, tuple(turn.dice), seconds).moves]
        )

    def call(self, call: CallView) -> int:
        """How many dice to roll, where there is a choice (B11.3)."""
        search = self.searches[call.ruleset["hash"]]
        position = search.game.from_plain(call.position)
        return max(call.choices, key=lambda number: search.expected(position, number))


def time_for_a_turn(delay_ms: int, left_ms: int) -> float:
    """Seconds to think: a share of the free time of a turn and a little of the bank; 0 if that is next to nothing."""
    seconds = (SHARE * delay_ms + BANK_SHARE * left_ms) / 1000
    return min(seconds, LONGEST_S) if seconds >= LEAST_S else 0.0


if __name__ == "__main__":
    Lookahead().main()
