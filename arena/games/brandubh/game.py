"""Brandubh under one ruleset: the engine's parts behind the arena's `Game` interface."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final, cast

from arena.games.brandubh import explain
from arena.games.brandubh import position as positions
from arena.games.brandubh.board import NUMBERS, SQUARES, squares
from arena.games.brandubh.moves import (
    MOVES,
    Move,
    ending_of,
    legal_moves,
    moves_of,
    pieces_to_move,
    play,
)
from arena.games.brandubh.notation import format_moves, parse_moves
from arena.games.brandubh.position import BrandubhPosition
from arena.games.brandubh.ruleset import RULESETS, BrandubhRuleset
from arena.games.interface import (
    Dice,
    DrawnLine,
    Ending,
    Family,
    GameError,
    Illegal,
    Legal,
    LegalTurn,
    LegalTurns,
    Opening,
    Turn,
    text_of,
)
from arena.words import Said


class BrandubhTurns(LegalTurns[BrandubhPosition]):
    """The legal moves of a position; every move has a result of its own."""

    def __init__(
        self, rules: BrandubhRuleset, position: BrandubhPosition, moves: list[Move]
    ) -> None:
        self._rules = rules
        self._position = position
        self._moves = moves

    def __len__(self) -> int:
        """Return the number of legal moves; 0 only when the game is over (T9)."""
        return len(self._moves)

    def __getitem__(self, index: int, /) -> LegalTurn[BrandubhPosition]:
        """Return one move with its result."""
        origin, target = self._moves[index]
        after = play(self._rules, self._position, (origin, target))
        return LegalTurn([(SQUARES[origin], SQUARES[target])], after, ending_of(self._rules, after))

    def moves(self, index: int, /) -> list[list[Any]]:
        """Return one turn: `[[from, to]]`."""
        origin, target = self._moves[index]
        return [[SQUARES[origin], SQUARES[target]]]


class BrandubhGame:
    """Brandubh under one ruleset (a `Game` of `BrandubhPosition`).

    A position has no view of its own: `to_move` tells whose turn it is, and after a turn that is
    the other side at once. So the results of `judge` and `legal_turns` are ready for the next turn,
    and `flip` changes nothing.
    """

    def __init__(self, rules: BrandubhRuleset) -> None:
        problems = []
        if not rules.points_win:
            problems.append(Said("rules.worthless", {"name": "points_win"}))
        if not rules.points_forfeit:
            problems.append(Said("rules.worthless", {"name": "points_forfeit"}))
        if rules.repetitions == 1:
            problems.append(Said("rules.drawn_at_once"))
        if problems:
            raise GameError(problems)
        self.rules = rules

    @property
    def name(self) -> str:
        """The ruleset's name."""
        return self.rules.name

    @property
    def ruleset(self) -> dict[str, Any]:
        """The whole ruleset as plain data: every field by name."""
        return asdict(self.rules)

    @property
    def opening(self) -> Opening:
        """`alternate`: seat 1 has Black, who begins (T1), in the first game of a match.

        Then the seats take turns.
        """
        return "alternate"

    @property
    def agreement(self) -> str | None:
        """T9, if the ruleset has it: the next move may be replaced by accepting an offered draw."""
        if self.rules.draw_by_agreement:
            return "T9"
        return None

    @property
    def points_forfeit(self) -> int:
        """Points that a forfeited game pays (B10.2)."""
        return self.rules.points_forfeit

    @property
    def is_ranked(self) -> bool:
        """No: B10 ranks the endings of tables games only."""
        return False

    @property
    def colours(self) -> tuple[str, str]:
        """Black begins (T1)."""
        return "Black", "White"

    def start(self) -> BrandubhPosition:
        """Return the position before the first turn: Black is to move (T1)."""
        return positions.START

    def dice_to_roll(self, position: BrandubhPosition) -> int:  # noqa: ARG002 - the interface's
        """Return 0: Brandubh is a game without dice."""
        return 0

    def dice_to_call(self, position: BrandubhPosition) -> tuple[int, ...]:  # noqa: ARG002 - same
        """Return no numbers of dice to choose from."""
        return ()

    def legal_turns(self, position: BrandubhPosition, dice: Dice = ()) -> BrandubhTurns:
        """Return every legal move (T2), none once the game is over.

        Results are computed on demand.
        """
        _no_dice(dice)
        moves: list[Move] = []
        if ending_of(self.rules, position) is None:
            moves = legal_moves(position)
        return BrandubhTurns(self.rules, position, moves)

    def judge(
        self, position: BrandubhPosition, dice: Dice, moves: Turn
    ) -> Legal[BrandubhPosition] | Illegal:
        """Judge whether this is a legal turn, which is one move such as `[["d1", "c1"]]` (T1)."""
        _no_dice(dice)
        ending = ending_of(self.rules, position)
        move = _legal_move(position, moves)
        if ending is not None or move is None:
            return explain.illegal(position, moves, ending)
        after = play(self.rules, position, move)
        return Legal(after, ending_of(self.rules, after))

    def unreadable(self, position: BrandubhPosition, dice: Dice, turn: object) -> Illegal:
        """Return the verdict on something that is not a list of pairs of strings (T1)."""
        _no_dice(dice)
        return explain.illegal(position, turn, ending_of(self.rules, position))

    def flip(self, position: BrandubhPosition) -> BrandubhPosition:
        """Return the same position: it has no view, and the other side is to move already."""
        return position

    # A position has the same text forms whatever the ruleset.
    to_plain = staticmethod(positions.to_plain)
    from_plain = staticmethod(positions.from_plain)
    parse_position = staticmethod(positions.parse_position)
    format_position = staticmethod(positions.format_position)

    def format_turn(
        self, moves: Turn, position: BrandubhPosition | None = None, ending: Ending | None = None
    ) -> str:
        """Write the move by the names of its squares: `d1-c1`, or `d1-c1xc2/b1` with captures."""
        captures: Sequence[str] = ()
        if position is not None:
            captures = self._captures(position, moves)
        pairs = cast("Sequence[Sequence[str]]", moves)  # a legal move is a pair of strings
        text = format_moves(pairs, captures)
        if ending is None:
            return text
        return f"{text}, {ending.name.replace('_', ' ')}"

    def count_hits(self, position: BrandubhPosition, moves: Turn) -> tuple[int, int]:
        """Return the number of pieces that the move captures (T3, T4, T6); nothing is struck."""
        return len(self._captures(position, moves)), 0

    def _captures(self, position: BrandubhPosition, moves: Turn) -> list[str]:
        """Return the squares of the pieces that a legal move captures."""
        [(origin, target)] = cast("Sequence[Sequence[str]]", moves)
        after = play(self.rules, position, (NUMBERS[origin], NUMBERS[target]))
        occupied_before = position.black | position.white | position.king
        occupied_after = after.black | after.white | after.king
        emptied = occupied_before & ~occupied_after & ~(1 << NUMBERS[origin])
        return [SQUARES[square] for square in squares(emptied)]

    def parse_turn(
        self,
        text: str,
        position: BrandubhPosition | None = None,  # noqa: ARG002 - a text leaves nothing out here
        dice: Dice | None = None,  # noqa: ARG002 - likewise
    ) -> Turn:
        """Read what `format_turn` writes, with captures or without.

        Raises `GameError` naming each wrong word.
        """
        return parse_moves(text)

    def draw(self, position: BrandubhPosition) -> str:
        """Draw the board for a person as text, rank 7 above, the same for both sides."""
        return text_of(self.picture(position))

    def picture(
        self,
        position: BrandubhPosition,
        *,
        before: BrandubhPosition | None = None,
        dice: Dice = (),  # noqa: ARG002 - part of the interface
        is_mine: bool = True,  # noqa: ARG002 - part of the interface
    ) -> list[DrawnLine]:
        """Draw the board for a person, rank 7 above, the same for both sides."""
        return positions.picture(position, before)


def _no_dice(dice: Dice) -> None:
    """Refuse a roll."""
    if dice:
        roll = "-".join(map(str, dice))
        raise GameError([f"Brandubh is played without dice, found the roll {roll}"])


def _legal_move(position: BrandubhPosition, moves: Turn) -> Move | None:
    """Return the one move of a legal turn (T1, T2); None if the turn is not legal."""
    if not explain.is_readable(moves) or len(moves) != 1:
        return None
    [(origin_name, target_name)] = moves
    origin, target = NUMBERS.get(origin_name), NUMBERS.get(target_name)
    if origin is None or target is None:
        return None
    if not pieces_to_move(position) >> origin & 1:
        return None
    move = MOVES[origin][target]
    if move not in moves_of(position, origin):
        return None
    return move


FAMILY: Final = Family(
    name="brandubh", ruleset=BrandubhRuleset, game=BrandubhGame, rulesets=RULESETS
)
