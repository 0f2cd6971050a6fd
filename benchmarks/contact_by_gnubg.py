"""How far values of contact positions are from rollouts: `python benchmarks/contact_by_gnubg.py`.

`contact_rollouts.json` has positions with contact from games of players of all strengths, with what GNU Backgammon's
rollouts say, gammons counted: 324 games each at 0 plies, cut off after 11 plies, luck taken out. Printed are our values
without looking ahead and one turn deeper, and GNU Backgammon's without looking ahead and two plies deep, in points.
It needs the program `gnubg` with its Python. A minute or two; `--again 64` rolls out as many positions and writes the
file again, in half an hour.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from inside_gnubg import rolled_out, values_of_gnubg

from arena.analysis import evaluator_for
from arena.analysis.arrays import counts_of, has_contact
from arena.analysis.search import after_answers
from arena.games import load_game
from arena.games.tables.position import swapped
from arena.lab.playing_out import play_games, players_of_all_strengths

GAMES = 200
TRIALS = 324
CUT_OFF = """set rollout truncation enable on
set rollout truncation plies 11"""
ROLLOUTS = Path(__file__).with_name("contact_rollouts.json")
"""For each position the state after a turn, the points of the side that has moved, and their standard error."""


def roll_out_again(game: Any, evaluator: Any, number: int) -> None:
    """Draw positions, roll them out, and write the file."""
    players = players_of_all_strengths(evaluator, 4)[:5]
    states = sorted({swapped(one.position.state) for one in play_games(game, players, GAMES, 4)})
    Random(3).shuffle(states)
    meets = has_contact(counts_of(states), game.rules.facing)
    chosen = [state for state, met in zip(states, meets, strict=True) if met][:number]
    lines = [json.dumps([str(state), *rolled_out(state, TRIALS, 0, CUT_OFF)]) for state in chosen]
    ROLLOUTS.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def main() -> None:
    game: Any = load_game("backgammon")
    evaluator = evaluator_for(game)
    if "--again" in sys.argv[1:]:
        roll_out_again(game, evaluator, int(sys.argv[-1]))
    rollouts = json.loads(ROLLOUTS.read_text(encoding="utf-8"))
    states = [int(state) for state, _, _ in rollouts]
    truth = np.array([points for _, points, _ in rollouts])
    errors = [error for _, _, error in rollouts]
    print(f"{len(states)} positions rolled out, standard error {max(errors)} at most")
    static, deep = values_of_gnubg(counts_of(states))
    values = {
        "ours": evaluator.points(states),
        "ours, one turn deeper": np.array(after_answers(game, evaluator, states)),
        "GNU Backgammon, 0 plies": static,
        "GNU Backgammon, 2 plies": deep,
    }
    for name, points in values.items():
        apart = points - truth
        print(
            f"{name}: rms {np.sqrt((apart**2).mean()):.3f}, mean {apart.mean():+.3f}, "
            f"{np.abs(apart).max():.3f} at most",
            flush=True,
        )


if __name__ == "__main__":
    main()
