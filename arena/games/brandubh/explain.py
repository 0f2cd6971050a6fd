"""Explanations of illegal turns: a code, the clause, what was wrong and what would be legal."""

from collections.abc import Sequence
from typing import Any, TypeGuard

from arena.games.brandubh.board import CORNERS, NUMBERS, RESERVED, SQUARES, line_between
from arena.games.brandubh.moves import Move, legal_moves, pieces_to_move
from arena.games.brandubh.position import BrandubhPosition
from arena.games.interface import Breach, Ending, Illegal, cut_short
from arena.words import Said


def is_readable(moves: object) -> TypeGuard[Sequence[Sequence[str]]]:
    """Return whether this is a list of pairs of strings, which has at least the form of a turn."""
    return _is_list(moves) and all(_is_pair(move) for move in moves)


def _is_pair(move: object) -> bool:
    """Return whether this is a pair of strings."""
    return _is_list(move) and len(move) == 2 and all(isinstance(name, str) for name in move)


def _is_list(moves: object) -> TypeGuard[Sequence[Any]]:
    """Return whether this is a list or another sequence, but no text."""
    return isinstance(moves, Sequence) and not isinstance(moves, str | bytes)


def illegal(position: BrandubhPosition, moves: object, ending: Ending | None) -> Illegal:
    """Return the verdict on a turn that is not legal.

    `ending` tells how the game was over before it, if it was.
    """
    breach = _breach(position, moves, ending)
    legal: list[Move] = []
    nearest = ""
    if ending is None:
        legal = legal_moves(position)
    if legal:
        nearest = _format(_nearest(_wanted(moves), legal))
    would_be_legal = Said("legal.moves", {"count": len(legal), "nearest": nearest})
    return Illegal(
        code=breach.code,
        clause=breach.clause,
        values={**breach.values, "legal": would_be_legal},
        legal_turns=len(legal),
    )


Wanted = tuple[int | None, int | None]
"""The squares of the intended move, as far as they are squares."""


def _wanted(moves: object) -> Wanted:
    """Return the first move of a turn as far as it can be read."""
    if not is_readable(moves) or not moves:
        return None, None
    origin, target = moves[0]
    return NUMBERS.get(origin), NUMBERS.get(target)


def _breach(position: BrandubhPosition, moves: object, ending: Ending | None) -> Breach:
    """Return the rule that the turn breaks."""
    if not is_readable(moves):
        words = {"shown": cut_short(moves), "form": Said("form.brandubh")}
        return Breach("unreadable_moves", "T1", words)
    if ending is not None:
        over = Said("over.before", {"ending": Said(f"ending.{ending.name}")})
        return Breach("game_over", ending.clause, {"over": over})
    if len(moves) != 1:
        return Breach("not_one_move", "T1", {"count": len(moves)})
    [(origin, target)] = moves
    for name in (origin, target):
        if name not in NUMBERS:
            return Breach("no_such_square", "T2", {"shown": cut_short(name)})
    return _bad_move(position, (NUMBERS[origin], NUMBERS[target]))


def _bad_move(position: BrandubhPosition, move: Move) -> Breach:
    """Return why the piece may not make this move (T1, T2)."""
    origin, target = move
    text = _format(move)
    moved = _piece(position, origin)
    if moved is None:
        return Breach("empty_square", "T2", {"move": text, "square": SQUARES[origin]})
    if not pieces_to_move(position) >> origin & 1:
        side = Said(f"side.{position.to_move}")
        return Breach("not_yours", "T1", {"move": text, "piece": moved, "side": side})
    if origin == target:
        return Breach("same_square", "T1", {"move": text})
    between = line_between(origin, target)
    if between is None:
        return Breach("not_straight", "T2", {"move": text})
    for square in between:
        if _piece(position, square):
            return _blocked(position, text, square)
    if RESERVED >> target & 1 and not position.king >> origin & 1:
        where = "place.corner" if CORNERS >> target & 1 else "place.throne"
        return Breach("reserved_square", "T2", {"move": text, "where": Said(where)})
    return _blocked(position, text, target)


def _blocked(position: BrandubhPosition, text: str, square: int) -> Breach:
    """Return the breach of moving onto a piece or past it (T2)."""
    piece = _piece(position, square)
    assert piece is not None, "nothing else makes a move illegal"
    return Breach("blocked", "T2", {"move": text, "square": SQUARES[square], "piece": piece})


def _piece(position: BrandubhPosition, square: int) -> Said | None:
    """Return what stands on a square."""
    if position.king >> square & 1:
        return Said("piece.king")
    if position.black >> square & 1:
        return Said("piece.black")
    if position.white >> square & 1:
        return Said("piece.white")
    return None


def _nearest(wanted: Wanted, legal: list[Move]) -> Move:
    """Return the legal move most like the intended one.

    If possible it is made with the same piece, and it ends as near as possible.
    """
    wanted_origin, wanted_target = wanted

    def unlikeness(move: Move) -> tuple[bool, int, int]:
        origin, target = move
        to_target = _distance(target, wanted_target)
        to_origin = _distance(origin, wanted_origin)
        return origin != wanted_origin, to_target, to_origin

    return min(legal, key=unlikeness)


def _distance(square: int, goal: int | None) -> int:
    """Return the number of steps along rows and columns; 0 if there is no goal."""
    if goal is None:
        return 0
    return abs(square % 7 - goal % 7) + abs(square // 7 - goal // 7)


def _format(move: Move) -> str:
    """Return a move as it is written."""
    origin, target = move
    return f"{SQUARES[origin]}-{SQUARES[target]}"
