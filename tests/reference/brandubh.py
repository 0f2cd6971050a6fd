"""A second opinion on Brandubh: a dict of squares, slow and plain, written from the rule book alone.

It exists for the tests only. Nothing here is shared with the engine, so that an error has to be
made twice before it stays unseen. Clause ids such as T7 point into the rule book.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

Board = dict[str, str]
"""Square to `b`, `w` or `k`; empty squares are left out."""

Move = tuple[str, str]

FILES, RANKS = "abcdefg", "1234567"
SQUARES = [file + rank for rank in RANKS for file in FILES]
THRONE = "d4"
CORNERS = ("a1", "g1", "a7", "g7")
BESIDE_THRONE = ("c4", "e4", "d3", "d5")
DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1))
SIDE_OF = {"b": "black", "w": "white", "k": "white"}
OTHER = {"black": "white", "white": "black"}

VERSIONS = ("brandubh-1", "brandubh-2")

START: Board = {
    **dict.fromkeys(["d1", "d2", "d6", "d7", "a4", "b4", "f4", "g4"], "b"),
    **dict.fromkeys(["d3", "d5", "c4", "e4"], "w"),
    THRONE: "k",
}


@dataclass
class Game:
    """A game being played, every placement of it remembered from the first."""

    version: str
    board: Board
    to_move: str = "black"
    seen: list[tuple[Board, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.seen = [*self.seen, (dict(self.board), self.to_move)]

    def after(self, move: Move) -> "Game":
        return Game(
            self.version, played(self.version, self.board, move), OTHER[self.to_move], self.seen
        )

    def ending(self) -> str | None:
        """T8 and T9 in the order of T10."""
        if any(self.board.get(corner) == "k" for corner in CORNERS):
            return "king_escaped"
        if "k" not in self.board.values():
            return "king_captured"
        if self.seen.count((self.board, self.to_move)) >= 3:
            return "repetition"
        if not moves(self.board, self.to_move):
            return "no_move"
        return None


def start(version: str) -> Game:
    return Game(version, dict(START))


# ---------------------------------------------------------------------------------------------------------
# Rules


def beside(square: str, direction: tuple[int, int]) -> str | None:
    """The next square that way, None beyond the edge."""
    file = FILES.index(square[0]) + direction[0]
    rank = RANKS.index(square[1]) + direction[1]
    return FILES[file] + RANKS[rank] if 0 <= file < 7 and 0 <= rank < 7 else None


def moves(board: Board, side: str) -> list[Move]:
    """T2."""
    found = []
    for origin, piece in board.items():
        if SIDE_OF[piece] != side:
            continue
        for direction in DIRECTIONS:
            square = beside(origin, direction)
            while square is not None and square not in board:
                if piece == "k" or square not in (THRONE, *CORNERS):
                    found.append((origin, square))
                square = beside(square, direction)
    return found


def hostile(version: str, board: Board, square: str | None, victim: str) -> bool:
    """Whether a square acts as an enemy of this piece: T3, T5, T6, T7."""
    if square is None:
        return False
    if square in board:
        return SIDE_OF[board[square]] != SIDE_OF[victim]
    return square in CORNERS or (square == THRONE and version == "brandubh-2")


def captors(version: str, board: Board, square: str) -> list[list[str]]:
    """The squares that hold what stands here captive, each way on its own; who moved last is another question."""
    victim = board[square]
    around = [beside(square, direction) for direction in DIRECTIONS]
    if victim == "k" and version == "brandubh-2" and square == THRONE:
        needed = [around]
    elif victim == "k" and version == "brandubh-2" and square in BESIDE_THRONE:
        needed = [[one for one in around if one != THRONE]]
    else:
        right, left, up, down = around
        needed = [[left, right], [down, up]]
    return [
        [one for one in some if one is not None]
        for some in needed
        if all(hostile(version, board, one, victim) for one in some)
    ]


def played(version: str, board: Board, move: Move) -> Board:
    """The board after a move and its captures (T3)."""
    origin, target = move
    after = {square: piece for square, piece in board.items() if square != origin}
    after[target] = board[origin]
    taken = [
        square
        for square, piece in after.items()
        if SIDE_OF[piece] != SIDE_OF[after[target]]
        and any(target in some for some in captors(version, after, square))
    ]
    return {square: piece for square, piece in after.items() if square not in taken}


def perft(game: Game, depth: int) -> int:
    """How many lines of so many moves there are."""
    if depth == 0:
        return 1
    if game.ending():
        return 0
    return sum(perft(game.after(move), depth - 1) for move in moves(game.board, game.to_move))


# ---------------------------------------------------------------------------------------------------------
# The form of the wire


def plain(board: Board, to_move: str) -> dict[str, Any]:
    rows = ["".join(board.get(file + rank, ".") for file in FILES) for rank in reversed(RANKS)]
    return {"board": rows, "to_move": to_move}


def from_plain(position: dict[str, Any]) -> tuple[Board, str]:
    rows = zip(reversed(RANKS), position["board"], strict=True)
    board = {
        file + rank: piece
        for rank, row in rows
        for file, piece in zip(FILES, row, strict=True)
        if piece != "."
    }
    return board, position["to_move"]


# ---------------------------------------------------------------------------------------------------------
# Positions to try things on


def random_game(version: str, rng: Random, longest: int = 120) -> list[tuple[Game, Move]]:
    """Random play from the start: each position with the move made in it.

    Now and then a side goes to and fro.
    """
    game, line = start(version), []
    taste = rng.choice([_any_move, _capture_if_possible, _to_and_fro])
    while not game.ending() and len(line) < longest:
        move = taste(game, line, rng)
        line.append((game, move))
        game = game.after(move)
    return line


def _any_move(game: Game, line: list[tuple[Game, Move]], rng: Random) -> Move:
    return rng.choice(moves(game.board, game.to_move))


def _capture_if_possible(game: Game, line: list[tuple[Game, Move]], rng: Random) -> Move:
    found = moves(game.board, game.to_move)
    takes = [
        move for move in found if len(played(game.version, game.board, move)) < len(game.board)
    ]
    return rng.choice(takes or found)


def _to_and_fro(game: Game, line: list[tuple[Game, Move]], rng: Random) -> Move:
    """Back the way this side's last move came, if that can be; so placements come up again."""
    if len(line) > 4 and rng.random() < 0.9:
        back = line[-2][1][::-1]
        if back in moves(game.board, game.to_move):
            return back
    return _any_move(game, line, rng)


