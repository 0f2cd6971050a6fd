"""Evaluators of positions, and what they tell of games: the best turn, playing out, luck.

>>> from arena.analysis import best, evaluator_for
>>> from arena.games import load_game
>>> vasa = load_game("vasa")
>>> evaluator = evaluator_for(vasa)
>>> choice = best(vasa, evaluator, vasa.start(), (6, 5))

docs/analysis.md shows the rest.
"""

import arena.one_thread  # noqa: F401 - before numpy is loaded
from arena.analysis.evaluator import Evaluator
from arena.analysis.files import evaluator_for, evaluator_named, read_evaluator, shipped_rulesets
from arena.analysis.headed_files import EvaluatorError
from arena.analysis.judging import analyse
from arena.analysis.search import (
    RatedTurn,
    Rollout,
    best,
    best_of_many,
    dice_to_roll,
    expected,
    rank,
    rollout,
)

__all__ = [
    "Evaluator",
    "EvaluatorError",
    "RatedTurn",
    "Rollout",
    "analyse",
    "best",
    "best_of_many",
    "dice_to_roll",
    "evaluator_for",
    "evaluator_named",
    "expected",
    "rank",
    "read_evaluator",
    "rollout",
    "shipped_rulesets",
]
