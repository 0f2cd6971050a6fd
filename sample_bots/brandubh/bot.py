"""Plays Brandubh by looking some five moves ahead.

`search.py` looks ahead, `board.py` knows the rules, `evaluation.py` says what a position is worth.
"""

import argparse
import random
import sys
import time
from collections import Counter

from board import Board, Placement, named, read
from search import DEEPEST, Found, Search

from arena.games import load_game
from protocol.client import AcceptDraw, Bot, MatchEnd, MatchStart, Moves, TurnView, kit_options

LONGEST_S = 0.5  # for a turn, however much time there is
# of the free time of a turn: the rest is for the way there and back, and for a busy machine
SHARE = 0.4
BANK_SHARE = 0.02  # of what is left in the bank besides
VARIED_TURNS = 8  # the first of a game, counting both sides: in these the bot varies its play
SLACK = 15  # hundredths of a white warrior that a move may be worse than the best to be played then
WORSE = -100  # a draw is accepted if the best move is worth less than this

PARSER = argparse.ArgumentParser(description=__doc__, parents=[kit_options()])
PARSER.add_argument(
    "--depth", type=int, help="look exactly so many plies ahead, whatever the clock says"
)
PARSER.add_argument("--seed", type=int, help="vary the play in the same way every time")

Game = tuple[str, int, int]
"""A game by its match, the attempt at the match and its number."""


class Brandubh(Bot):
    """The best move as far as it can see."""

    name = "brandubh"
    version = "1"

    def __init__(self, *, depth: int | None = None, seed: int | None = None) -> None:
        """Know no ruleset and no game yet. With `depth` the clock does not matter."""
        self.depth = depth
        self.chance = random.Random(seed)
        self.rules: dict[str, tuple[Board, Placement, int]] = {}
        """For the hash of a ruleset the board, the start, and which occurrence of a placement draws
        (0: none)."""
        self.seen: dict[Game, dict[int, Placement]] = {}
        """T9: for each game the placements before each turn, as far as they are known."""

    def match_start(self, match: MatchStart) -> None:
        """Get ready for the ruleset; leave at once where it is none of Brandubh."""
        name, fields = match.ruleset["name"], match.ruleset["fields"]
        if fields["family"] != "brandubh":
            sys.exit(
                f"brandubh plays the rulesets of Brandubh only, such as brandubh-1 and brandubh-2 (T), not {name}; "
                "sample_bots/greedy plays every tables game, sample_bots/random plays everything"
            )
        game = load_game(fields)
        start = read(game.to_plain(game.start()))
        self.rules[match.ruleset["hash"]] = Board(fields), start, fields["repetitions"]

    def match_end(self, end: MatchEnd) -> None:
        """Forget its games."""
        self.seen = {game: seen for game, seen in self.seen.items() if game[0] != end.match}

    def play(self, turn: TurnView) -> Moves | AcceptDraw:
        """Choose a move in the time there is; accept a draw where the bot is worse off without."""
        now = time.monotonic()
        board, start, repetitions = self.rules[turn.ruleset["hash"]]
        placement, number = read(turn.position), turn.message.turn
        seen = self.seen.setdefault(
            (turn.match.match, turn.match.attempt, turn.start.number), {1: start}
        )
        seen[number] = placement
        found = self.search(Search(board, drawing(seen, repetitions)), placement, turn, now)
        info = {"value": found.value, "depth": found.depth, "nodes": found.nodes}
        if turn.draw_offered and found.value < WORSE:
            return AcceptDraw(info=info)
        move = self.chance.choice([*found.near])
        seen[number + 1] = board.play(placement, move)
        return Moves([named(move)], info=info)

    def search(self, search: Search, placement: Placement, turn: TurnView, now: float) -> Found:
        """Look as far ahead as the option says, or the clock."""
        slack = SLACK if turn.message.turn <= VARIED_TURNS else 0
        if self.depth is not None:
            return search.best(placement, depth=self.depth, slack=slack)
        seconds = time_for_a_turn(turn.clock.delay_left_ms, turn.clock.left_ms)
        return search.best(placement, depth=DEEPEST, deadline=now + seconds, slack=slack)


def drawing(seen: dict[int, Placement], repetitions: int) -> list[Placement]:
    """T9: the placements that draw the game if they come up once more."""
    if not repetitions:
        return []
    return [
        placement for placement, times in Counter(seen.values()).items() if times >= repetitions - 1
    ]


def time_for_a_turn(delay_ms: int, left_ms: int) -> float:
    """Seconds to think: a share of the free time of a turn and a little of the bank."""
    return min((SHARE * delay_ms + BANK_SHARE * left_ms) / 1000, LONGEST_S)


if __name__ == "__main__":
    given = PARSER.parse_args()
    if given.depth is not None and not 1 <= given.depth <= DEEPEST:
        PARSER.error(f"--depth is 1 to {DEEPEST}, not {given.depth}")
    Brandubh(depth=given.depth, seed=given.seed).main()
