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
from arena.analysis.arrays import Floats, Phase, phases_of
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
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """The first line."""

    format: int
    name: headed.Name
    rulesets: Annotated[tuple[dict[str, Any], ...], Meta(min_length=1, max_length=64)]
    """The fields of the rulesets it was trained for."""
    ways: tuple[tuple[str, bool], ...]
    """The ways to win: endings, and whether with a monk."""
    networks: dict[Phase, tuple[Shape, ...]]
    """The shapes of `Network.arrays`, network by network in the order of the numbers."""
    sieve: dict[Phase, tuple[Shape, ...]] | None = None
    """The shapes of its sieve, whose numbers follow."""


KIND: Final = Kind(
    what="file of weights",
    format=2,
    head=WeightsHead,
    advice="make one with `arena train`",
)

PINNED: Final[Mapping[str, str]] = {
    "backgammon-4": "79fa2824e48ab53bea89181d6ba0e13d5a37f39e4bc0d7804e817d1edec196f1",
    "brade-classic-3": "80998a978c77eee8e1e4862c6566fd06237164b6009e7695fd4f058f29de2c7e",
    "brade-fiske-2": "154bfd77e3894331d6f0e11e8d54d0cc7ba4b7ef2ab0cded26f0ee63dc680abb",
    "brade-vasa-3": "2d3529e75a42abfc4321132bc39df169367d9ba04d3377225baca6b4470f2453",
}
"""The SHA-256 of the files that ship with the package: a name never changes its meaning."""


def write_evaluator(evaluator: Evaluator, rulesets: Sequence[Ruleset], path: Path) -> str:
    """Write an evaluator and the rulesets it was trained for; return the SHA-256 of the file.

    The weights are little-endian float32.
    """
    head = WeightsHead(
        format=KIND.format,
        name=evaluator.name,
        rulesets=tuple(TablesGame(rules).ruleset for rules in rulesets),
        ways=evaluator.ways,
        networks=_shapes(evaluator),
        sieve=_shapes(evaluator.sieve) if evaluator.sieve else None,
    )
    numbers = _numbers(evaluator)
    if evaluator.sieve:
        numbers += _numbers(evaluator.sieve)
    return headed.write_headed(head, numbers, path)


def _shapes(evaluator: Evaluator) -> dict[Phase, tuple[Shape, ...]]:
    """Return the shapes of the arrays of each network."""
    shapes: dict[Phase, tuple[Shape, ...]] = {}
    for phase, network in evaluator.networks.items():
        shapes[phase] = tuple(array.shape for array in network.arrays)
    return shapes


def _numbers(evaluator: Evaluator) -> bytes:
    """Return the weights of all networks."""
    arrays: list[Floats] = []
    for network in evaluator.networks.values():
        arrays += network.arrays
    return b"".join(array.astype("<f4").tobytes() for array in arrays)


def read_evaluator(path: Path, rules: Ruleset | None = None) -> Evaluator:
    """Read the evaluator of a file, for a ruleset or for the first of those it was trained for.

    It has the table of races that fits the ruleset. Raises `EvaluatorError` if a file is missing,
    damaged, of another shape, or not for the ruleset.
    """
    head, numbers, sha256 = headed.read_headed(path, KIND, _size_of)
    headed.check_pin(path, head.name, sha256, PINNED, "give other weights a name of their own")
    weights = np.frombuffer(numbers, dtype="<f4").astype(np.float32)
    size = _count_of_weights(head.networks)
    networks = _networks(path, head.networks, weights[:size])
    networks_of_sieve = _networks(path, head.sieve or {}, weights[size:])
    trained = _rulesets_of(head)
    rules = rules or trained[0]
    if not _serves(trained, rules):
        names = ", ".join(ruleset.name for ruleset in trained)
        values = {"name": head.name, "rulesets": names, "ruleset": rules.name}
        raise EvaluatorError(Said("evaluator.of_other_rules", values))
    evaluator = Evaluator(
        name=head.name,
        rules=rules,
        ways=ways_of(trained[0]),
        networks=networks,
        table=table_for(rules),
        sha256=sha256,
    )
    if head.sieve:
        sieve = replace(evaluator, networks=networks_of_sieve, is_sieve=True)
        evaluator = replace(evaluator, sieve=sieve)
    return evaluator


def _networks(
    path: Path,
    shapes_of_phases: Mapping[Phase, Sequence[Shape]],
    weights: Floats,
) -> dict[Phase, Network]:
    """Return networks of these shapes; raises `EvaluatorError` if they cannot be computed with."""
    networks: dict[Phase, Network] = {}
    begin = 0
    for phase, shapes in shapes_of_phases.items():
        arrays = []
        for shape in shapes:
            end = begin + prod(shape)
            arrays.append(weights[begin:end].reshape(shape))
            begin = end
        networks[phase] = network_of(arrays)
        if not is_finite(networks[phase]):
            raise headed.damage_error(
                path,
                KIND,
                "it has weights that are no numbers, or too large to compute with",
            )
    return networks