def random_placement(rng: Random) -> tuple[Board, str]:
    """Warriors anywhere, the king at a place of interest, and captures of him and of warriors in the air."""
    to_move = rng.choice(["black", "white"])
    board: Board = {rng.choice([_anywhere, _near_throne, _near_corner])(rng): "k"}
    hand = ["b"] * max(rng.randint(0, 8), rng.randint(0, 8)) + ["w"] * rng.randint(0, 4)
    rng.shuffle(hand)
    for _ in range(rng.randint(0, 3)):
        _set_up_capture(board, hand, "b" if to_move == "black" else "w", rng)
    for piece in hand:
        place = _beside_enemy(board, piece, rng) if rng.random() < 0.5 else None
        board[place or rng.choice([square for square in SQUARES if _is_free(board, square)])] = (
            piece
        )
    return board, to_move


def _anywhere(rng: Random) -> str:
    return rng.choice([square for square in SQUARES if square not in CORNERS])


def _near_throne(rng: Random) -> str:
    return rng.choice([THRONE, *BESIDE_THRONE])


def _near_corner(rng: Random) -> str:
    return rng.choice(["a2", "b1", "f1", "g2", "a6", "b7", "g6", "f7"])


def _is_free(board: Board, square: str | None) -> bool:
    """Whether a warrior may be put here."""
    return square is not None and square not in board and square not in (THRONE, *CORNERS)


def _beside_enemy(board: Board, piece: str, rng: Random) -> str | None:
    """A free place next to an enemy, if chance finds one."""
    enemies = [square for square, other in board.items() if SIDE_OF[other] != SIDE_OF[piece]]
    place = beside(rng.choice(enemies), rng.choice(DIRECTIONS)) if enemies else None
    return place if _is_free(board, place) else None


def _set_up_capture(board: Board, hand: list[str], captor: str, rng: Random) -> None:
    """A square where a captor could arrive from some steps away, enemies around it, and other captors behind them.

    What is put on the board is taken from the hand; what the hand or the board has no room for is
    left out.
    """

    def put(piece: str, square: str | None) -> None:
        if square is not None and _is_free(board, square) and piece in hand:
            hand.remove(piece)
            board[square] = piece

    (king,) = (square for square, piece in board.items() if piece == "k")
    arrival = beside(king, rng.choice(DIRECTIONS)) if rng.random() < 0.5 else rng.choice(SQUARES)
    if arrival is None or not _is_free(board, arrival):
        return
    ways = rng.sample(DIRECTIONS, 4)
    place = arrival
    for _ in range(rng.randint(1, 3)):
        further = beside(place, ways[0])
        place = further if further and _is_free(board, further) else place
    put(captor, place)
    for way in ways[1 : rng.randint(2, 4)]:
        victim = beside(arrival, way)
        put("w" if captor == "b" else "b", victim)
        put(captor, beside(victim, way) if victim else None)
    if captor == "b" and rng.random() < 0.5:
        for way in DIRECTIONS:
            if beside(king, way) != arrival:
                put("b", beside(king, way))


def near_miss(board: Board, to_move: str, rng: Random) -> list[list[str]]:
    """A turn beside the legal ones; by chance it may be legal after all."""
    kinds: list[Callable[[], list[list[str]]]] = [
        lambda: [[rng.choice(SQUARES), rng.choice(SQUARES)]],
        lambda: [[rng.choice([*board]), rng.choice(SQUARES)]],
        lambda: [[rng.choice([*board]), rng.choice([THRONE, *CORNERS])]],
        lambda: [[origin := rng.choice([*board]), origin]],
        list,
        lambda: [[*move] for move in rng.sample(moves(board, to_move), 2)],
        lambda: [[rng.choice([*board]), rng.choice(["h1", "a8", "a0", "D4", "d", ""])]],
    ]
    return rng.choice(kinds)() if len(moves(board, to_move)) > 1 else kinds[1]()
