"""The reader of .xg and .bgf files, a process of its own that has little memory and time.

It reads the file from its standard input and writes the match as MAT. `gvformat` trusts what it
reads: a few bytes may ask for any amount of memory.
"""

import resource
import sys
from typing import Any, Final

MOST_BYTES: Final = 80 << 20
"""Memory for the data of this process; with the programs themselves it stays below 100 MiB."""
MOST_SECONDS: Final = 5
RIGHT: Final = 40
"""The column of seat 2; the side that gvformat calls white has seat 1."""
DOUBLE: Final = 21


def _cell(ply: dict[str, Any]) -> str:
    """Return a ply as MAT; empty if it is no turn and no double.

    An illegal turn may have no moves here, and is then as illegal as a pass.
    """
    if ply["action_id"] == DOUBLE:
        return "Doubles"
    if not ply.get("d1"):
        return ""
    moves = []
    for step in ply.get("moves", ()):
        start = step["from"]
        if ply["color"]:
            start = 25 - start
        moves.append(f"{start}/{max(start - step['pips'], 0)}")
    return f"{ply['d1']}{ply['d2']}: {' '.join(moves)}"


def main(kind: str) -> None:
    """Read a file of this kind, `.xg` or `.bgf`, and write its match."""
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    from gvformat.bgf import convert_bgf
    from gvformat.xg import convert_xg

    converters = {".xg": convert_xg, ".bgf": convert_bgf}
    match = converters[kind](sys.stdin.buffer.read())
    white, black = (match[player].replace(":", ".") for player in ("player_white", "player_black"))
    lines = []
    if match["jacoby"]:
        lines.append('; [Jacoby "On"]')
    for number, game in enumerate(match["games"], 1):
        lines += [f"Game {number}", f"{white} : 0".ljust(RIGHT) + f"{black} : 0"]
        for ply in game["plies"]:
            lines.append(" " * RIGHT * (1 - ply["color"]) + _cell(ply))
        if game["points_won"]:
            lines.append(" " * RIGHT * game["winner"] + f"Wins {game['points_won']} points")
    sys.stdout.write("\n".join(lines))


if __name__ == "__main__":
    main(sys.argv[1])
