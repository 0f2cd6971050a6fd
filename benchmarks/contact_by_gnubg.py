"""How far values of contact positions are from GNU Backgammon's: `python benchmarks/contact_by_gnubg.py`.

100 positions with contact from games of players of all strengths, gammons counted: our values without looking ahead
and one turn deeper, and GNU Backgammon's without looking ahead, against GNU Backgammon two plies deep. Then all four
against GNU Backgammon's rollouts of five of them (0 plies, cut off after 11 plies, variance reduced, 144 games each).
With `--quick` 40 positions and three rollouts of 72 games. It needs the program `gnubg` with its Python.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from gammons_by_gnubg import values_of_gnubg

from arena.analysis import evaluator_for
from arena.analysis.arrays import counts_of, has_contact
from arena.analysis.search import after_answers
from arena.games import load_game
from arena.games.position_ids.forms import format_ids
from arena.games.tables.position import from_state, swapped
from arena.lab.playing_out import play_games, players_of_all_strengths
from arena.own_programs import find_program

GAMES = 200
SETTINGS = """set threads 1
set automatic game off
set automatic roll off
set player 0 human
set player 1 human
set jacoby off
set cube use off
new session
set board {board}
set matchid {match}
set rollout cubeful off
set rollout truncation enable on
set rollout truncation plies 11
set rollout chequerplay plies 0
set rollout varredn on
set rollout seed 1
set rollout trials {trials}
rollout
"""
ROW = re.compile(r" - 1?\.?\d\S* \S+ \S+ CL +([-+]\d\.\d+)\s+\[[^]]*?(\d\.\d+)\]")


def rolled_out(identity: str, trials: int) -> tuple[float, float]:
    """Return the points of the side to move, and their standard error."""
    board, match = identity.split(":")
    gnubg = find_program("gnubg")
    assert gnubg is not None
    with tempfile.TemporaryDirectory() as folder:
        commands = Path(folder, "commands")
        commands.write_text(SETTINGS.format(board=board, match=match, trials=trials))
        ours, its = pty.openpty()  # it prints no result if it does not write to a terminal
        with subprocess.Popen(
            [gnubg, "-t", "-q", "-r", "-c", commands],
            stdin=subprocess.DEVNULL,
            stdout=its,
            stderr=its,
        ):
            os.close(its)
            printed = b""
            try:
                while chunk := os.read(ours, 65536):
                    printed += chunk
            except OSError:  # the end of a terminal
                pass
        os.close(ours)
    points, error = ROW.findall(printed.decode("utf-8", "replace"))[-1]
    return float(points), float(error)


def report(against: str, truth: Any, values: dict[str, Any]) -> None:
    """Print how far values are from those of a judge."""
    for name, points in values.items():
        apart = np.abs(points - truth)
        rms = np.sqrt((apart**2).mean())
        print(
            f"{len(truth)} positions, {name} against {against}: rms {rms:.3f}, "
            f"mean {(points - truth).mean():+.3f}, {apart.max():.3f} at most",
            flush=True,
        )


def main() -> None:
    quick = "--quick" in sys.argv[1:]
    number, rollouts, trials = (40, 3, 72) if quick else (100, 5, 144)
    game: Any = load_game("backgammon")
    evaluator = evaluator_for(game)
    players = players_of_all_strengths(evaluator, 4)[:5]
    states = sorted({swapped(one.position.state) for one in play_games(game, players, GAMES, 4)})
    Random(3).shuffle(states)
    meets = has_contact(counts_of(states), game.rules.facing)
    chosen = [state for state, met in zip(states, meets, strict=True) if met][:number]
    static, deep = values_of_gnubg(counts_of(chosen))
    values = {
        "ours": evaluator.points(chosen),
        "ours, one turn deeper": np.array(after_answers(game, evaluator, chosen)),
        "GNU Backgammon, 0 plies": static,
    }
    report("GNU Backgammon, 2 plies", deep, values)
    values["GNU Backgammon, 2 plies"] = deep
    truth = []
    for state in chosen[:rollouts]:
        position = from_state(swapped(state), game.rules.layout)
        points, error = rolled_out(format_ids(game, position)["gnubg"], trials)
        print(f"rolled out: {-points:+.3f} ± {error:.3f}", flush=True)
        truth.append(-points)
    few = {name: points[:rollouts] for name, points in values.items()}
    report("GNU Backgammon's rollouts", np.array(truth), few)


if __name__ == "__main__":
    main()
