"""What an evaluator would play: hints during a turn, and afterwards the turns that cost a person most.

Needs numpy (the extra `analysis`), and an evaluator for the ruleset; `advisor_for` says what is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import msgspec

from arena.games import Dice, Game
from arena.games.tables.game import TablesGame
from arena.person.continuations import Moves

MOST: Final = 5
"""Turns of a hint, and turns that are told after a match."""


class NoAdviceError(Exception):
    """There is nobody to ask. The text says what is missing."""


class Hint(msgspec.Struct, frozen=True, kw_only=True):
    """A legal turn with what it is worth."""

    text: str
    moves: Moves
    points: float
    """What the person may expect to win after it, in points; losses are below 0."""
    loss: int
    """Thousandths of a point less than the best."""


class Costly(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that cost points."""

    game: int
    turn: int
    dice: Sequence[int]
    played: str
    best: str
    loss: float
    """Thousandths of a point."""


class Advisor:
    """The evaluator of one ruleset, asked for a person."""

    def __init__(self, game: TablesGame, evaluator: Any) -> None:
        self._game = game
        self._evaluator = evaluator

    def turns(self, position: Any, dice: Dice) -> list[Hint]:
        """The best turns of a roll, the best first."""
        from arena.analysis import ranked

        legal = self._game.legal_turns(position, dice)
        found = ranked(self._game, self._evaluator, position, dice, plies=2)[:MOST]
        hints = []
        for choice in found:
            turn = legal[choice.place]
            hints.append(
                Hint(
                    text=self._game.format_turn(turn.moves, legal.start, turn.ending),
                    moves=tuple(tuple(move) for move in turn.moves),
                    points=round(choice.points, 3),
                    loss=round(1000 * (found[0].points - choice.points)),
                )
            )
        return hints

    def dice(self, position: Any) -> int:
        """How many dice to call for (B11.3)."""
        from arena.analysis import dice_to_roll

        return dice_to_roll(self._game, self._evaluator, position)

    def costliest(self, record: Path, entrant: str) -> list[Costly]:
        """The turns of a match that cost this entrant most, the costliest first. Raises `RecordError`."""
        from arena.analysis import analyse
        from arena.records.reading import whole_lines

        found = analyse(record.name, whole_lines(record.read_bytes()), self._evaluator)
        mine = [row for row in found.decisions if row.bot == entrant and row.kind == "turn" and row.mark is not None]
        return [
            Costly(game=row.game, turn=row.turn, dice=row.dice, played=row.played, best=row.best, loss=row.loss)
            for row in sorted(mine, key=lambda row: -row.loss)[:MOST]
        ]


def advisor_for(game: Game[Any]) -> Advisor:
    """Who gives hints under a ruleset. Raises `NoAdviceError`."""
    if find_spec("numpy") is None:
        from arena.extras import install_command

        raise NoAdviceError(f"hints need NumPy, the extra `analysis`; install it with: {install_command('analysis')}")
    if not isinstance(game, TablesGame):
        raise NoAdviceError(f"nobody gives hints in {game.name}: there is no evaluator for it")
    found = _advisor(game)
    if isinstance(found, str):
        raise NoAdviceError(found)
    return found


@cache
def _advisor(game: TablesGame) -> Advisor | str:
    from arena.analysis import EvaluatorError, evaluator_for

    try:
        return Advisor(game, evaluator_for(game))
    except EvaluatorError as error:
        return str(error)
