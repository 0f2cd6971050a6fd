"""Advice of a strong bot: hints during a turn, and afterwards the turns that cost a person most.

For tables games an evaluator says it, for Brandubh the search of the sample bot. `advisor_for` says what is missing.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec

from arena.games import Dice, Game
from arena.games.brandubh.game import BrandubhGame
from arena.games.tables.game import TablesGame
from arena.person.continuations import Moves
from arena.person.told import ToldError
from arena.shipped import shipped
from arena.words import Said

MOST: Final = 5
"""Turns of a hint, and turns that are told after a match."""
SEARCH_S: Final = 20
"""The search takes a quarter of a second; on a very busy machine longer."""


class NoAdviceError(ToldError):
    """There is nobody to ask."""


class Hint(msgspec.Struct, frozen=True, kw_only=True):
    """A legal turn with what it is worth."""

    text: str
    moves: Moves
    worth: float
    """The person's standing after it, in `unit`; above 0 is good."""
    unit: Literal["points", "warriors"]
    """Points that may be expected, or (Brandubh) white warriors."""
    sure: Literal["", "wins", "loses"] = ""
    """Its certain outcome, if one was found."""


class Costly(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that cost points."""

    game: int
    turn: int
    dice: Sequence[int]
    played: str
    best: str
    loss: float
    """Thousandths of a point."""


class EvaluatorAdvisor:
    """Advice under the rules of a tables game, by its evaluator."""

    def __init__(self, game: TablesGame, evaluator: Any) -> None:
        self._game = game
        self._evaluator = evaluator

    def turns(self, position: Any, dice: Dice) -> list[Hint]:
        """Return the best turns of a roll, the best first, at most `MOST`."""
        from arena.analysis import ranked

        legal = self._game.legal_turns(position, dice)
        found = ranked(self._game, self._evaluator, position, dice, plies=2)[:MOST]
        return [
            Hint(
                text=self._game.format_turn(turn.moves, legal.start, turn.ending),
                moves=tuple(tuple(move) for move in turn.moves),
                worth=round(choice.points, 3),
                unit="points",
            )
            for choice in found
            for turn in [legal[choice.place]]
        ]

    def dice(self, position: Any) -> int:
        """Return how many dice to call for (B11.3)."""
        from arena.analysis import dice_to_roll

        return dice_to_roll(self._game, self._evaluator, position)

    def costliest(self, record: Path, entrant: str) -> list[Costly]:
        """Return the turns of a match that cost this entrant most, the costliest first. Raises `RecordError`."""
        from arena.analysis import analyse
        from arena.records.lines import whole_lines

        found = analyse(record.name, whole_lines(record.read_bytes()), self._evaluator)
        mine = [row for row in found.decisions if row.bot == entrant and row.kind == "turn" and row.mark is not None]
        costliest = sorted(mine, key=lambda row: -row.loss)[:MOST]
        return [msgspec.convert(row, Costly, from_attributes=True) for row in costliest]


class SearchAdvisor:
    """Advice in Brandubh, by the search of the sample bot in a process of its own."""

    def __init__(self, game: BrandubhGame) -> None:
        self._game = game

    def turns(self, position: Any, dice: Dice) -> list[Hint]:  # noqa: ARG002 - there are none
        """Return the best turns, the best first, at most `MOST`."""
        asked = json.dumps({"ruleset": self._game.ruleset, "position": self._game.to_plain(position)})
        command = [sys.executable, str(shipped("sample_bots") / "brandubh" / "hints.py")]
        try:
            done = subprocess.run(  # noqa: S603 - a program of our own
                command, input=asked, capture_output=True, text=True, timeout=SEARCH_S, check=True
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise NoAdviceError(Said("no_advice.search_failed", {"error": str(error)})) from error
        return [
            Hint(
                text=self._game.format_turn([tuple(move)], position, None),
                moves=(tuple(move),),
                worth=worth / 100,
                unit="warriors",
                sure=sure,
            )
            for move, worth, sure in json.loads(done.stdout)[:MOST]
        ]

    def dice(self, position: Any) -> int:  # noqa: ARG002 - nor here
        """Raise `NoAdviceError`."""
        raise NoAdviceError(Said("no_advice.no_dice", {"ruleset": self._game.name}))

    def costliest(self, record: Path, entrant: str) -> list[Costly]:  # noqa: ARG002 - of no record
        """Raise `NoAdviceError`."""
        raise NoAdviceError(Said("no_advice.games", {"ruleset": self._game.name}))


Advisor: TypeAlias = EvaluatorAdvisor | SearchAdvisor
"""Gives hints under one ruleset. Each method raises `NoAdviceError` for what it has no answer to."""


def advisor_for(game: Game[Any]) -> Advisor:
    """Return the advisor that gives hints under a ruleset. Raises `NoAdviceError`."""
    if isinstance(game, BrandubhGame):
        return SearchAdvisor(game)
    if not isinstance(game, TablesGame):
        raise NoAdviceError(Said("no_advice.hints", {"ruleset": game.name}))
    from arena.analysis import EvaluatorError

    try:
        return _by_evaluator(game)
    except EvaluatorError as error:
        raise NoAdviceError(str(error)) from error


@cache
def _by_evaluator(game: TablesGame) -> EvaluatorAdvisor:
    from arena.analysis import evaluator_for

    return EvaluatorAdvisor(game, evaluator_for(game))
