"""Explanations of illegal turns: a code, the clause, and values that say what was wrong and what would be legal."""

from collections.abc import Sequence
from typing import Any, TypeGuard

from arena.games.brandubh.board import CORNERS, NUMBERS, RESERVED, SQUARES, line_between
from arena.games.brandubh.moves import Move, legal_moves
from arena.games.brandubh.position import BrandubhPosition
from arena.games.interface import Breach, Ending, Illegal, cut_short
from arena.words import Said


def is_readable(moves: object) -> TypeGuard[Sequence[Sequence[str]]]:
    """Return whether this is a list of pairs of strings, which has at least the form of a turn."""
    return _is_list(moves) and all(
        _is_list(move) and len(move) == 2 and isinstance(move[0], str) and isinstance(move[1], str)
        for move in moves
    )


def illegal(position: BrandubhPosition, moves: object, ending: Ending | None) -> Illegal:
    """The verdict on a turn that is not legal; `ending` tells how the game was over before it, if it was."""
    breach, wanted = _breach(position, moves, ending)
    legal = [] if ending else legal_moves(position)
    nearest = _format(_nearest(wanted, legal)) if legal else ""
    values = {
        **breach.values,
        "legal": Said("legal.moves", {"count": len(legal), "nearest": nearest}),
    }
    return Illegal(code=breach.code, clause=breach.clause, values=values, legal_turns=len(legal))


Wanted = tuple[int | None, int | None]
"""The squares of the intended move, as far as they are squares."""


def _breach(
    position: BrandubhPosition, moves: object, ending: Ending | None
) -> tuple[Breach, Wanted]:
    if not is_readable(moves):
        values = {"shown": cut_short(moves), "form": Said("form.brandubh")}
        return Breach("unreadable_moves", "T1", values), (None, None)
    wanted = (NUMBERS.get(moves[0][0]), NUMBERS.get(moves[0][1])) if moves else (None, None)
    if ending is not None:
        over = Said("over.before", {"ending": Said(f"ending.{ending.name}")})
        return Breach("game_over", ending.clause, {"over": over}), wanted
    if len(moves) != 1:
        return Breach("not_one_move", "T1", {"count": len(moves)}), wanted
    for name in moves[0]:
        if name not in NUMBERS:
            return Breach("no_such_square", "T2", {"shown": cut_short(name)}), wanted
    origin, target = moves[0]
    return _bad_move(position, (NUMBERS[origin], NUMBERS[target])), wanted


def _bad_move(position: BrandubhPosition, move: Move) -> Breach:
    origin, target = move
    text = _format(move)
    moved = _what(position, origin)
    if moved is None:
        return Breach("empty_square", "T2", {"move": text, "square": SQUARES[origin]})
    white = position.white | position.king
    if not (white if position.to_move == "white" else position.black) >> origin & 1:
        side = Said(f"side.{position.to_move}")
        return Breach("not_yours", "T1", {"move": text, "piece": moved, "side": side})
    if origin == target:
        return Breach("same_square", "T1", {"move": text})
    between = line_between(origin, target)
    if between is None:
        return Breach("not_straight", "T2", {"move": text})
    for square in between:
        if in_the_way := _what(position, square):
            return Breach(
                "blocked", "T2", {"move": text, "square": SQUARES[square], "piece": in_the_way}
            )
    if RESERVED >> target & 1 and not position.king >> origin & 1:
        where = Said("place.corner" if CORNERS >> target & 1 else "place.throne")
        return Breach("reserved_square", "T2", {"move": text, "where": where})
    in_the_way = _what(position, target)
    assert in_the_way, "nothing else makes a move illegal"
    return Breach("blocked", "T2", {"move": text, "square": SQUARES[target], "piece": in_the_way})


def _what(position: BrandubhPosition, square: int) -> Said | None:
    if position.king >> square & 1:
        return Said("piece.king")
    if position.black >> square & 1:
        return Said("piece.black")
    return Said("piece.white") if position.white >> square & 1 else None


def _nearest(wanted: Wanted, legal: list[Move]) -> Move:
    """The legal move most like the intended one: with the same piece if possible, and ending as near as possible."""
    origin, target = wanted
    return min(
        legal,
        key=lambda move: (
            move[0] != origin,
            _distance(move[1], target),
            _distance(move[0], origin),
        ),
    )


def _distance(square: int, other: int | None) -> int:
    """The number of steps along rows and columns; 0 if there is no other square."""
    return 0 if other is None else abs(square % 7 - other % 7) + abs(square // 7 - other // 7)


def _format(move: Move) -> str:
    return f"{SQUARES[move[0]]}-{SQUARES[move[1]]}"


def _is_list(given: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(given, Sequence) and not isinstance(given, str | bytes)
