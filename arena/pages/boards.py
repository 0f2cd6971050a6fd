"""Positions as short texts for the page, all seen from seat 1."""

from typing import Any

from arena.games import Game
from arena.games.result import Seat
from arena.pages.contents import Board


def board_of(rules: Game[Any]) -> Board:
    """Return how a game's positions are drawn; games of other packages draw a text themselves."""
    ruleset = rules.ruleset
    colours = rules.colours or ()
    if ruleset["family"] == "brandubh":
        return Board(kind="brandubh", colours=colours)
    if ruleset["family"] != "tables":
        return Board(kind="text", colours=colours)
    start = rules.to_plain(rules.start())
    remembers = [name for name in ("unlocked", "one_die") if name in start]
    return Board(kind="tables", facing=ruleset["facing"], remembers=remembers)


def position_text(
    rules: Game[Any],
    board: Board,
    position: Any,
    viewer: Seat,
) -> str:
    """Return a position as the seat `viewer` sees it, in the form that `Board` describes."""
    if viewer != 1:
        position = rules.flip(position)
    if board.kind == "text":
        return rules.draw(position)
    plain = rules.to_plain(position)
    if board.kind == "brandubh":
        return "".join(plain["board"])
    bar, their_bar = plain["bar"]
    off, their_off = plain["off"]
    counts = [*plain["points"], bar, -their_bar, off, -their_off]
    text = "".join(map(_checkers, counts))
    for name in board.remembers:
        for figure in plain[name]:
            text += str(int(figure))
    return text


def pips(text: str, board: Board) -> tuple[int, int]:
    """Return how many pips each side still has to go, by seat; of a position of a tables game."""
    first = second = 0
    for place, sign in enumerate(text[:26]):
        if sign == ".":
            continue
        # places 24 and 25 are the bars
        path = 0 if place > 23 else place + 1
        if sign.islower():
            checkers = ord(sign) - ord("a") + 1
            first += checkers * (25 - path)
            continue
        checkers = ord(sign) - ord("A") + 1
        if path and board.facing == "same_way":
            path = (path + 11) % 24 + 1
        elif path:
            path = 25 - path
        second += checkers * (25 - path)
    return first, second


def _checkers(count: int) -> str:
    """Return the character for a count of checkers of one side; counts below 0 are seat 2's."""
    if count == 0:
        return "."
    if count > 0:
        return chr(ord("a") + count - 1)
    return chr(ord("A") - count - 1)
