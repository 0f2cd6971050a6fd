"""Plays many games at once over one connection, and thinks about all of them in one go.

It is built as a bot with a neural network would be: every position that any waiting turn can lead
to becomes a row of numbers, one call of `evaluate` gives a value for each row, and each turn takes
the best of its own. Put a network in the place of `evaluate` and the rest can stay; here it is a
sum with weights, in plain Python.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from arena.games import Game, load_game
from protocol.client import Bot, MatchStart, Moves, TurnView

Row = list[float]

# What one checker or point of each kind is worth to the side that has just moved.
WEIGHTS: Row = [
    14.0,  # each opponent's checker on the bar
    -6.0,  # each own checker on the bar
    6.0,  # each closed point where the opponent enters (my 13-18)
    2.0,  # each other closed point
    -3.0,  # each own blot
    0.1,  # each pip of the way that is done
    4.0,  # each own checker borne off
    1000.0,  # each point won by this very turn
]


def row_of(after: dict[str, Any], won: int) -> Row:
    """A position as numbers, seen by the side that has just moved; `won` are the points the turn has won, or 0."""
    points: Sequence[int] = after["points"]
    my_bar, their_bar = after["bar"]
    closed = [number for number, count in enumerate(points, 1) if count >= 2]
    at_entry = sum(13 <= number <= 18 for number in closed)
    pips = (
        sum(number * count for number, count in enumerate(points, 1) if count > 0)
        + 25 * after["off"][0]
    )
    return [
        their_bar,
        my_bar,
        at_entry,
        len(closed) - at_entry,
        points.count(1),
        pips,
        after["off"][0],
        won,
    ]


def evaluate(batch: Sequence[Row]) -> list[float]:
    """The value of every row.

    This is where a network goes: one forward pass over `len(batch)` rows of 8 numbers.
    """
    return [
        sum(weight * number for weight, number in zip(WEIGHTS, row, strict=True)) for row in batch
    ]


class Batching(Bot):
    """The best position after one turn, in up to 64 games at once."""

    name = "batching"
    version = "1"
    window = 64

    def __init__(self) -> None:
        """Know no ruleset yet."""
        self.games: dict[str, Game[Any]] = {}

    def match_start(self, match: MatchStart) -> None:
        """Leave at once where the rows mean nothing."""
        ruleset = match.ruleset
        if ruleset["fields"]["family"] != "tables":
            sys.exit(
                f"batching plays tables games only, not {ruleset['name']}; sample_bots/random plays everything"
            )
        if ruleset["hash"] not in self.games:
            self.games[ruleset["hash"]] = load_game(ruleset["fields"])

    def play(self, turn: TurnView) -> Moves:
        """Answer one turn: a batch of one."""
        return self.play_many([turn])[0]

    def play_many(self, turns: Sequence[TurnView]) -> list[Moves]:
        """Answer all turns that wait: gather, evaluate once, share out.

        A list is sent with one write.
        """
        gathered = [list(self.legal_turns(turn)) for turn in turns]
        values = iter(evaluate([row for legal in gathered for _, row in legal]))
        replies = []
        for legal in gathered:
            valued = [(next(values), moves) for moves, _ in legal]
            _, moves = max(valued, key=lambda one: one[0])
            replies.append(
                Moves(moves, info={"batch": len(turns)})
            )  # the record tells how well batching went
        return replies

    def legal_turns(self, turn: TurnView) -> Iterator[tuple[list[list[int]], Row]]:
        """Every legal turn, and what it leads to as numbers; the arena's own engine works them out."""
        game = self.games[turn.ruleset["hash"]]
        for legal in game.legal_turns(game.from_plain(turn.position), tuple(turn.dice)):
            won = legal.ending.points if legal.ending else 0
            yield [list(move) for move in legal.moves], row_of(game.to_plain(legal.position), won)


if __name__ == "__main__":
    Batching().main()
