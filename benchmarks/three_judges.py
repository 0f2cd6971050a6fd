"""What the evaluator of backgammon loses a decision, by three judges over the same positions.

    python benchmarks/three_judges.py 400          of the positions that ship, so many; some minutes

Our judge is the file of positions: turns that were played out. GNU Backgammon looks two plies deep, bgsage (extra
`engines`) one turn deeper than its networks. Each judge values the same turns: those that look near the best to it
or to us, and the turn that each player plays one turn ahead. Rates are thousandths of a point with their 95 % interval.
GNU Backgammon needs the program `gnubg` with its Python.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from arena.analysis import evaluator_for
from arena.analysis.arrays import counts_of
from arena.analysis.examination import PositionSet, read_position_set, shipped_positions_path
from arena.analysis.search import values_of
from arena.analysis.second_judge import judged_by, sage_evaluator
from arena.games import load_game
from arena.games.tables.board import OFF
from arena.own_programs import find_program

INSIDE = """
import json, gnubg
for said in ("automatic game off", "automatic roll off", "player 0 human", "player 1 human"):
    gnubg.command("set " + said)
gnubg.command("new session")
cube = gnubg.cubeinfo()
def value(board, plies):
    context = dict(cubeful=0, plies=plies, deterministic=1, prune=1, noise=0.0)
    win, gammon, backgammon, lost, lost3, _ = gnubg.evaluate((tuple(board[0]), tuple(board[1])), cube, context)
    return 1 - 2 * win - GAMMONS * (gammon + backgammon - lost - lost3)
with open(PATH) as file:
    found = json.load(file)
for one in found:
    boards, ended = one["boards"], one["ended"]
    static = [value(b, 0) if e is None else e for b, e in zip(boards, ended)]
    one["played"] = max(range(len(static)), key=static.__getitem__)
    near = {i for i in range(len(static)) if static[i] > max(static) - 0.1} | set(one["also"]) | {one["played"]}
    one["judged"] = {i: value(boards[i], 2) if ended[i] is None else ended[i] for i in near}
with open(PATH, "w") as file:
    json.dump(found, file)
"""


def judged_by_gnubg(asked: list[dict[str, Any]], *, gammons: bool) -> list[dict[str, Any]]:
    """Let GNU Backgammon play a turn ahead, and value the turns that may be the best two plies deep."""
    gnubg = find_program("gnubg")
    if gnubg is None:
        sys.exit("there is no program gnubg; install it (Debian, Ubuntu: apt-get install gnubg)")
    with tempfile.TemporaryDirectory() as folder:
        path, script = Path(folder, "asked.json"), Path(folder, "inside.py")
        path.write_text(json.dumps(asked), encoding="utf-8")
        script.write_text(
            f"PATH, GAMMONS = {str(path)!r}, {int(gammons)}\n{INSIDE}", encoding="utf-8"
        )
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        subprocess.run([gnubg, "-t", "-q", "-r", "-p", script], check=True, **quiet)  # type: ignore[call-overload]
        return json.loads(path.read_text(encoding="utf-8"))


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
        boards = [
            [[*side[OFF - 1 : 0 : -1], side[0]] for side in counts[..., place].tolist()]
            for place in range(len(results))
        ]
        ended = [ending.points if ending else None for _, ending in results]
        also = [int(mine.argmax()), int(theirs.argmax())]
        asked.append({"boards": boards, "ended": ended, "also": also})
    answers = judged_by_gnubg(asked, gammons=ours.game.rules.gammons)
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
