"""Verdicts of the match itself, beyond the rules of the board: on answers that are no turn or not allowed now."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec

from arena.games import Game, Illegal
from arena.games.interface import Dice
from arena.words import Said

REJECTED_BYTES: Final = 1024
"""The most that is kept of the moves of a rejected turn, as JSON: a bot could fill the organiser's
disk with them."""
LEFT_OUT: Final = "left_out_bytes"
"""In place of a move: the moves from here on, of so many bytes as JSON, were cut off. No game has
such a move."""
MARK_BYTES: Final = 40
"""Room for that."""


def on_offer(rules: Game[Any], position: Any, dice: Dice) -> Illegal | None:
    """T9: whether a draw may be offered with a turn; the verdict if not."""
    if rules.agreement is not None:
        return None
    return _illegal(rules, position, dice, "no_agreement", draw=Said("draw.offered"))


def on_acceptance(
    rules: Game[Any], position: Any, dice: Dice, *, is_offered: bool
) -> Illegal | None:
    """T9: whether a draw may be accepted in place of a turn; the verdict if not."""
    if rules.agreement is None:
        return _illegal(rules, position, dice, "no_agreement", draw=Said("draw.accepted"))
    return None if is_offered else _illegal(rules, position, dice, "no_draw_offered")


def on_choice(rules: Game[Any], position: Any, dice: Dice, choice: int) -> Illegal:
    """The verdict on an index that names none of the turns the bot was told, in the clause of the game."""
    verdict = rules.unreadable(position, dice, choice)
    number = verdict.legal_turns
    code = "unasked_choice" if choice < number else "no_such_choice"
    legal = (
        Said("legal.asked")
        if choice < number
        else Said("legal.choices", {"count": number, "last": number - 1})
    )
    return replace(verdict, code=code, values={"choice": choice, "legal": legal})


def on_long(
    rules: Game[Any], position: Any, dice: Dice, moves: Any, verdict: Illegal
) -> tuple[Any, Illegal]:
    """Return what is kept of the moves of a rejected turn, and the verdict on that, so that it can be given again."""
    size = _size(moves)
    if size <= REJECTED_BYTES:
        return moves, verdict
    kept: list[Any] = []
    room = REJECTED_BYTES - MARK_BYTES
    for move in moves:
        room -= _size(move) + 1
        if room < 0:
            break
        kept.append(move)
    kept.append([LEFT_OUT, size - _size(kept)])
    return kept, rules.unreadable(position, dice, kept)


def _size(value: object) -> int:
    return len(msgspec.json.encode(value))


def on_call(choices: Sequence[int], dice: int) -> Illegal | None:
    """B11.3: whether so many dice may be called for; the verdict if not."""
    if dice in choices:
        return None
    allowed = Said("list.or", {"first": choices[0], "last": choices[-1]})
    values = {"dice": dice, "legal": Said("legal.calls", {"choices": allowed})}
    return Illegal(code="no_such_call", clause="B11.3", values=values, legal_turns=len(choices))


def _illegal(rules: Game[Any], position: Any, dice: Dice, code: str, **found: Said) -> Illegal:
    number = len(rules.legal_turns(position, dice))
    values = {**found, "ruleset": rules.name, "legal": Said("legal.without_it", {"count": number})}
    return Illegal(code=code, clause=rules.agreement or "T9", values=values, legal_turns=number)
