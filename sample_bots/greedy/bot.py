"""Looks one turn ahead: plays the legal turn whose position it likes best.

It works the legal turns out itself, with the arena's own engine as a library, and adds up what a
Bräde player would look at first: checkers of the opponent on the bar, points that are closed to it,
own blots it can hit, and the way still to go.
"""

import sys
from collections.abc import Sequence
from typing import Any

from arena.games import Game, LegalTurn, load_game
from protocol.client import Bot, MatchStart, Moves, TurnView

ENDING = 1000  # a point won now is worth more than any position
ON_THE_BAR = 14  # each opponent's checker on the bar
CLOSED_ENTRY = 6  # each closed point where the opponent enters (my 13-18)
CLOSED = 2  # each other closed point
BLOT = 3  # each own blot that an opponent's checker has before it
BLOT_AT_ENTRY = 3  # more for one where a checker on the bar enters
MY_BAR = 6  # each own checker on the bar
PIPS = 0.1  # each pip of the way, forward
REACH = 12  # how far back a hit is feared, in pips


def value(after: dict[str, Any]) -> float:
    """How good a position is for the side that has just moved, seen from its view."""
    points: Sequence[int] = after["points"]
    my_bar, their_bar = after["bar"]
    total = ON_THE_BAR * their_bar - MY_BAR * my_bar + PIPS * 25 * after["off"][0]
    for index, count in enumerate(points):
        point = index + 1
        if count <= 0:
            continue
        total += PIPS * point * count
        entry = 13 <= point <= 18
        if count >= 2:
            total += CLOSED_ENTRY if entry else CLOSED
        elif any(points[(index - back) % 24] < 0 for back in range(1, REACH + 1)) or their_bar:
            total -= BLOT + (BLOT_AT_ENTRY if entry and their_bar else 0)
    return total


class Greedy(Bot):
    """The best position after one turn."""

    name = "greedy"
    version = "1"

    def __init__(self) -> None:
        """Know no ruleset yet."""
        self.game: Game[Any] | None = None

    def match_start(self, match: MatchStart) -> None:
        """Leave at once where there is nothing of what it looks at."""
        ruleset = match.ruleset
        if ruleset["fields"]["family"] != "tables":
            sys.exit(
                f"greedy plays tables games only, not {ruleset['name']}; sample_bots/random plays everything"
            )

    def play(self, turn: TurnView) -> Moves:
        """Choose the turn with the best ending or position."""
        if self.game is None or self.game.name != turn.ruleset["name"]:
            self.game = load_game(turn.ruleset["fields"])
        return best(self.game, turn.position, tuple(turn.dice))


def best(game: Game[Any], position: dict[str, Any], dice: tuple[int, ...]) -> Moves:
    """The legal turn that is worth most."""

    def worth(legal: LegalTurn[Any]) -> float:
        if legal.ending is not None:
            return ENDING * legal.ending.points
        return value(game.to_plain(legal.position))

    chosen = max(game.legal_turns(game.from_plain(position), dice), key=worth)
    return Moves([list(move) for move in chosen.moves])


if __name__ == "__main__":
    Greedy().main()
