"""Proof-number search in Brandubh: which side wins by force, as far as a number of looks can show.

A *proof* is a tree of moves in which one side reaches T8 whatever the other plays. No line of it
repeats a position, so the draws of T9 never stop it. What is not proved is not refuted: it may be a
draw, or a win that takes more looks.

Sources: Nagai, "Df-pn algorithm for searching AND/OR trees" (2002); the numbers of positions that
come about in several ways are not added up, as in Ueda and others, "Weak proof-number search"
(2008).
"""

from typing import Final

from arena.games.brandubh.board import (
    BESIDE,
    CORNERS,
    RAYS,
    RESERVED,
    THRONE,
)
from arena.games.brandubh.moves import (
    is_king_captured,
    legal_moves,
    moves_of,
    play,
)
from arena.games.brandubh.position import BrandubhPosition, Side
from arena.games.brandubh.ruleset import BrandubhRuleset

NEVER: Final = 1 << 30
"""The number of a position that cannot be proved any more."""
QUIET: Final = 4
"""The proof number of a position in which the side that shall win threatens nothing; with a threat
it is 1."""
EDGE: Final = sum(1 << square for square, rays in enumerate(RAYS) if not all(rays))


def is_won(position: BrandubhPosition) -> bool:
    """Return whether the last move has won, by a king captured or in a corner (T8)."""
    return not position.king or bool(position.king & CORNERS)


def can_win(rules: BrandubhRuleset, position: BrandubhPosition) -> bool:
    """Return whether the next move can win (T8). The game must not be over."""
    king = position.king
    if position.to_move == "white":
        if not king & EDGE:  # a corner is reached along an edge
            return False
        return any(CORNERS >> target & 1 for _, target in moves_of(position, _square(king)))
    black, others = position.black, position.white | king
    beside = BESIDE[_square(king)]
    if not beside & (black | CORNERS | THRONE):
        return False
    free = beside & ~(black | others | RESERVED)
    while free:
        target = free & -free
        free ^= target
        captures = is_king_captured(rules, _square(target), black | target, king)
        if captures and _can_arrive(target, black, others):
            return True
    return False


def _square(mask: int) -> int:
    return mask.bit_length() - 1


def _can_arrive(target: int, black: int, others: int) -> bool:
    """Return whether a black warrior can move to this free square (T2)."""
    for ray in RAYS[_square(target)]:
        for square in ray:
            if black >> square & 1:
                return True
            if others >> square & 1:
                break
    return False


class _Node:
    """A position of the search."""

    __slots__ = ("children", "disproof_number", "is_on_path", "position", "proof_number")

    def __init__(
        self,
        position: BrandubhPosition,
        proof_number: int,
        disproof_number: int,
    ) -> None:
        self.position = position
        self.proof_number, self.disproof_number = proof_number, disproof_number
        self.children: list[_Node] | None = None
        self.is_on_path = False


class Prover:
    """Proves that one side wins; earlier looks help with other positions of the same game."""

    def __init__(self, rules: BrandubhRuleset, side: Side) -> None:
        self._rules, self._side = rules, side
        self._nodes: dict[BrandubhPosition, _Node] = {}
        self.looks = 0
        """Positions looked at, again or for the first time; without the former, a circle could go
        on for ever."""
        self._last_look = 0

    def proves(self, position: BrandubhPosition, looks: int) -> bool:
        """Return whether the side is proved to win a game that goes on, with `looks` at most."""
        root = self._node(position)
        self._last_look = self.looks + looks
        if root.proof_number and root.disproof_number:
            self._search(root, NEVER, NEVER)
        return root.proof_number == 0

    def _node(self, position: BrandubhPosition) -> _Node:
        node = self._nodes.get(position)
        if node is None:
            node = self._new_node(position)
            self._nodes[node.position] = node
        return node

    def _new_node(self, position: BrandubhPosition) -> _Node:
        """Number a position at first sight."""
        black, white, king = position.black, position.white, position.king
        bare = BrandubhPosition(black, white, king, position.to_move)  # without the history of T9
        is_own = position.to_move == self._side
        if can_win(self._rules, bare):
            if is_own:
                return _Node(bare, proof_number=0, disproof_number=NEVER)
            return _Node(bare, proof_number=NEVER, disproof_number=0)
        if is_own:
            return _Node(bare, proof_number=1, disproof_number=1)
        own_turn = BrandubhPosition(black, white, king, self._side)
        is_threat = can_win(self._rules, own_turn)
        return _Node(bare, proof_number=1 if is_threat else QUIET, disproof_number=1)

    def _search(
        self,
        node: _Node,
        proof_limit: int,
        disproof_limit: int,
    ) -> None:
        """Look further below a position until one of its numbers reaches its limit.

        It also stops if no looks remain.
        """
        self.looks += 1
        if node.children is None:
            moves = legal_moves(node.position)
            node.children = [self._node(play(self._rules, node.position, move)) for move in moves]
        is_own = node.position.to_move == self._side
        node.is_on_path = True
        while True:
            # One loop with all cases, since it is hot: as a function it took 4 to 13 % longer.
            best, least, second, most, unsolved = None, NEVER, NEVER, 0, 0
            for below in node.children:  # the own side needs one proved move, the other side all
                if below.is_on_path:
                    number, against = (NEVER, 0) if is_own else (0, NEVER)
                elif is_own:
                    number, against = below.proof_number, below.disproof_number
                else:
                    number, against = below.disproof_number, below.proof_number
                if against:
                    unsolved += 1
                    most = max(most, against)
                if number < least:
                    best, least, second = below, number, least
                elif number < second:
                    second = number
            others = unsolved - 1 if unsolved else 0
            against = NEVER if not least else min(NEVER, most + others)
            if not node.children:  # T9: a side without a move draws, which proves nothing
                least, against = (NEVER, 0) if is_own else (0, NEVER)
            node.proof_number, node.disproof_number = (
                (least, against) if is_own else (against, least)
            )
            is_done = node.proof_number >= proof_limit or node.disproof_number >= disproof_limit
            if is_done or best is None or self.looks >= self._last_look:
                break
            if is_own:
                self._search(best, min(proof_limit, second + 1), disproof_limit - others)
            else:
                self._search(best, proof_limit - others, min(disproof_limit, second + 1))
        node.is_on_path = False
