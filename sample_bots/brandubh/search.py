"""Looks ahead: alpha-beta with iterative deepening, a transposition table, killer moves and a history of good moves.

A *value* is for the side to move: hundredths of a white warrior, or near `WIN` where a win is in
sight. A *ply* is one move of one side.
"""

import time
from collections.abc import Collection
from typing import NamedTuple

from board import CORNERS, Board, Placement
from evaluation import value

WIN = 10_000  # less one for every ply until the game is won, so that the shortest way is liked best
SURE = 9_000  # a value beyond this is a win or loss that has been found, and no judgement
DRAW = 0
INFINITE = 20_000
DEEPEST = 40  # plies
FIRST = 2  # plies that are looked ahead in any case: they take a millisecond or two
REMEMBERED = 300_000  # placements in the table, some 100 MB
LOOKS_AT_CLOCK = 256  # placements between two looks, about a millisecond
EXACT, AT_LEAST, AT_MOST = 0, 1, 2
NO_MOVE = -1
HASH_MOVE, KILLER_MOVE = 1 << 41, 1 << 40  # above every number of the history


class OutOfTimeError(Exception):
    """The deadline has passed in the middle of an iteration."""


class Found(NamedTuple):
    """What a search found."""

    move: int
    value: int
    near: dict[int, int]
    """The moves that are worth as much as the best or, by at most what was allowed, less, with
    their values."""
    depth: int
    """How many plies were looked ahead; the last of them perhaps not for all moves."""
    nodes: int
    """How many placements were looked at."""


class Search:
    """One search, made anew for every turn: it depends on nothing that was seen in other turns and games."""

    def __init__(self, board: Board, drawn: Collection[Placement] = ()) -> None:
        """`drawn` are the placements that draw the game if they come up once more (T9)."""
        self.board = board
        self.drawn = set(drawn)
        """These, and those on the way to where the search is: who comes back to one of them gets
        nowhere."""
        self.table: dict[Placement, tuple[int, int, int, int]] = {}
        """For a placement: depth, kind and amount of its value, and the best move."""
        self.history = [0] * (2 * 49 * 49)
        """For each move of Black, then of White: how often, and how high up, it was good enough to
        look no further."""
        self.killers = [(NO_MOVE, NO_MOVE)] * (DEEPEST + 1)
        """For each ply the two moves that were so last."""
        self.nodes = 0
        self.deadline = float("inf")
        self.scores: list[tuple[int, int]] = []
        """The moves of the root and their values, as far as the iteration has come."""

    def best(
        self,
        placement: Placement,
        *,
        depth: int = DEEPEST,
        deadline: float = float("inf"),
        slack: int = 0,
    ) -> Found:
        """The best move, so many plies ahead or as far as the time goes (`deadline` as `time.monotonic()` counts).

        The placement must have a legal move. Of equal moves it is the first, so that it can be
        repeated. `slack` is how much worse than the best the moves in `near` may be.
        """
        moves = self.board.moves(placement)
        if self.board.can_win(placement):
            won = next(move for move in moves if is_won(self.board.play(placement, move)))
            return Found(won, WIN - 1, {won: WIN - 1}, 1, 1)
        found = Found(moves[0], DRAW, {moves[0]: DRAW}, 0, 0)
        self.drawn.add(placement)
        for plies in range(1, min(depth, DEEPEST) + 1):
            self.deadline = deadline if plies > FIRST else float("inf")
            self.scores = []
            try:
                self.root(placement, moves, plies, slack)
            except OutOfTimeError:
                depth = plies
            if not self.scores:
                break
            most, move = max(self.scores, key=lambda score: score[0])  # the first of equals
            least = most if abs(most) > SURE else most - slack
            near = (
                {one: worth for worth, one in self.scores if worth >= least}
                if slack
                else {move: most}
            )
            found = Found(move, most, near, plies, self.nodes)
            if plies >= depth or abs(most) > SURE:
                break
            moves.remove(move)
            moves.insert(0, move)
        return found

    def root(self, placement: Placement, moves: list[int], depth: int, slack: int) -> None:
        """One iteration: the value of every move, exact for those that are at most `slack` worse than the best."""
        most = -INFINITE
        for move in moves:
            child = self.board.play(placement, move)
            worth = -self.negamax(
                child, depth - 1, -INFINITE, slack + 1 - most if slack else -most, 1
            )
            self.scores.append((worth, move))
            most = max(most, worth)

    def negamax(self, placement: Placement, depth: int, alpha: int, beta: int, ply: int) -> int:
        """The value of a placement, exact between alpha and beta; a bound that lies beyond them otherwise."""
        self.nodes += 1
        if not self.nodes % LOOKS_AT_CLOCK and time.monotonic() >= self.deadline:
            raise OutOfTimeError
        board = self.board
        if placement in self.drawn:
            return DRAW
        if board.can_win(placement):
            return (
                WIN - ply - 1
            )  # the move that does it need not be looked for, and no other move ends the game
        if depth <= 0:
            worth = value(placement)
            return worth if placement[3] else -worth
        best_move = NO_MOVE
        known = self.table.get(placement)
        if known:
            known_depth, kind, worth, best_move = known
            if known_depth >= depth:
                worth = worth - ply if worth > SURE else worth + ply if worth < -SURE else worth
                if kind == EXACT or (worth >= beta if kind == AT_LEAST else worth <= alpha):
                    return worth
        moves = board.moves(placement)
        if not moves:
            return DRAW  # T9
        self.sort(moves, best_move, ply, is_white=placement[3])
        self.drawn.add(placement)
        most, kind = -INFINITE, AT_MOST
        for move in moves:
            child = board.play(placement, move)
            if most == -INFINITE or depth == 1:
                worth = -self.negamax(child, depth - 1, -beta, -alpha, ply + 1)
            else:  # first ask only whether it is better than the best so far
                worth = -self.negamax(child, depth - 1, -alpha - 1, -alpha, ply + 1)
                if alpha < worth < beta:
                    worth = -self.negamax(child, depth - 1, -beta, -alpha, ply + 1)
            if worth > most:
                most, best_move = worth, move
                if worth > alpha:
                    alpha, kind = worth, EXACT
                    if worth >= beta:
                        kind = AT_LEAST
                        self.remember_good(move, depth, ply, is_white=placement[3])
                        break
        self.drawn.remove(placement)
        if known or len(self.table) < REMEMBERED:
            stored = most + ply if most > SURE else most - ply if most < -SURE else most
            self.table[placement] = depth, kind, stored, best_move
        return most

    def sort(self, moves: list[int], first: int, ply: int, *, is_white: bool) -> None:
        """The most promising first: the best of an earlier search, the killer moves of the ply, then by history."""
        history, offset = self.history, 49 * 49 * is_white
        one, other = self.killers[ply]

        def rank(move: int) -> int:
            if move == first:
                return HASH_MOVE
            return KILLER_MOVE if move in (one, other) else history[offset + move]

        moves.sort(key=rank, reverse=True)

    def remember_good(self, move: int, depth: int, ply: int, *, is_white: bool) -> None:
        """Sort this move early from now on: the opponent would not let it come to this."""
        self.history[49 * 49 * is_white + move] += depth * depth
        last, _ = self.killers[ply]
        if move != last:
            self.killers[ply] = move, last


def is_won(placement: Placement) -> bool:
    """T8: whether the king is captured or in a corner."""
    return not placement[2] or bool(placement[2] & CORNERS)
