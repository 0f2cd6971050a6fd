"""Advice of a strong bot: hints during a turn, and afterwards the turns that cost a person most.

For tables games it comes from an evaluator, for Brandubh from the search of the sample bot, which
judges no whole matches.
"""

from __future__ import annotations

import json
import subprocess
import sys
from heapq import nlargest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from arena.games import Dice, Game
from arena.games.brandubh.game import BrandubhGame
from arena.games.tables.game import TablesGame
from arena.person.continuations import Moves
from arena.person.told import Refusal
from arena.records.analysed import Analysis
from arena.records.lines import RecordError, whole_lines
from arena.records.rows import DecisionRow
from arena.services.hints import best_turns
from arena.shipped import shipped
from arena.words import Said

if TYPE_CHECKING:
    from arena.analysis import Evaluator

MOST: Final = 5
"""Turns of a hint, and turns that are listed after a match."""
SEARCH_S: Final = 20
"""The search takes a quarter of a second; on a very busy machine longer."""


class Hint(msgspec.Struct, frozen=True, kw_only=True):
    """A legal turn with its worth."""

    text: str
    moves: Moves
    worth: float
    """The person's standing after it, in `unit`; above 0 is good."""
    unit: Literal["points", "warriors"]
    """Points that may be expected, or (Brandubh) white warriors."""
    sure: Literal["", "wins", "loses"] = ""
    """Its certain outcome, if one was found."""


def hints(
    game: Game[Any],
    position: Any,
    dice: Dice,
) -> list[Hint]:
    """Return the best turns of a roll, the best first, at most `MOST`. Raises `Refusal`."""
    if isinstance(game, BrandubhGame):
        return _searched(game, position)
    tables, evaluator = _with_evaluator(game)
    return [
        Hint(text=turn.text, moves=turn.moves, worth=turn.points, unit="points")
        for turn in best_turns(tables, evaluator, position, dice, plies=3)
    ]


def dice_to_call(game: Game[Any], position: Any) -> int:
    """Return how many dice to call for (B11.3). Raises `Refusal`."""
    from arena.analysis import dice_to_roll

    return dice_to_roll(*_with_evaluator(game), position)


def judged(game: Game[Any] | None, record: Path | None) -> Analysis | None:
    """Return the evaluator's judgement on every turn of a match; None if there is none."""
    from arena.analysis import analyse

    if game is None or record is None:
        return None
    try:
        _, evaluator = _with_evaluator(game)
        return analyse(record.name, whole_lines(record.read_bytes()), evaluator)
    except (Refusal, RecordError, OSError):
        return None


def costliest(analysis: Analysis | None, entrant: str) -> list[DecisionRow] | None:
    """Return the turns of a match that cost this entrant most, the costliest first.

    None if the match is not analysed.
    """
    if analysis is None:
        return None
    mine = [row for row in analysis.decisions if row.bot == entrant]
    marked = [row for row in mine if row.kind == "turn" and row.mark is not None]
    return nlargest(MOST, marked, lambda row: row.loss)


def why_no_hints(game: Game[Any]) -> Said | Literal[""]:
    """Return the reason why there are no hints under a ruleset; empty if there are."""
    if isinstance(game, BrandubhGame):
        return ""
    try:
        _with_evaluator(game)
    except Refusal as error:
        return error.said
    return ""


def _with_evaluator(game: Game[Any]) -> tuple[TablesGame, Evaluator]:
    from arena.analysis import EvaluatorError, evaluator_for

    if not isinstance(game, TablesGame):
        raise Refusal(Said("no_advice.hints", {"ruleset": game.name}))
    try:
        return game, evaluator_for(game)
    except EvaluatorError as error:
        raise Refusal(error.said) from error


def _searched(game: BrandubhGame, position: Any) -> list[Hint]:
    """Ask the search of the sample bot, in a process of its own."""
    question = json.dumps({"ruleset": game.ruleset, "position": game.to_plain(position)})
    command = [sys.executable, str(shipped("sample_bots") / "brandubh" / "hints.py")]
    try:
        search = subprocess.run(  # noqa: S603 - a program of our own
            command,
            input=question,
            capture_output=True,
            text=True,
            timeout=SEARCH_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise Refusal(Said("no_advice.search_failed", {"error": str(error)})) from error
    best = []
    for move, worth, sure in json.loads(search.stdout)[:MOST]:
        hint = Hint(
            text=game.format_turn([tuple(move)], position, None),
            moves=(tuple(move),),
            worth=worth / 100,
            unit="warriors",
            sure=sure,
        )
        best.append(hint)
    return best
