"""The reader of .xg and .bgf files, a process of its own that has little memory.

It reads the file from its standard input and writes the match as JSON, in the form of
`ForeignMatch`. `gvformat` trusts what it reads: a few bytes may ask for any amount of memory.
"""

import json
import resource
import sys
import time
from typing import Any, Final

MOST_BYTES: Final = 80 << 20
"""Memory of the data of this process; with the programs themselves it stays below 100 MiB."""
WHITE: Final = 1
"""The colour of the side that gvformat gives numbers from 1 up; it gets seat 1."""
CUBE_OFFERED: Final = 21
TURNS: Final = range(21)
"""The actions that are rolls."""
NO_STEPS: Final = "?"
"""In place of moves that gvformat cannot give."""


def _moves(ply: dict[str, Any]) -> str:
    """Return the moves of a ply as text, in the mover's numbers from 24 down."""
    moves = []
    for step in ply.get("moves", ()):
        start = step["from"]
        if ply["color"] == WHITE:
            start = 25 - start
        moves.append(f"{start}/{max(start - step['pips'], 0)}")
    return " ".join(moves)


def _game(game: dict[str, Any]) -> dict[str, Any]:
    turns = []
    doubles = 0
    for ply in game["plies"]:
        if ply["action_id"] == CUBE_OFFERED:
            doubles += 1
        elif ply.get("d1"):
            moves = _moves(ply) if ply["action_id"] in TURNS else NO_STEPS
            seat = 1 if ply["color"] == WHITE else 2
            turns.append({"seat": seat, "dice": [ply["d1"], ply["d2"]], "moves": moves})
    winner = game["winner"] + 1 if game["points_won"] else None
    return {
        "turns": turns,
        "doubles": doubles,
        "winner": winner,
        "points": game["points_won"],
    }


def main(kind: str) -> None:
    """Read a file of this kind, `.xg` or `.bgf`, and write its match."""
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
    from gvformat.bgf import convert_bgf
    from gvformat.xg import convert_xg

    convert = convert_xg if kind == ".xg" else convert_bgf
    document = convert(sys.stdin.buffer.read())
    match = {
        "names": [document["player_white"], document["player_black"]],
        "games": [*map(_game, document["games"])],
        "gammons": not document["jacoby"],
        "date": time.strftime("%Y.%m.%d", time.gmtime(document["timestamp"])),
    }
    sys.stdout.write(json.dumps(match))


if __name__ == "__main__":
    main(sys.argv[1])
