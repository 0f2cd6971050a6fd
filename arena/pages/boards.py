"""Positions as short texts for the page, all seen from seat 1."""

from typing import Any

from arena.games import Game
from arena.games.result import Seat
from arena.pages.contents import Board


def board_of(rules: Game[Any]) -> Board:
    """Return how positions of a game are drawn; for games of other packages, the text they draw themselves."""
    ruleset = rules.ruleset
    colours = rules.colours or ()
    if ruleset["family"] == "brandubh":
        return Board(kind="brandubh", colours=colours)
    if ruleset["family"] != "tables":
        return Board(kind="text", colours=colours)
    start = rules.to_plain(rules.start())
    remembers = [name for name in ("unlocked", "one_die") if name in start]
    return Board(kind="tables", facing=ruleset["facing"], remembers=remembers)


def position_text(rules: Game[Any], board: Board, position: Any, viewer: Seat) -> str:
    """A position as seen from the seat `viewer`, in the form that `Board` describes."""
    seen = position if viewer == 1 else rules.flip(position)
    if board.kind == "text":
        return rules.draw(seen)
    plain = rules.to_plain(seen)
    if board.kind == "brandubh":
        return "".join(plain["board"])
    trays = zip(plain["bar"], plain["off"], strict=True)
    (bar, off), (their_bar, their_off) = trays
    checkers = "".join(map(_checkers, [*plain["points"], bar, -their_bar, off, -their_off]))
    return checkers + "".join(str(int(each)) for name in board.remembers for each in plain[name])


def pips(text: str, board: Board) -> tuple[int, int]:
    """Return how many pips each side still has to go, by seat; of a position of a tables game."""
    sides = [0, 0]
    for place, sign in enumerate(text[:26]):
        if sign != ".":
            seat = 1 if sign.islower() else 2
            number = ord(sign) - ord("a" if seat == 1 else "A") + 1
            # places 24 and 25 are the bars
            path = 0 if place > 23 else place + 1
            if seat == 2 and path:
                path = (path + 11) % 24 + 1 if board.facing == "same_way" else 25 - path
            sides[seat - 1] += number * (25 - path)
    return sides[0], sides[1]


def _checkers(number: int) -> str:
    """A number of checkers of one side in one character; negative numbers are seat 2's."""
    if number == 0:
        return "."
    return chr(ord("a") + number - 1) if number > 0 else chr(ord("A") - number - 1)
