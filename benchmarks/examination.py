"""Does the error rate of `arena exam` order players as games do?

    python benchmarks/examination.py                 vasa, 2,000 duplicate pairs a player, ten minutes of one core
    python benchmarks/examination.py backgammon      another ruleset that positions ship for
    python benchmarks/examination.py --pairs 100     a first look

Players of several kinds, all one turn ahead: the evaluator that ships, the same with noise, a
beginner by rules of thumb with and without noise, one that only runs, one that only closes points,
and networks that know nothing. For each it prints the error rate, the points a game against the
evaluator, and in the end Spearman's coefficient.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from arena.analysis import evaluator_for
from arena.analysis.arrays import Counts, Floats, counts_of
from arena.analysis.evaluator import new_evaluator
from arena.analysis.examination import read_position_set, shipped_positions_path
from arena.analysis.features import pips_of
from arena.analysis.search import PositionJudge
from arena.games import load_game
from arena.games.tables.board import OFF
from arena.games.tables.game import TablesGame
from arena.lab.strength import Beginner, Weakened, duel, rate_of

NOISE = (0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 1.0, 100.0)


class Runner:
    """Wants to be ahead in the race, whatever else happens."""

    def points(self, states: Sequence[int], /) -> Floats:
        mine, theirs = pips_of(counts_of(states))
        return theirs - mine


class Closer:
    """Wants closed points, as far ahead as they come."""

    def points(self, states: Sequence[int], /) -> Floats:
        counts: Counts = counts_of(states)
        closed = (counts[0, :OFF] > 1) * np.arange(OFF, dtype=np.float32)[:, np.newaxis]
        return np.asarray(closed.sum(axis=0), dtype=np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ruleset", nargs="?", default="vasa")
    parser.add_argument("--pairs", type=int, default=2000)
    options = parser.parse_args()
    game = load_game(options.ruleset)
    assert isinstance(game, TablesGame), "Brandubh has no evaluator"
    evaluator, beginner = evaluator_for(game), Beginner(game.rules)
    players: dict[str, PositionJudge] = {
        **{f"the evaluator, noise {noise}": Weakened(evaluator, noise, [1]) for noise in NOISE},
        "a beginner": beginner,
        "a beginner, noise 0.02": Weakened(beginner, 0.02, [1]),
        "one that only runs": Runner(),
        "one that only closes points": Closer(),
        "networks that know nothing": new_evaluator("nothing", game.rules, (16, 8), seed=1),
    }
    asked = read_position_set(shipped_positions_path(game.ruleset))
    print(
        f"{game.name}: {len(asked.questions)} positions, {options.pairs} pairs against {evaluator.name}",
        flush=True,
    )
    found = []
    for name, player in players.items():
        rate, score = rate_of(asked, player), duel(game, player, evaluator, options.pairs, seed=1)
        found.append((rate.mean, score.mean))
        print(
            f"{name:30} {rate.mean:7.1f} ± {rate.half_width:5.1f}   {score.mean:+.3f} ± {score.half_width:.3f}",
            flush=True,
        )
    rates, points = (np.argsort(np.argsort(column)) for column in zip(*found, strict=True))
    print(f"Spearman's coefficient of the two orders: {-np.corrcoef(rates, points)[0, 1]:.3f}")


if __name__ == "__main__":
    main()
