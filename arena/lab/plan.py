"""Plans: what is trained, and how long. A plan determines the weights."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import chain, combinations
from typing import Any

from arena.games import Game, load_game, option_names
from arena.games.tables.game import TablesGame


class LabPlanError(Exception):
    """A plan that cannot be carried out; the message says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPlan:
    """A training from nothing to an evaluator."""

    name: str
    """The name of the evaluator."""
    rulesets: tuple[Mapping[str, Any], ...]
    """The fields of the rulesets that are played; self-play takes one after the other, a round each."""
    games: int
    """Games of self-play."""
    deeper: int = 0
    """Positions that are looked at one turn deeper afterwards, and learnt once more."""
    seed: int = 1
    hidden: tuple[int, ...] = (128, 32)
    """Widths of the hidden layers of the network for contact; those of the network for races are half of them."""

    def tables(self) -> list[TablesGame]:
        """The games that are played; raises `LabPlanError` for one that no network knows."""
        found = []
        for fields in self.rulesets:
            game = load_game(fields)
            if not isinstance(game, TablesGame):
                raise LabPlanError(f"evaluators are for tables games; {game.name} is none")
            found.append(game)
        return found

    def text(self) -> str:
        """As it is kept in the folder of the training."""
        return json.dumps(asdict(self), indent=1) + "\n"


def plan_of(text: str) -> TrainingPlan:
    """The inverse of `TrainingPlan.text`; raises `LabPlanError`."""
    try:
        given = json.loads(text)
        return TrainingPlan(**{**given, "rulesets": tuple(given["rulesets"]), "hidden": tuple(given["hidden"])})
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise LabPlanError(f"the plan cannot be read ({error})") from None


def rulesets_with_options(ruleset: str | Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """A ruleset and, if it is known by name, itself with every choice of its options; raises `GameError`.

    Backgammon is trained with gammons alone: who knows how likely they are knows what a game without them is worth.
    """
    game: Game[Any] = load_game(ruleset)
    if not isinstance(ruleset, str):
        return (game.ruleset,)
    names = option_names(ruleset)
    if "gammons" in names:
        return (load_game(ruleset, ("gammons",)).ruleset,)
    chosen = chain.from_iterable(combinations(names, number) for number in range(len(names) + 1))
    return tuple(load_game(ruleset, options).ruleset for options in chosen)
