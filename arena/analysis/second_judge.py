"""A second judge of backgammon: the engine of the package `bgsage` (extra `engines`).

Its networks share nothing with ours.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from arena.analysis.arrays import Array, Floats, counts_of, has_contact
from arena.analysis.evaluator import GAMMON_WAYS, Evaluator
from arena.analysis.examination import PositionSet
from arena.analysis.files import is_played_alike
from arena.analysis.headed_files import EvaluatorError
from arena.analysis.possible_endings import give_to_possible
from arena.analysis.search import values_of
from arena.games.tables.board import BAR, OFF
from arena.games.tables.ruleset import BACKGAMMON
from arena.words import Said

if TYPE_CHECKING:
    from bgsage.types import Probabilities

    from arena.games import Game

DEEPER: Final = "2ply"
"""As bgsage counts: the mean over the answers to each roll. GNU Backgammon calls it 1 ply."""
NEAR: Final = 0.1
"""Points: turns that look worse than the best by more are not looked into."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SageEvaluator(Evaluator):
    """The package bgsage as an evaluator of backgammon."""

    level: str = "1ply"
    """The depth as bgsage counts; "1ply" are its networks alone."""

    def probabilities(self, states: Sequence[int]) -> Floats:
        """Return the chance of each way, as `Evaluator.probabilities` does."""
        from bgsage.batch import batch_post_move_evaluate

        counts = counts_of(states)
        boards = boards_of(counts).tolist()
        questions = [{"board": board, "cube_owner": "centered"} for board in boards]
        answers = batch_post_move_evaluate(questions, self.level, n_threads=1, jacoby=False)
        chances = np.zeros((len(states), 2 * len(self.ways)), dtype=np.float32)
        for row, answer in zip(chances, answers, strict=True):
            row[:] = _chances(answer.probs)
        meets = has_contact(counts, self.rules.facing)
        give_to_possible(chances, counts, meets, self.rules, self.ways)
        return chances


def boards_of(counts: Array) -> Array:
    """Return boards of bgsage, shape (positions, 26).

    The mover bears off from 1 to 6 and counts positive, its opponent negative. The bar of the
    opponent comes first, that of the mover last; both are positive.
    """
    mine, theirs = counts.astype(np.int64)
    boards = np.zeros((counts.shape[-1], 26), dtype=np.int64)
    boards[:, 1:25] = (mine[OFF - 1 : 0 : -1] - theirs[1:OFF]).T
    boards[:, 0] = theirs[BAR]
    boards[:, 25] = mine[BAR]
    return boards


def _chances(nested: Probabilities) -> list[float]:
    """Return the chance of each way: bgsage says "a gammon at least"."""
    loss = 1 - nested.win
    return [
        nested.win - nested.gammon_win,
        nested.gammon_win - nested.backgammon_win,
        nested.backgammon_win,
        loss - nested.gammon_loss,
        nested.gammon_loss - nested.backgammon_loss,
        nested.backgammon_loss,
    ]


def sage_evaluator(game: Game[Any]) -> SageEvaluator:
    """Return bgsage as an evaluator.

    Raises `EvaluatorError` if it is not installed, or if the game is not backgammon.
    """
    rules = getattr(game, "rules", None)
    if rules is None or not is_played_alike(rules, BACKGAMMON):
        raise EvaluatorError(Said("evaluator.only_backgammon", {"ruleset": game.name}))
    try:
        import bgsage  # noqa: F401
    except ImportError:
        raise EvaluatorError(Said("evaluator.no_bgsage", {"python": sys.executable})) from None
    name = "bgsage-" + version("bgsage")
    return SageEvaluator(
        name=name,
        rules=rules,
        ways=GAMMON_WAYS,
        networks={},
        sha256=hashlib.sha256(name.encode()).hexdigest(),
    )


def judged_by(positions: PositionSet, evaluator: SageEvaluator) -> PositionSet:
    """Return the same positions with the losses that bgsage sees.

    It looks one turn deeper into those turns that its networks find near the best.
    """
    turns_of_each: list[Any] = [question.turns for question in positions.questions]
    points_of_each = values_of(evaluator, turns_of_each)
    deeper = replace(evaluator, level=DEEPER)
    questions = []
    for question, turns, points in zip(
        positions.questions, turns_of_each, points_of_each, strict=True
    ):
        near = np.flatnonzero(points >= points.max() - NEAR)
        reached = turns.results()
        open_ = [place for place in near.tolist() if reached[place][1] is None]
        points[open_] = deeper.points([reached[place][0] for place in open_])
        losses = np.rint(1000 * (points.max() - points)).astype(int)
        of = msgspec.structs.replace(question.of, floor=0.0)
        questions.append(replace(question, of=of, losses=tuple(losses.tolist())))
    head = msgspec.structs.replace(positions.head, judge=evaluator.name, scale={})
    return replace(positions, head=head, questions=tuple(questions))
