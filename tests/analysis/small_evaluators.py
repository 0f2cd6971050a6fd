"""Evaluators for tests: small ones with random weights, and one that says the same of every position."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from arena.analysis.evaluator import Evaluator, new_evaluator
from arena.analysis.files import write_evaluator
from arena.analysis.network import Network
from arena.games import load_game


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
        return Network(tuple(map(np.zeros_like, network.weights)), tuple(map(np.zeros_like, network.biases)))

    evaluator = small(ruleset)
    return replace(
        evaluator, contact=without_weights(evaluator.contact), race=without_weights(evaluator.race), name="flat"
    )
