"""Positions as short texts for the page, all seen from seat 1."""

from collections.abc import Iterator
from typing import Any, Final

from arena.games import Game
from arena.games.result import Seat
from arena.pages.contents import Board

BARS: Final = (24, 25)
"""The places of the bars in the text of a position, by seat."""


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
    to_go = [0, 0]
    for seat, point, checkers in _on_board(text, board):
        to_go[seat - 1] += checkers * (25 - point)
    return to_go[0], to_go[1]


def on_bar(text: str) -> tuple[int, int]:
    """Return how many checkers each side has on the bar, by seat; of a tables game."""
    first, second = BARS
    return _count(text[first]), _count(text[second])


def room(text: str, board: Board) -> tuple[int, int]:
    """Return how many of its points 1-6 each side has no checker on, by seat (B9.1)."""
    empty = [6, 6]
    for seat, point, _ in _on_board(text, board):
        if 1 <= point <= 6:
            empty[seat - 1] -= 1
    return empty[0], empty[1]


def _on_board(text: str, board: Board) -> Iterator[tuple[Seat, int, int]]:
    """List the seat, its own point (0 is the bar) and the number of checkers that stand there."""
    for place, sign in enumerate(text[:26]):
        if sign == ".":
            continue
        point = place + 1
        if place in BARS:
            point = 0
        if sign.islower():
            yield 1, point, _count(sign)
        else:
            yield 2, _seen_by_seat_2(point, board), _count(sign)


def _seen_by_seat_2(point: int, board: Board) -> int:
    """Return a point of seat 1 as a point of seat 2; the bar stays the bar."""
    if point == 0:
        return 0
    if board.facing == "same_way":
        return (point + 11) % 24 + 1
    return 25 - point


def _count(sign: str) -> int:
    """Return how many checkers a character of a position stands for."""
    if sign == ".":
        return 0
    return ord(sign.lower()) - ord("a") + 1


def _checkers(count: int) -> str:
    """Return the character for a count of checkers of one side; counts below 0 are seat 2's."""
    if count == 0:
        return "."
    if count > 0:
        return chr(ord("a") + count - 1)
    return chr(ord("A") - count - 1)
