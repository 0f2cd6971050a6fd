"""How wrong evaluators are about short races, with their networks alone and with their table.

    python benchmarks/races.py             every shipped evaluator, 2,000 positions of each ruleset, some minutes each
    python benchmarks/races.py --quick     500 positions, about a minute each

The positions are those of the tables that come up when the networks alone play against themselves. The truth is
computed anew and not rounded. Errors are in points, for the side that has just moved. What a choice costs is the mean
over all rolls of what the turn chosen is worth less than the best one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from time import perf_counter

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from arena.analysis import Evaluator, best_of_many, evaluator_named, shipped
from arena.analysis.races import CERTAIN, RaceTable
from arena.analysis.sides import counts_of
from arena.games.playing import rolls
from arena.games.tables.game import TablesGame
from arena.games.tables.position import from_state, swapped
from arena.lab.races import win_chances
from arena.lab.self_play import Board, SelfPlay

AIM = 0.01
"""The mean error, in points, that an evaluator with its table may have at most."""
BOARDS = 256


def reached(game: TablesGame, evaluator: Evaluator, table: RaceTable, number: int) -> tuple[list[int], int]:
    """Positions of the table from self-play, and how many games it took."""
    play, chance = SelfPlay(game, [Board(game.start()) for _ in range(BOARDS)]), Random(1)
    found: list[int] = []
    games = 0
    while len(found) < number:
        for played in play.step(evaluator, chance):
            games += 1
            covered = table.covers(counts_of(played.states)) if played.states else ()
            found += [state for state, is_short in zip(played.states, covered, strict=True) if is_short]
    return found, games


def cost_of_choices(game: TablesGame, evaluator: Evaluator, truth: Evaluator, states: Sequence[int]) -> float:
    """What the evaluator's choices are worth less than the best ones, in points, over all rolls."""
    chances = rolls(2)
    asked = [(from_state(swapped(state), game.rules.layout), roll) for state in states for roll in chances]
    lost = 0.0
    chosen, right = best_of_many(game, evaluator, asked), best_of_many(game, truth, asked)
    taken = [turns.results()[choice.place] for turns, choice in chosen]
    values = truth.points([state for state, _ in taken])
    for (_, roll), (_, ending), value, (_, choice) in zip(asked, taken, values, right, strict=True):
        lost += chances[roll] * (choice.points - (ending.points if ending else float(value)))
    return lost / len(states)


def measure(game: TablesGame, evaluator: Evaluator, number: int) -> bool:
    """Print the errors under one ruleset; says whether the aim is met."""
    table = evaluator.table
    if table is None:
        print(f"{evaluator.name}, {game.name}: no table fits")
        return True
    alone = replace(evaluator, table=None)
    unrounded = replace(table, values=win_chances(game, table.checkers) * CERTAIN)
    truth = replace(evaluator, table=unrounded)
    begun = perf_counter()
    states, games = reached(game, alone, table, number)
    print(
        f"{evaluator.name}, {game.name}: {len(states):,} positions of {games:,} games, {perf_counter() - begun:.0f} s"
    )
    right = truth.points(states)
    print(f"  {'':16}{'mean error':>12}{'root mean square':>18}{'largest':>12}{'cost of a choice':>18}")
    errors = {}
    for label, asked in (("network alone", alone), ("with the table", evaluator)):
        wrong = np.abs(asked.points(states) - right)
        errors[label] = float(wrong.mean())
        cost = cost_of_choices(game, asked, truth, states)
        rms = np.sqrt(np.square(wrong).mean())
        print(f"  {label:16}{errors[label]:12.6f}{rms:18.6f}{wrong.max():12.6f}{cost:18.6f}")
    return errors["with the table"] <= AIM


def main() -> None:
    """Measure every shipped evaluator under every ruleset it was trained for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="500 positions of each ruleset and not 2,000")
    number = 500 if parser.parse_args().quick else 2000
    met = [
        measure(TablesGame(rules), evaluator_named(name, rules), number)
        for name, rulesets in shipped().items()
        for rules in rulesets
    ]
    if not all(met):
        sys.exit(f"a mean error with the table is above {AIM} points")


if __name__ == "__main__":
    main()
