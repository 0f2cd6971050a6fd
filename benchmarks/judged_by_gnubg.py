"""What an evaluator of backgammon loses a decision, with GNU Backgammon two plies deep as the judge.

    python benchmarks/judged_by_gnubg.py judge decisions.json              some minutes; --strong for good games alone
    python benchmarks/judged_by_gnubg.py lose decisions.json               the evaluator that ships, and GNU at 0 plies
    python benchmarks/judged_by_gnubg.py lose decisions.json my.weights    others beside them

The first command takes decisions of each phase out of games of players of all strengths, lets GNU
Backgammon value the positions after the turns that look best to it or to the evaluator that ships,
and keeps them. The second prints the mean loss in thousandths of a point for each phase, with its
95 % interval. GNU Backgammon is a judge alone: nothing is learnt from it. It needs the program
`gnubg` with its Python.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from inside_gnubg import answered, boards_of

from arena.analysis import evaluator_for
from arena.analysis.arrays import counts_of, rows_of
from arena.analysis.examination import ExamPhase, error_rate
from arena.analysis.files import read_evaluator
from arena.analysis.search import values_of
from arena.games import load_game
from arena.games.tables.game import TablesGame
from arena.lab.playing_out import play_games, players_of_all_strengths
from arena.lab.strength import Weakened

WANTED = {"contact": 1500, "crashed": 500, "race": 300}

INSIDE = """
for one in asked:
    boards = one.pop("boards")
    one["gnubg"] = [value(b, 0) if e is None else e for b, e in zip(boards, one["endings"])]
    top = {i for of in ("gnubg", "ours") for i in sorted(range(len(boards)), key=lambda i: -one[of][i])[:8]}
    one["judged"] = {i: value(boards[i], 2) if one["endings"][i] is None else one["endings"][i] for i in top}
"""


def drawn(game: TablesGame, *, strong: bool) -> Iterator[dict[str, Any]]:
    """Decisions of each phase, with the positions after every turn."""
    evaluator = evaluator_for(game)
    players = (
        [evaluator, Weakened(evaluator, 0.03, [77])]
        if strong
        else players_of_all_strengths(evaluator, 77)
    )
    pool = play_games(game, players, sum(WANTED.values()), 77)
    Random(5).shuffle(pool)
    phases = rows_of(counts_of([one.position.state for one in pool]), game.rules.facing)
    for phase, rows in phases.items():
        for one in (pool[row] for row in rows[: WANTED[phase]]):
            turns = game.legal_turns(one.position, one.dice)
            results = turns.results()
            counts = counts_of([state for state, _ in results])
            yield {
                "phase": phase,
                "states": [str(state) for state, _ in results],
                "endings": [ending.points if ending else None for _, ending in results],
                "ours": values_of(evaluator, [turns])[0].tolist(),
                "boards": boards_of(counts),
            }


def judge(file: Path, *, strong: bool) -> None:
    """Draw decisions, and let GNU Backgammon value them."""
    game = load_game("backgammon")
    assert isinstance(game, TablesGame)
    judged = answered([*drawn(game, strong=strong)], INSIDE)
    file.write_text(json.dumps(judged), encoding="utf-8")


def lose(file: Path, weights: list[Path]) -> None:
    """Print what evaluators and GNU Backgammon lose."""
    game = load_game("backgammon")
    asked = json.loads(file.read_text(encoding="utf-8"))
    evaluators = [evaluator_for(game), *map(read_evaluator, weights)]
    _print("GNU Backgammon, 0 plies", asked, lambda one: one["gnubg"])
    for evaluator in evaluators:
        values = iter(
            evaluator.points([int(state) for one in asked for state in one["states"]]).tolist()
        )

        def said(one: dict[str, Any], values: Iterator[float] = values) -> list[float]:
            return [
                next(values) if ending is None else (next(values), ending)[1]
                for ending in one["endings"]
            ]

        _print(evaluator.name, asked, said)


def _print(
    name: str, asked: list[dict[str, Any]], said: Callable[[dict[str, Any]], list[float]]
) -> None:
    losses: defaultdict[ExamPhase, list[float]] = defaultdict(list)
    for one in asked:
        values, judged = said(one), {int(place): value for place, value in one["judged"].items()}
        played = max(range(len(values)), key=values.__getitem__)
        losses[one["phase"]].append(
            1000 * (max(judged.values()) - judged.get(played, min(judged.values())))
        )
    rates = {phase: error_rate({phase: of}, {phase: 1}) for phase, of in losses.items()}
    told = (f"{phase} {rate.mean:.1f} ± {rate.half_width:.1f}" for phase, rate in rates.items())
    print(f"{name}: {', '.join(told)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("judge", "lose"))
    parser.add_argument("file", type=Path)
    parser.add_argument("weights", type=Path, nargs="*")
    parser.add_argument(
        "--strong", action="store_true", help="games of the evaluator against itself"
    )
    options = parser.parse_args()
    if options.what == "judge":
        judge(options.file, strong=options.strong)
    else:
        lose(options.file, options.weights)


if __name__ == "__main__":
    main()