@cache
def shipped_rulesets() -> Mapping[str, tuple[Ruleset, ...]]:
    """Return the evaluators that ship, by name, with their rulesets.

    Raises `EvaluatorError` if one of them is damaged.
    """
    paths = sorted(SHIPPED.glob(f"*{SUFFIX}"))
    return {path.stem: _rulesets_of(headed.read_head(path, KIND)) for path in paths}


@cache
def evaluator_named(name: str, rules: Ruleset | None = None) -> Evaluator:
    """Return the shipped evaluator of a name.

    Raises `EvaluatorError` if there is none of that name, or if it is for another ruleset.
    """
    if name not in shipped_rulesets():
        values = {"name": repr(name), "known": ", ".join(shipped_rulesets())}
        raise EvaluatorError(Said("evaluator.unknown", values))
    return read_evaluator(SHIPPED / (name + SUFFIX), rules)


def evaluator_for(game: Game[Any]) -> Evaluator:
    """Return the shipped evaluator for a game; raises `EvaluatorError` if there is none."""
    if not isinstance(game, TablesGame):
        raise EvaluatorError(Said("evaluator.only_tables", {"ruleset": game.name}))
    for name, trained in shipped_rulesets().items():
        if _serves(trained, game.rules):
            return evaluator_named(name, game.rules)
    values = {"ruleset": game.name, "known": ", ".join(shipped_rulesets())}
    raise EvaluatorError(Said("evaluator.none", values))


def _serves(trained: Sequence[Ruleset], rules: Ruleset) -> bool:
    """Return whether an evaluator that was trained for some rulesets serves this one."""
    return any(is_played_alike(rules, ruleset) for ruleset in trained)


def is_played_alike(rules: Ruleset, trained: Ruleset) -> bool:
    """Return whether an evaluator serves a ruleset that may have another name, or pay other points.

    An evaluator cannot tell apart ways to win that its own ruleset does not: monks and gammons.
    """
    if (rules.points_monk and not trained.points_monk) or (rules.gammons and not trained.gammons):
        return False
    trained_fields = asdict(trained)
    for name, setting in asdict(rules).items():
        is_about_pay = name.startswith("points_") or name in ("name", "gammons")
        if not is_about_pay and setting != trained_fields[name]:
            return False
    return True


def _rulesets_of(head: WeightsHead) -> tuple[Ruleset, ...]:
    """Return the rulesets of a file; raises `GameError` if one is not for a tables game."""
    rulesets = []
    for fields in head.rulesets:
        game = load_game(fields)
        if not isinstance(game, TablesGame):
            raise GameError([f"{game.name} is no tables game"])
        rulesets.append(game.rules)
    return tuple(rulesets)


def _size_of(head: WeightsHead) -> int:
    """Return the size of the weights in bytes; raises `ValueError` if no such file is possible."""
    trained = _rulesets_of(head)
    for rules in trained:
        ways = ways_of(rules)
        if head.ways != ways:
            raise ValueError(
                f"it has {len(head.ways)} ways to win; "
                f"expected the {len(ways)} of {rules.name} in order"
            )
    _check_networks(trained, head.networks, for_sieve=False)
    count = _count_of_weights(head.networks)
    if head.sieve is not None:
        _check_networks(trained, head.sieve, for_sieve=True)
        count += _count_of_weights(head.sieve)
    return 4 * count


def _check_networks(
    trained: Sequence[Ruleset],
    networks: Mapping[Phase, Sequence[Shape]],
    *,
    for_sieve: bool,
) -> None:
    """Raise `ValueError` for other phases or shapes than the rulesets need."""
    kind = "sieve" if for_sieve else "network"
    hidden = [shape[0] for shape in networks.get("contact", ())[1:-2:2]]  # the biases but the last
    if len(hidden) > DEEPEST or max(hidden, default=0) > WIDEST:
        raise ValueError(
            f"it has hidden layers of {hidden}; expected at most {DEEPEST}, up to {WIDEST} wide"
        )
    for rules in trained:
        phases = phases_of(rules.facing)
        if tuple(networks) != phases:
            raise ValueError(
                f"it has {kind}s for {', '.join(networks)}; expected {', '.join(phases)}"
            )
        for phase, shapes in networks.items():
            needed = shapes_of(layer_widths(rules, hidden, phase, for_sieve=for_sieve))
            for place, (shape, expected) in enumerate(zip_longest(shapes, needed)):
                if shape != expected:
                    raise ValueError(
                        f"shape {place} of its {kind} for {phase} is {shape}; "
                        f"expected {expected} for {rules.name}"
                    )


def _count_of_weights(networks: Mapping[Phase, Sequence[Shape]]) -> int:
    """Return how many numbers networks of these shapes have."""
    count = 0
    for shapes in networks.values():
        count += sum(map(prod, shapes))
    return count
