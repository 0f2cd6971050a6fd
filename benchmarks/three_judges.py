"""What the evaluator of backgammon loses a decision, by three judges over the same positions.

    python benchmarks/three_judges.py 400          of the positions that ship, so many; some minutes

Our judge is the file of positions: turns that were played out. GNU Backgammon looks two plies deep, bgsage (extra
`engines`) one turn deeper than its networks. Each judge values the same turns: those that look near the best to it
or to us, and the turn that each player plays one turn ahead. Rates are thousandths of a point with their 95 % interval.
GNU Backgammon needs the program `gnubg` with its Python.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from random import Random
from typing import Any

from inside_gnubg import answered, boards_of

from arena.analysis import evaluator_for
from arena.analysis.arrays import counts_of
from arena.analysis.examination import PositionSet, read_position_set, shipped_positions_path
from arena.analysis.search import values_of
from arena.analysis.second_judge import judged_by, sage_evaluator
from arena.games import load_game

INSIDE = """
for one in asked:
    boards, ended = one["boards"], one["ended"]
    static = [value(b, 0, GAMMONS) if e is None else e for b, e in zip(boards, ended)]
    one["played"] = max(range(len(static)), key=static.__getitem__)
    near = {i for i in range(len(static)) if static[i] > max(static) - 0.1} | set(one["also"]) | {one["played"]}
    one["judged"] = {i: value(boards[i], 2, GAMMONS) if ended[i] is None else ended[i] for i in near}
"""
"""It plays a turn ahead, and values the turns that may be the best two plies deep."""


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    whole = read_position_set(shipped_positions_path(load_game("backgammon").ruleset))
    questions = tuple(Random(1).sample(whole.questions, number))
    ours = PositionSet(whole.head, whole.game, questions, whole.sha256)
    evaluator = evaluator_for(ours.game)
    sage = sage_evaluator(ours.game)
    turns_of_each: list[Any] = [question.turns for question in questions]
    our_values = values_of(evaluator, turns_of_each)
    sage_values = values_of(sage, turns_of_each)
    by_sage = judged_by(ours, sage)
    asked = []
    for turns, mine, theirs in zip(turns_of_each, our_values, sage_values, strict=True):
        results = turns.results()
        counts = counts_of([state for state, _ in results])
        boards = boards_of(counts)
        ended = [ending.points if ending else None for _, ending in results]
        also = [int(mine.argmax()), int(theirs.argmax())]
        asked.append({"boards": boards, "ended": ended, "also": also})
    answers = answered(asked, f"GAMMONS = {int(ours.game.rules.gammons)}\n{INSIDE}")
    by_gnubg = []
    for question, answer in zip(questions, answers, strict=True):
        judged = {int(place): value for place, value in answer["judged"].items()}
        best, worst = max(judged.values()), min(judged.values())
        losses = [
            round(1000 * (best - judged.get(place, worst))) for place in range(len(question.losses))
        ]
        by_gnubg.append(replace(question, losses=tuple(losses)))
    judges = {
        f"ours ({whole.head.judge}, played out)": questions,
        "GNU Backgammon, 2 plies": tuple(by_gnubg),
        f"{sage.name}, one turn deeper": by_sage.questions,
    }
    players = {
        evaluator.name: [int(values.argmax()) for values in our_values],
        "GNU Backgammon, 0 plies": [answer["played"] for answer in answers],
        sage.name: [int(values.argmax()) for values in sage_values],
    }
    for judge, judged_questions in judges.items():
        for player, places in players.items():
            losses = [
                question.losses[place]
                for question, place in zip(judged_questions, places, strict=True)
            ]
            rate = ours.rates(losses)["all"]
            print(f"{judge}: {player} {rate.mean:.1f} ± {rate.half_width:.1f}", flush=True)


if __name__ == "__main__":
    main()
