"""Hints: the worth of a position by an evaluator, and the best turns of a roll."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec

from arena.games import Dice, Game
from arena.games.tables.board import CHECKERS
from arena.games.tables.game import TablesGame
from arena.games.tables.position import Position, swapped
from arena.services.errors import RefusedError
from arena.words import Said

if TYPE_CHECKING:
    from arena.analysis import Evaluator


class OverError(RefusedError):
    """The game is over in this position."""


class TurnHint(msgspec.Struct, frozen=True, kw_only=True):
    """A legal turn with its worth."""

    text: str
    moves: tuple[tuple[int | str, ...], ...]
    points: float
    """The expected points of the side that plays it."""
    loss: int
    """Thousandths of a point less than the best turn."""


class Hint(msgspec.Struct, frozen=True, kw_only=True):
    """The worth of a position for the side to move, and its best turns."""

    ruleset: str
    evaluator: str
    plies: int
    points: float
    """The expected points before the roll."""
    wins: dict[str, float]
    """The chance of each ending before the roll, `+monk` with the monk (B10.1), as the evaluator
    sees it without looking ahead."""
    losses: dict[str, float]
    """The same for the opponent."""
    turns: list[TurnHint]
    """The best first, five at most; empty without dice."""


def hint(game: Game[Any], position: Any, dice: Dice = (), plies: int = 2) -> Hint:
    """Return the worth of a position, and the best turns of a roll, up to three turns ahead.

    Raises `EvaluatorError` if no evaluator ships for the game, and `OverError`.
    """
    from arena.analysis import evaluator_for
    from arena.analysis.search import after_answers

    evaluator = evaluator_for(game)
    if CHECKERS in game.to_plain(position)["off"]:
        raise OverError(Said("hint.over"))
    tables = cast("TablesGame", game)  # no other game has an evaluator
    state = swapped(position.state)
    [points_of_opponent] = after_answers(tables, evaluator, [state], max(1, plies - 1))
    names = [ending + "+monk" * monk for ending, monk in evaluator.ways]
    chances = evaluator.probabilities([state])[0].astype(float).round(4).tolist()
    turns = []
    if dice:
        turns = best_turns(tables, evaluator, position, dice, plies)
    return Hint(
        ruleset=game.name,
        evaluator=evaluator.name,
        plies=plies,
        points=round(-points_of_opponent, 3),
        wins=dict(zip(names, chances[len(names) :], strict=True)),
        losses=dict(zip(names, chances[: len(names)], strict=True)),
        turns=turns,
    )


def best_turns(
    game: TablesGame,
    evaluator: Evaluator,
    position: Position,
    dice: Dice,
    plies: int,
) -> list[TurnHint]:
    """Return the best turns of a roll, the best first, five at most."""
    from arena.analysis import rank

    legal = game.legal_turns(position, dice)
    ranking = rank(game, evaluator, position, dice, plies)[:5]
    turns = []
    for place, points in ranking:
        turn = legal[place]
        loss = ranking[0].points - points
        turn_hint = TurnHint(
            text=game.format_turn(turn.moves, legal.start, turn.ending),
            moves=tuple(tuple(move) for move in turn.moves),
            points=round(points, 3),
            loss=max(0, round(1000 * loss)),  # a turn that was looked into less may seem better
        )
        turns.append(turn_hint)
    return turns
