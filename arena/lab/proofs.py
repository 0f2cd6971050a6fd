"""Proof-number search in Brandubh: which side wins by force, as far as a number of looks can show.

A *proof* is a tree of moves in which one side reaches T8 whatever the other plays. No line of it
repeats a position, so the draws of T9 never stop it. What is not proved is not refuted: it may be a
draw, or a win that takes more looks.

Sources: Nagai, "Df-pn algorithm for searching AND/OR trees" (2002); the numbers of positions that
come about in several ways are not added up, as in Ueda and others, "Weak proof-number search"
(2008).
"""

from typing import Final

from arena.games.brandubh.board import BESIDE, CORNERS, RAYS, RESERVED, THRONE
from arena.games.brandubh.moves import is_king_captured, legal_moves, moves_of, play
from arena.games.brandubh.position import BrandubhPosition, Side
from arena.games.brandubh.ruleset import BrandubhRuleset

NEVER: Final = 1 << 30
"""The number of what cannot be proved any more."""
QUIET: Final = 4
"""The proof number of a position in which the side that shall win threatens nothing; with a threat
it is 1."""
EDGE: Final = sum(1 << square for square, ways in enumerate(RAYS) if not all(ways))


def is_won(position: BrandubhPosition) -> bool:
    """T8: whether the last move has won, by a king captured or in a corner."""
    return not position.king or bool(position.king & CORNERS)


def can_win(rules: BrandubhRuleset, position: BrandubhPosition) -> bool:
    """T8: whether the next move can win. The game must not be over."""
    king = position.king
    if position.to_move == "white":  # a corner is reached along an edge
        return bool(king & EDGE) and any(
            CORNERS >> target & 1 for _, target in moves_of(position, _square(king))
        )
    black, others = position.black, position.white | king
    beside = BESIDE[_square(king)]
    if not beside & (black | CORNERS | THRONE):
        return False
    free = beside & ~(black | others | RESERVED)
    while free:
        target = free & -free
        free ^= target
        if is_king_captured(rules, _square(target), black | target, king) and _can_arrive(
            target, black, others
        ):
            return True
    return False


def _square(mask: int) -> int:
    return mask.bit_length() - 1


def _can_arrive(target: int, black: int, others: int) -> bool:
    """T2: whether a black warrior can move to this free square."""
    for ray in RAYS[_square(target)]:
        for square in ray:
            if black >> square & 1:
                return True
            if others >> square & 1:
                break
    return False


class _Node:
    """A position of the search."""

    __slots__ = ("disproof", "is_on_path", "next", "position", "proof")

    def __init__(self, position: BrandubhPosition, proof: int, disproof: int) -> None:
        self.position = position
        self.proof, self.disproof = proof, disproof
        self.next: list[_Node] | None = None
        self.is_on_path = False


class Prover:
    """Proves that one side wins; what it has seen helps with other positions of the same game."""

    def __init__(self, rules: BrandubhRuleset, side: Side) -> None:
        self._rules, self._side = rules, side
        self._nodes: dict[BrandubhPosition, _Node] = {}
        self.looks = 0
        """Positions looked at, again or for the first time; without the former, a circle could go
        on for ever."""
        self._last_look = 0

    def proves(self, position: BrandubhPosition, looks: int) -> bool:
        """Return whether the side is proved to win, in a game that goes on, with so many looks at most."""
        root = self._node(position)
        self._last_look = self.looks + looks
        if root.proof and root.disproof:
            self._search(root, NEVER, NEVER)
        return root.proof == 0

    def _node(self, position: BrandubhPosition) -> _Node:
        node = self._nodes.get(position)
        if node is None:
            black, white, king, to_move = (
                position.black,
                position.white,
                position.king,
                position.to_move,
            )
            position = BrandubhPosition(black, white, king, to_move)  # T9 counts for nothing here
            is_own = to_move == self._side
            if can_win(self._rules, position):
                node = _Node(position, *((0, NEVER) if is_own else (NEVER, 0)))
            else:
                is_threat = is_own or can_win(
                    self._rules, BrandubhPosition(black, white, king, self._side)
                )
                node = _Node(position, 1 if is_threat else QUIET, 1)
            self._nodes[position] = node
        return node

    def _search(self, node: _Node, proof_limit: int, disproof_limit: int) -> None:
        """Look further below a position, until one of its numbers reaches its limit or there are no looks left."""
        self.looks += 1
        if node.next is None:
            moves = legal_moves(node.position)
            node.next = [self._node(play(self._rules, node.position, move)) for move in moves]
        is_own = node.position.to_move == self._side
        node.is_on_path = True
        while True:
            best, least, second, most, unsolved = None, NEVER, NEVER, 0, 0
            for (
                one
            ) in node.next:  # for the own side one move has to be proved, for the other all of them
                if one.is_on_path:
                    number, against = (NEVER, 0) if is_own else (0, NEVER)
                elif is_own:
                    number, against = one.proof, one.disproof
                else:
                    number, against = one.disproof, one.proof
                if against:
                    unsolved += 1
                    most = max(most, against)
                if number < least:
                    best, least, second = one, number, least
                elif number < second:
                    second = number
            rest = unsolved - 1 if unsolved else 0
            against = NEVER if not least else min(NEVER, most + rest)
            if not node.next:  # T9: a side without a move draws, which proves nothing
                least, against = (NEVER, 0) if is_own else (0, NEVER)
            node.proof, node.disproof = (least, against) if is_own else (against, least)
            is_done = node.proof >= proof_limit or node.disproof >= disproof_limit
            if is_done or best is None or self.looks >= self._last_look:
                break
            if is_own:
                self._search(best, min(proof_limit, second + 1), disproof_limit - rest)
            else:
                self._search(best, proof_limit - rest, min(disproof_limit, second + 1))
        node.is_on_path = False
