"""Evaluators as files: a line of JSON that says what they are, then the weights."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from arena.analysis.arrays import Floats
from arena.analysis.errors import EvaluatorError
from arena.analysis.evaluator import Evaluator, new_evaluator
from arena.analysis.headed_files import SHIPPED, check_format, check_pin, read_headed, write_headed
from arena.analysis.network import Network, network_of
from arena.analysis.race_files import table_for
from arena.games import Game, GameError, load_game
from arena.games.tables.game import TablesGame
from arena.games.tables.ruleset import Ruleset

SUFFIX: Final = ".weights"
FORMAT: Final = 1

PINNED: Final[Mapping[str, str]] = {
    "backgammon-1": "9e1c1b56910c114e31054cdbe03851cda1eaf0116f7376219f8d916d21a4e38b",
    "brade-classic-1": "00729e1d0c5883adb79cc9630878ee21c690b2fdbfcaa89b8594c55318c0799e",
    "brade-fiske-1": "4a4dcef741e461678e806b6f853eff31ddb6fea191c454950f08d55740640e49",
    "brade-vasa-1": "64bc3d0df1cf4cf89dc5c60e0b9771de2a2be4ecea5be2c1a637011d5db895bf",
}
"""The SHA-256 of the files that ship with the package: a name never changes its meaning."""


def write_evaluator(evaluator: Evaluator, rulesets: Sequence[Ruleset], path: Path) -> str:
    """Write the weights as little-endian float32, and the rulesets they were trained for; gives the SHA-256."""
    arrays = [*evaluator.contact.arrays, *evaluator.race.arrays]
    head = {
        "format": FORMAT,
        "name": evaluator.name,
        "rulesets": [_fields(rules) for rules in rulesets],
        "ways": [[way.ending, way.monk] for way in evaluator.ways],
        "contact": [list(array.shape) for array in evaluator.contact.arrays],
        "race": [list(array.shape) for array in evaluator.race.arrays],
    }
    return write_headed(head, b"".join(array.astype("<f4").tobytes() for array in arrays), path)


def read_evaluator(path: Path, rules: Ruleset | None = None) -> Evaluator:
    """The evaluator of a file, asked about a ruleset, or about the first of those it was trained for.

    It has the table of short races that fits the ruleset. Raises `EvaluatorError` if a file is missing, damaged, of
    another shape, or not for the ruleset.
    """
    line, weights, sha256 = read_headed(path, "a file of weights of `arena train`")
    try:
        head = json.loads(line)
        trained = [_rules(fields) for fields in head["rulesets"]]
        shapes = [tuple(map(int, shape)) for shape in (*head["contact"], *head["race"])]
        name, number = str(head["name"]), int(head["format"])
    except (ValueError, KeyError, TypeError, GameError) as error:
        raise EvaluatorError(f"{path} is no file of weights: its first line cannot be read ({error})") from None
    check_format(path, number, FORMAT, "train it again")
    expected = 4 * sum(int(np.prod(shape)) for shape in shapes)
    if len(weights) != expected:
        raise EvaluatorError(f"{path} is damaged: {len(weights):,} bytes of weights; its first line says {expected:,}")
    check_pin(path, name, sha256, PINNED, "give other weights a name of their own")
    evaluator = new_evaluator(name, trained[0], _hidden(shapes, len(head["contact"])), seed=0)
    blank = [*evaluator.contact.arrays, *evaluator.race.arrays]
    if [array.shape for array in blank] != shapes or [list(way) for way in evaluator.ways] != head["ways"]:
        raise EvaluatorError(f"{path} has networks of another shape than {trained[0].name} needs here: train it again")
    networks = _networks(weights, shapes, len(head["contact"]))
    rules = rules or trained[0]
    if not any(is_played_alike(rules, other) for other in trained):
        names = ", ".join(other.name for other in trained)
        raise EvaluatorError(f"{name} was trained for {names}, which is played otherwise than {rules.name}")
    return Evaluator(
        name=name,
        rules=rules,
        ways=evaluator.ways,
        contact=networks[0],
        race=networks[1],
        table=table_for(rules),
        sha256=sha256,
    )


@cache
def shipped() -> Mapping[str, tuple[Ruleset, ...]]:
    """The evaluators that ship with the package, by name, with the rulesets they were trained for."""
    found = {}
    for path in sorted(SHIPPED.glob(f"*{SUFFIX}")):
        with path.open("rb") as file:
            found[path.stem] = tuple(_rules(fields) for fields in json.loads(file.readline())["rulesets"])
    return found


@cache
def evaluator_named(name: str, rules: Ruleset | None = None) -> Evaluator:
    """A shipped evaluator; raises `EvaluatorError` if there is none of that name, or if it is for another ruleset."""
    if name not in shipped():
        raise EvaluatorError(f"there is no evaluator {name!r}; there are {', '.join(shipped())}")
    return read_evaluator(SHIPPED / (name + SUFFIX), rules)


def evaluator_for(game: Game[Any]) -> Evaluator:
    """The shipped evaluator for a game; raises `EvaluatorError` if there is none."""
    if not isinstance(game, TablesGame):
        raise EvaluatorError(f"there is no evaluator for {game.name}: only tables games have one")
    for name, trained in shipped().items():
        if any(is_played_alike(game.rules, rules) for rules in trained):
            return evaluator_named(name, game.rules)
    raise EvaluatorError(
        f"there is no evaluator for {game.name}; train one with `arena train`, there are {', '.join(shipped())}"
    )


def is_played_alike(rules: Ruleset, trained: Ruleset) -> bool:
    """Whether an evaluator trained for a ruleset serves another one: all that differs is the name, or what is paid.

    Ways to win that the trained ruleset does not tell apart cannot be told apart: monks and gammons.
    """
    if (rules.points_monk and not trained.points_monk) or (rules.gammons and not trained.gammons):
        return False
    return _play(rules) == _play(trained)


def _play(rules: Ruleset) -> dict[str, Any]:
    """The fields that decide what is legal and when a game ends."""
    return {name: value for name, value in asdict(rules).items() if not name.startswith("points_")} | {
        "name": "",
        "gammons": False,
    }


def _fields(rules: Ruleset) -> dict[str, Any]:
    return TablesGame(rules).ruleset


def _rules(fields: Mapping[str, object]) -> Ruleset:
    game = load_game(fields)
    if not isinstance(game, TablesGame):
        raise GameError([f"{game.name} is no tables game"])
    return game.rules


def _hidden(shapes: Sequence[tuple[int, ...]], contact: int) -> list[int]:
    """The widths of the hidden layers for contact: the biases but the last."""
    return [shape[0] for shape in shapes[1 : contact - 2 : 2]]


def _networks(weights: bytes, shapes: Sequence[tuple[int, ...]], contact: int) -> tuple[Network, Network]:
    flat = np.frombuffer(weights, dtype="<f4").astype(np.float32)
    arrays: list[Floats] = []
    begin = 0
    for shape in shapes:
        size = int(np.prod(shape))
        arrays.append(flat[begin : begin + size].reshape(shape))
        begin += size
    return network_of(arrays[:contact]), network_of(arrays[contact:])
