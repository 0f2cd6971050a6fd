"""Verdicts of the match, beyond the board: on answers that are no turn or not allowed now."""

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
"""Stands with a number of bytes in place of a move: the moves from there on, of that size as JSON,
were cut off. It is a move of no game."""
MARK_BYTES: Final = 40
"""Room for that."""


def on_offer(rules: Game[Any], position: Any, dice: Dice) -> Illegal | None:
    """Return the verdict on an offer of a draw; None if it is allowed (T9)."""
    if rules.agreement is not None:
        return None
    return _illegal(rules, position, dice, "no_agreement", draw=Said("draw.offered"))


def on_acceptance(
    rules: Game[Any], position: Any, dice: Dice, *, is_offered: bool
) -> Illegal | None:
    """Return the verdict on the acceptance of a draw; None if it is allowed (T9)."""
    if rules.agreement is None:
        return _illegal(rules, position, dice, "no_agreement", draw=Said("draw.accepted"))
    if not is_offered:
        return _illegal(rules, position, dice, "no_draw_offered")
    return None


def on_choice(rules: Game[Any], position: Any, dice: Dice, choice: int) -> Illegal:
    """Return the verdict on an index that names none of the turns that the bot was sent.

    It cites the clause of the game.
    """
    verdict = rules.unreadable(position, dice, choice)
    number = verdict.legal_turns
    if choice < number:
        code, legal = "unasked_choice", Said("legal.asked")
    else:
        code, legal = "no_such_choice", Said("legal.choices", {"count": number, "last": number - 1})
    return replace(verdict, code=code, values={"choice": choice, "legal": legal})


def on_long(
    rules: Game[Any], position: Any, dice: Dice, moves: Any, verdict: Illegal
) -> tuple[Any, Illegal]:
    """Return what is kept of the moves of a rejected turn, and the verdict on it.

    So the verdict can be given again from the record.
    """
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


def _size(moves: object) -> int:
    """Return the size of moves as JSON, in bytes."""
    return len(msgspec.json.encode(moves))


def on_call(choices: Sequence[int], dice: int) -> Illegal | None:
    """Return the verdict on a call for this number of dice; None if it is allowed (B11.3)."""
    if dice in choices:
        return None
    allowed = Said("list.or", {"first": choices[0], "last": choices[-1]})
    words = {"dice": dice, "legal": Said("legal.calls", {"choices": allowed})}
    return Illegal(code="no_such_call", clause="B11.3", values=words, legal_turns=len(choices))


def _illegal(rules: Game[Any], position: Any, dice: Dice, code: str, **answer: Said) -> Illegal:
    """Return the verdict on an answer about a draw."""
    number = len(rules.legal_turns(position, dice))
    legal = Said("legal.without_it", {"count": number})
    words = {**answer, "ruleset": rules.name, "legal": legal}
    return Illegal(code=code, clause=rules.agreement or "T9", values=words, legal_turns=number)
