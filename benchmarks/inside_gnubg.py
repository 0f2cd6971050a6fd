"""GNU Backgammon as a judge: it runs a script of its own Python, which knows nothing of the arena, or a rollout."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from arena.analysis.arrays import Array
from arena.games import load_game
from arena.games.position_ids.forms import format_ids
from arena.games.tables.board import OFF
from arena.games.tables.position import from_state, swapped
from arena.own_programs import find_program

BEGIN = """
import json, gnubg
for said in ("automatic game off", "automatic roll off", "player 0 human", "player 1 human"):
    gnubg.command("set " + said)
gnubg.command("new session")
cube = gnubg.cubeinfo()
def value(board, plies, gammons=1):
    context = dict(cubeful=0, plies=plies, deterministic=1, prune=1, noise=0.0)
    win, gammon, backgammon, lost, lost3, _ = gnubg.evaluate((tuple(board[0]), tuple(board[1])), cube, context)
    return 1 - 2 * win - gammons * (gammon + backgammon - lost - lost3)
with open(PATH) as file:
    asked = json.load(file)
"""
"""`value` has the points of the side that has just moved."""
END = """
with open(PATH, "w") as file:
    json.dump(asked, file)
"""

ROLLOUT = """set threads 1
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
set rollout chequerplay plies {plies}
set rollout varredn on
set rollout seed 1
set rollout trials {trials}
{more}
rollout
"""
"""There is no cube, and the luck of the games is taken out."""
ROW = re.compile(r" - 1?\.?\d\S* \S+ \S+ CL +([-+]\d\.\d+)\s+\[[^]]*?(\d\.\d+)\]")


def rolled_out(state: int, trials: int, plies: int, more: str) -> tuple[float, float]:
    """Return the points of the side that has just moved, and their standard error.

    Turns are chosen by looking so many plies ahead; `more` has further settings, one a line.
    """
    game: Any = load_game("backgammon")
    identity = format_ids(game, from_state(swapped(state), game.rules.layout))["gnubg"]
    board, match = identity.split(":")
    ours, its = pty.openpty()  # it prints no result if it does not write to a terminal
    with tempfile.TemporaryDirectory() as folder:
        commands = Path(folder, "commands")
        settings = ROLLOUT.format(board=board, match=match, trials=trials, plies=plies, more=more)
        commands.write_text(settings, encoding="utf-8")
        with subprocess.Popen(
            [program(), "-t", "-q", "-r", "-c", commands],
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
    return -float(points), float(error)


def program() -> str:
    """Return the path of GNU Backgammon."""
    gnubg = find_program("gnubg")
    if gnubg is None:
        sys.exit("there is no program gnubg; install it (Debian, Ubuntu: apt-get install gnubg)")
    return gnubg


def values_of_gnubg(counts: Array) -> Array:
    """Return the points of the side that has just moved: without looking ahead, and two plies deep."""
    script = "asked = [[value(board, plies) for board in asked] for plies in (0, 2)]"
    return np.array(answered(boards_of(counts), script))


def boards_of(counts: Array) -> list[Any]:
    """Return the boards of positions, shape (2, 28, positions), as GNU Backgammon has them."""
    return [
        [[*side[OFF - 1 : 0 : -1], side[0]] for side in board]
        for board in np.moveaxis(counts, 2, 0).tolist()
    ]


def answered(asked: Any, script: str) -> Any:
    """Return `asked` as a script leaves it that GNU Backgammon runs between `BEGIN` and `END`."""
    with tempfile.TemporaryDirectory() as folder:
        path, inside = Path(folder, "asked.json"), Path(folder, "inside.py")
        path.write_text(json.dumps(asked), encoding="utf-8")
        inside.write_text(f"PATH = {str(path)!r}\n{BEGIN}{script}{END}", encoding="utf-8")
        subprocess.run(
            [program(), "-t", "-q", "-r", "-p", inside],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        return json.loads(path.read_text(encoding="utf-8"))
