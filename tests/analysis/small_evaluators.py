"""Evaluators for tests, with random weights or none, and positions out of games by chance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from arena.analysis.evaluator import Evaluator, new_evaluator
from arena.analysis.files import write_evaluator
from arena.analysis.network import Network
from arena.games import load_game
from arena.games.tables.game import TablesGame
from arena.games.tables.position import Position


class After(NamedTuple):
    """A position after a turn."""

    state: int
    """From the side that has just moved."""
    next: Position
    """The same from the side about to roll."""


def tables_game(name: str, *options: str) -> TablesGame:
    game: Any = load_game(name, options)
    assert isinstance(game, TablesGame)
    return game


def afterwards(game: TablesGame, number: int, seed: int = 1) -> Iterator[After]:
    """So many positions after turns, out of games by chance."""
    chance, position = Random(seed), game.start()
    while number:
        turns = game.legal_turns(position, (chance.randint(1, 6), chance.randint(1, 6)))
        turn = turns[chance.randrange(len(turns))]
        position = game.start()
        if turn.ending is None:
            position = game.flip(turn.position)
            number -= 1
            yield After(turn.position.state, position)


@cache
def small(ruleset: str = "vasa", **options: bool) -> Evaluator:
    """Any numbers, but always the same."""
    game: Any = load_game(ruleset)
    return replace(new_evaluator("small", game.rules, (4,), seed=1), sha256="0" * 64)


def small_file(path: Path, ruleset: str = "vasa") -> Path:
    """The same as a file of weights."""
    write_evaluator(small(ruleset), [small(ruleset).rules], path)
    return path


def flat(ruleset: str) -> Evaluator:
    """Every way to end is as likely for one side as for the other: each position is worth nothing to both."""

    def without_weights(network: Network) -> Network:
        return Network(
            tuple(map(np.zeros_like, network.weights)), tuple(map(np.zeros_like, network.biases))
        )

    evaluator = small(ruleset)
    networks = {phase: without_weights(network) for phase, network in evaluator.networks.items()}
    return replace(evaluator, networks=networks, name="flat")
