"""GNU Backgammon as a judge: it runs a script of its own Python, which knows nothing of the arena."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from arena.analysis.arrays import Array
from arena.games.tables.board import OFF
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


def boards_of(counts: Array) -> list[Any]:
    """Return the boards of positions, shape (2, 28, positions), as GNU Backgammon has them."""
    return [
        [[*side[OFF - 1 : 0 : -1], side[0]] for side in board]
        for board in np.moveaxis(counts, 2, 0).tolist()
    ]


def answered(asked: Any, script: str) -> Any:
    """Return `asked` as a script leaves it that GNU Backgammon runs between `BEGIN` and `END`."""
    gnubg = find_program("gnubg")
    if gnubg is None:
        sys.exit("there is no program gnubg; install it (Debian, Ubuntu: apt-get install gnubg)")
    with tempfile.TemporaryDirectory() as folder:
        path, inside = Path(folder, "asked.json"), Path(folder, "inside.py")
        path.write_text(json.dumps(asked), encoding="utf-8")
        inside.write_text(f"PATH = {str(path)!r}\n{BEGIN}{script}{END}", encoding="utf-8")
        subprocess.run(
            [gnubg, "-t", "-q", "-r", "-p", inside],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        return json.loads(path.read_text(encoding="utf-8"))
