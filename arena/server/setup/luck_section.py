"""`[luck]`: the evaluator that measures luck, fixed before the first game."""

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from arena.games import Game
from arena.games.tables.game import TablesGame
from arena.matches.facts import FixedEvaluator
from arena.nearest import unknown_name
from arena.words import Said, SaidError


class LuckSection(msgspec.Struct, frozen=True, kw_only=True):
    """`[luck]`."""

    evaluator: str | None = None
    """The evaluator that takes luck out of the results, such as "brade-vasa-3"; none by default."""


class LuckError(SaidError):
    """The evaluator that was named cannot be fixed; says why and what to do."""


def fixed_evaluator(section: LuckSection, game: Game[Any]) -> FixedEvaluator | UnsetType:
    """Return the evaluator that the section names, with the hash of its weights.

    Return `UNSET` if it names none. Raises `LuckError`.
    """
    name = section.evaluator
    if name is None:
        return UNSET
    from arena.analysis import EvaluatorError, evaluator_for, evaluator_named, shipped_rulesets

    try:
        if not isinstance(game, TablesGame):
            evaluator_for(game)  # says that there is none
            return UNSET
        names = shipped_rulesets()
        if name not in names:
            raise LuckError(unknown_name("luck.unknown_evaluator", name, names))
        evaluator = evaluator_named(name, game.rules)
        return FixedEvaluator(name=name, sha256=evaluator.sha256)
    except EvaluatorError as error:
        raise LuckError(Said("luck.other_evaluator", {"problem": error.said})) from error
