"""How much surer results are with the luck of the dice taken out: `python benchmarks/luck.py near --pairs 250`.

Two players play duplicate pairs in this process, many games in step, and the evaluator looks at every roll, as
`arena analyse` does. `near` sets the evaluator against itself with small mistakes, `greedy` the same against the sample
bot greedy, `random` has a network with random weights look at bearing off, in short games: its luck must not move the
mean. One core plays and looks at some 400 turns a second.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from random import Random
from statistics import fmean, variance
from typing import Any

from arena.analysis import evaluator_for
from arena.analysis.evaluator import new_evaluator
from arena.games import load_game
from arena.games.tables.position import from_counts, from_state
from arena.lab.lucky_games import Chooser, best, lucky_matches, nearly_best
from arena.tournaments.statistics.luck import PLAIN, Luck, LuckyMatch, adjusted_units, coefficients

ERROR = 0.02
"""Points by which the near-equal player mistakes a turn."""


def greedy(game: Any) -> Chooser:
    """The sample bot, as it looks at positions."""
    path = Path(__file__).parent.parent / "sample_bots" / "greedy" / "bot.py"
    spec = importlib.util.spec_from_file_location("greedy_bot", path)
    assert spec is not None
    assert spec.loader is not None
    bot = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bot)

    def choose(results: Sequence[tuple[int, Any]], _: Any) -> int:
        worth = [
            bot.ENDING * ending.points if ending else bot.value(game.to_plain(from_state(state, game.rules.layout)))
            for state, ending in results
        ]
        return worth.index(max(worth))

    return choose


def units(matches: Sequence[LuckyMatch], size: int, of: str, fitted: Sequence[Luck] | None) -> list[float]:
    """The results a game of every unit: raw without coefficients."""
    none = Luck(0.0, 0.0)
    return [
        getattr(unit, of) / unit.games
        for match, one in zip(matches, fitted or [none] * len(matches), strict=True)
        for unit in adjusted_units(match, size, one)
    ]


def saved(matches: Sequence[LuckyMatch], size: int, of: str, fitted: Sequence[Luck]) -> str:
    """By how much fewer games are as sure as raw single games, with its standard error by drawing the pairs again."""
    raw = units(matches, 1, of, None)
    left = units(matches, size, of, fitted)
    width = len(left) // len(matches)

    def ratio(chosen: Sequence[int]) -> float:
        before = [raw[2 * pair + half] for pair in chosen for half in (0, 1)]
        after = [left[width * pair + half] for pair in chosen for half in range(width)]
        return variance(before) / (size * max(variance(after), 1e-9))

    chance = Random(1)
    again = [ratio(chance.choices(range(len(matches)), k=len(matches))) for _ in range(200)]
    return f"{ratio(range(len(matches))):5.2f} +- {sqrt(variance(again)):.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", choices=["near", "greedy", "random"])
    parser.add_argument("--ruleset", default="vasa")
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("--pairs", type=int, default=250)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    game: Any = load_game(given.ruleset, given.option)
    evaluator, start = evaluator_for(game), None
    other = greedy(game) if given.case == "greedy" else nearly_best(ERROR, given.seed)
    if given.case == "random":
        evaluator = new_evaluator("random", game.rules, [8], given.seed)
        home = dict.fromkeys(range(19, 24), 3)
        start = from_counts(home, home, game.rules.layout)
    begun = time.process_time()
    matches = lucky_matches(game, evaluator, (best, other), given.pairs, given.seed, start)
    spent = time.process_time() - begun
    fitted = coefficients(matches)
    raw, left = units(matches, 2, "points", None), units(matches, 2, "points", fitted)
    moved = [after - before for before, after in zip(raw, left, strict=True)]
    print(f"{given.case}, {game.name}: {2 * given.pairs} games in {spent:.0f} s of processor time")
    print(f"points a game: raw {fmean(raw):+.3f}, adjusted {fmean(left):+.3f}")
    print(f"adjusted less raw: {fmean(moved):+.4f} +- {1.96 * sqrt(variance(moved) / len(moved)):.4f} (95 %)")
    means = [fmean(one[place] for one in fitted) for place in (0, 1)]
    print(f"coefficient in points {means[0]:.2f}, in wins {means[1]:.2f}")
    print("games saved, against single games as played:      points           games won")
    for name, size, one in (
        ("pairs, as played", 2, [Luck(0.0, 0.0)] * len(matches)),
        ("luck taken out, coefficient 1", 1, [PLAIN] * len(matches)),
        ("luck taken out", 1, fitted),
        ("luck taken out of pairs, coefficient 1", 2, [PLAIN] * len(matches)),
        ("luck taken out of pairs", 2, fitted),
    ):
        print(f"  {name:40}", *(f"{saved(matches, size, of, one):>16}" for of in ("points", "score")), sep="  ")


if __name__ == "__main__":
    main()
