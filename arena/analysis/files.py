"""Evaluators as files: a line of JSON that says what they are, then the weights."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from itertools import zip_longest
from math import prod
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import numpy as np
from msgspec import Meta

from arena.analysis import headed_files as headed
from arena.analysis.arrays import Phase, phases_of
from arena.analysis.evaluator import DEEPEST, WIDEST, Evaluator, layer_widths, ways_of
from arena.analysis.headed_files import SHIPPED, EvaluatorError, Kind
from arena.analysis.network import Network, is_finite, network_of, shapes_of
from arena.analysis.races import table_for
from arena.games import Game, GameError, load_game
from arena.games.tables.game import TablesGame
from arena.games.tables.ruleset import Ruleset
from arena.words import Said

SUFFIX: Final = ".weights"

Shape = Annotated[
    tuple[Annotated[int, Meta(ge=1, le=2**31)], ...], Meta(min_length=1, max_length=2)
]


class WeightsHead(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """The first line."""

    format: int
    name: headed.Name
    rulesets: Annotated[tuple[dict[str, Any], ...], Meta(min_length=1, max_length=64)]
    """The fields of those it was trained for."""
    ways: tuple[tuple[str, bool], ...]
    """The ways to win: endings, and whether with a monk."""
    networks: dict[Phase, tuple[Shape, ...]]
    """The shapes of `Network.arrays`, network by network in the order of the numbers."""
    sieve: dict[Phase, tuple[Shape, ...]] | None = None
    """Those of its sieve, whose numbers follow."""


KIND: Final = Kind(
    what="file of weights", format=2, head=WeightsHead, advice="make one with `arena train`"
)

PINNED: Final[Mapping[str, str]] = {
    "backgammon-4": "e3684fb75228ea22a4ffbbbaac9a724e5438d4b9ade24e8cd03778a3a2702bfc",
    "brade-classic-3": "80998a978c77eee8e1e4862c6566fd06237164b6009e7695fd4f058f29de2c7e",
    "brade-fiske-2": "154bfd77e3894331d6f0e11e8d54d0cc7ba4b7ef2ab0cded26f0ee63dc680abb",
    "brade-vasa-3": "2d3529e75a42abfc4321132bc39df169367d9ba04d3377225baca6b4470f2453",
}
"""The SHA-256 of the files that ship with the package: a name never changes its meaning."""


def write_evaluator(evaluator: Evaluator, rulesets: Sequence[Ruleset], path: Path) -> str:
    """Write the weights as little-endian float32, and the rulesets they were trained for; gives the SHA-256."""
    parts = [one.networks for one in (evaluator, evaluator.sieve) if one]
    shapes = [
        {phase: tuple(array.shape for array in one.arrays) for phase, one in of.items()}
        for of in parts
    ]
    head = WeightsHead(
        format=KIND.format,
        name=evaluator.name,
        rulesets=tuple(TablesGame(rules).ruleset for rules in rulesets),
        ways=evaluator.ways,
        networks=shapes[0],
        sieve=shapes[1] if evaluator.sieve else None,
    )
    arrays = [
        array.astype("<f4").tobytes() for of in parts for one in of.values() for array in one.arrays
    ]
    return headed.write_headed(head, b"".join(arrays), path)


def read_evaluator(path: Path, rules: Ruleset | None = None) -> Evaluator:
    """The evaluator of a file, asked about a ruleset, or about the first of those it was trained for.

    It has the table of races that fits the ruleset. Raises `EvaluatorError` if a file is missing,
    damaged, of another shape, or not for the ruleset.
    """
    head, numbers, sha256 = headed.read_headed(path, KIND, _size_of)
    headed.check_pin(path, head.name, sha256, PINNED, "give other weights a name of their own")
    left = np.frombuffer(numbers, dtype="<f4").astype(np.float32)
    found: list[dict[Phase, Network]] = []
    for told in (head.networks, head.sieve or {}):
        networks: dict[Phase, Network] = {}
        for phase, shapes in told.items():
            *parts, left = np.split(left, np.cumsum([*map(prod, shapes)]))
            networks[phase] = network_of(
                [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
            )
        if not all(map(is_finite, networks.values())):
            raise headed.damaged(
                path, KIND, "it has weights that are no numbers, or too large to compute with"
            )
        found.append(networks)
    trained = _trained(head)
    rules = rules or trained[0]
    if not any(is_played_alike(rules, other) for other in trained):
        names = ", ".join(other.name for other in trained)
        values = {"name": head.name, "rulesets": names, "ruleset": rules.name}
        raise EvaluatorError(Said("evaluator.of_other_rules", values))
    evaluator = Evaluator(
        name=head.name,
        rules=rules,
        ways=ways_of(trained[0]),
        networks=found[0],
        table=table_for(rules),
        sha256=sha256,
    )
    return (
        replace(evaluator, sieve=replace(evaluator, networks=found[1], is_sieve=True))
        if head.sieve
        else evaluator
    )


@cache
def shipped() -> Mapping[str, tuple[Ruleset, ...]]:
    """The evaluators that ship, by name, with their rulesets; raises `EvaluatorError` if one of them is damaged."""
    return {
        path.stem: _trained(headed.read_head(path, KIND))
        for path in sorted(SHIPPED.glob(f"*{SUFFIX}"))
    }


@cache
def evaluator_named(name: str, rules: Ruleset | None = None) -> Evaluator:
    """A shipped evaluator; raises `EvaluatorError` if there is none of that name, or if it is for another ruleset."""
    if name not in shipped():
        raise EvaluatorError(
            Said("evaluator.unknown", {"name": repr(name), "known": ", ".join(shipped())})
        )
    return read_evaluator(SHIPPED / (name + SUFFIX), rules)


def evaluator_for(game: Game[Any]) -> Evaluator:
    """The shipped evaluator for a game; raises `EvaluatorError` if there is none."""
    if not isinstance(game, TablesGame):
        raise EvaluatorError(Said("evaluator.only_tables", {"ruleset": game.name}))
    for name, trained in shipped().items():
        if any(is_played_alike(game.rules, rules) for rules in trained):
            return evaluator_named(name, game.rules)
    raise EvaluatorError(
        Said("evaluator.none", {"ruleset": game.name, "known": ", ".join(shipped())})
    )


def is_played_alike(rules: Ruleset, trained: Ruleset) -> bool:
    """Return whether an evaluator serves another ruleset: one that differs only in its name, or in what it pays.

    Ways to win that the trained ruleset does not tell apart cannot be told apart: monks and
    gammons.
    """
    if (rules.points_monk and not trained.points_monk) or (rules.gammons and not trained.gammons):
        return False
    found, known = asdict(rules), asdict(trained)
    paying = {name for name in found if name.startswith("points_") or name in ("name", "gammons")}
    return all(found[name] == known[name] for name in found.keys() - paying)


def _trained(head: WeightsHead) -> tuple[Ruleset, ...]:
    """The rulesets of a file; raises `GameError` if one of them is none of a tables game."""
    found = []
    for fields in head.rulesets:
        game = load_game(fields)
        if not isinstance(game, TablesGame):
            raise GameError([f"{game.name} is no tables game"])
        found.append(game.rules)
    return tuple(found)


def _size_of(head: WeightsHead) -> int:
    """The bytes of the weights; raises `ValueError` for other networks than a ruleset needs."""
    trained = _trained(head)
    for rules in trained:
        if head.ways != (ways := ways_of(rules)):
            raise ValueError(
                f"it has {len(head.ways)} ways to win; expected the {len(ways)} of {rules.name} in order"
            )
    size = _size_of_networks(trained, head.networks, for_sieve=False)
    return (
        size
        if head.sieve is None
        else size + _size_of_networks(trained, head.sieve, for_sieve=True)
    )


def _size_of_networks(
    trained: Sequence[Ruleset], networks: Mapping[Phase, Sequence[Shape]], *, for_sieve: bool
) -> int:
    what = "sieve" if for_sieve else "network"
    hidden = [shape[0] for shape in networks.get("contact", ())[1:-2:2]]  # the biases but the last
    if len(hidden) > DEEPEST or max(hidden, default=0) > WIDEST:
        raise ValueError(
            f"it has hidden layers of {hidden}; expected at most {DEEPEST}, up to {WIDEST} wide"
        )
    for rules in trained:
        if tuple(networks) != (phases := phases_of(rules.facing)):
            raise ValueError(
                f"it has {what}s for {', '.join(networks)}; expected {', '.join(phases)}"
            )
        for phase, shapes in networks.items():
            needed = shapes_of(layer_widths(rules, hidden, phase, for_sieve=for_sieve))
            for place, (found, expected) in enumerate(zip_longest(shapes, needed)):
                if found != expected:
                    raise ValueError(
                        f"shape {place} of its {what} for {phase} is {found}; expected {expected} for {rules.name}"
                    )
    return 4 * sum(prod(shape) for shapes in networks.values() for shape in shapes)
