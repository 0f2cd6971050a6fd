"""`[luck]`: the evaluator by which luck is reckoned, fixed before the first game."""

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from arena.games import Game
from arena.matches.facts import FixedEvaluator
from arena.nearest import meant
from arena.words import Said, SaidError


class LuckSection(msgspec.Struct, frozen=True, kw_only=True):
    """`[luck]`."""

    evaluator: str | None = None
    """The evaluator by which luck is taken out of the results, such as "brade-vasa-3"; none is
    fixed without it."""


class LuckError(SaidError):
    """The evaluator that was named cannot be fixed; says why and what to do."""


def fixed_evaluator(section: LuckSection, game: Game[Any]) -> FixedEvaluator | UnsetType:
    """The evaluator that is named, with the hash of its weights; raises `LuckError`, nothing if none is named."""
    name = section.evaluator
    if name is None:
        return UNSET
    from arena.analysis import EvaluatorError, evaluator_for, evaluator_named, shipped
    from arena.games.tables.game import TablesGame

    try:
        if not isinstance(game, TablesGame):
            evaluator_for(game)  # says that there is none
            return UNSET
        if name not in shipped():
            known = shipped()
            values = {"name": repr(name), "known": ", ".join(known), "meant": meant(name, known)}
            raise LuckError(Said("luck.unknown_evaluator", values))
        return FixedEvaluator(name=name, sha256=evaluator_named(name, game.rules).sha256)
    except EvaluatorError as error:
        raise LuckError(Said("luck.other_evaluator", {"problem": error.said})) from error
