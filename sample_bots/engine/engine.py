"""An engine of backgammon that knows nothing of the arena's protocol: it speaks UBGI, and answers boards of FIBS.

`arena adapter ubgi` or `arena adapter fibs` lets it play. Both are lines of text: UBGI gives it a
position ID of GNU Backgammon and dice, FIBS all of it in one line. It takes the legal turn that
leaves it the fewest blots, and of these the one that closes the most points; the rules are the
arena's.
"""

import base64
import sys
from typing import Any

from arena.games import load_game

GAME = load_game("backgammon")


def position_of(board: list[int]) -> dict[str, Any]:
    """The position with these checkers on bar, 24 to 1 and the other side's bar; the other side's are negative."""
    mine = sum(count for count in board if count > 0)
    theirs = -sum(count for count in board if count < 0)
    return {"points": board[1:25], "bar": [board[0], -board[25]], "off": [15 - mine, 15 - theirs]}


def read_id(text: str) -> list[int]:
    """The board of a position ID: bits, the opponent's checkers first, as many ones as checkers and a zero a place."""
    bits = "".join(f"{byte:08b}"[::-1] for byte in base64.b64decode(f"{text}=="))
    counts = [len(ones) for ones in bits.split("0")[:50]]
    theirs, mine = counts[:25], counts[25:]
    return [mine[24], *(mine[23 - at] - theirs[at] for at in range(24)), -theirs[24]]


def read_board(line: str) -> tuple[list[int], tuple[int, ...]]:
    """The board and the dice of a board of FIBS in which we have the positive colour and play from 24 down to 1."""
    fields = [int(field) for field in line.split(":")[3:]]
    return fields[3:29][::-1], tuple(fields[30:32])


def best(board: list[int], dice: tuple[int, ...]) -> str:
    """The moves of the best turn, such as `8/5(2)`."""

    def worth(points: list[int]) -> tuple[int, int]:
        return -points.count(1), sum(count > 1 for count in points)

    legal = GAME.legal_turns(GAME.from_plain(position_of(board)), dice)
    chosen = max(legal, key=lambda turn: worth(GAME.to_plain(turn.position)["points"]))
    return GAME.format_turn(chosen.moves)


board, dice = read_id("4HPwATDgc/ABMA"), (6, 5)
for line in sys.stdin:
    match line.split():
        case ["ubgi"]:
            print("id name fewest blots", "id author the arena", "ubgiok", sep="\n", flush=True)
        case ["isready"]:
            print("readyok", flush=True)
        case ["newgame"] | ["newsession", *_]:
            pass
        case ["position", "gnubgid", text]:
            board = read_id(text)
        case ["dice", first, second]:
            dice = (int(first), int(second))
        case ["go", *_]:
            print(f"bestmove {best(board, dice)}", flush=True)
        case [word] if word.startswith("board:"):
            print(best(*read_board(word)), flush=True)
        case ["quit"]:
            break
        case _:
            print(f"error bad_command {line.strip()}", flush=True)
