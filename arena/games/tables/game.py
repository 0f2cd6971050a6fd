"""A tables game under one ruleset: the engine's parts behind the arena's `Game` interface."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any, Final

from arena.games.interface import (
    Dice,
    DrawnLine,
    Ending,
    Family,
    GameError,
    Illegal,
    Legal,
    Opening,
    Turn,
    text_of,
)
from arena.games.tables import board, double_six, drawing, explain, one_die
from arena.games.tables import position as positions
from arena.games.tables.board import CHECKERS
from arena.games.tables.endings import handsome, worth
from arena.games.tables.judge import Judge
from arena.games.tables.notation import HIT, STRIKE, format_moves, marks_of
from arena.games.tables.position import Position
from arena.games.tables.reading import meant_turn, parse_moves
from arena.games.tables.ruleset import OPTIONS, RULESETS, Ruleset
from arena.games.tables.steps import DieSteps
from arena.games.tables.turns import TurnGenerator, Turns
from arena.words import Said

WRITABLE: Final = 10**4000
"""Numbers beyond it are not read as slots; Python cannot even print one of more than 4,300 digits."""


class TablesGame:
    """Bräde or a relative under one ruleset (a `Game` of `Position`)."""

    def __init__(self, rules: Ruleset) -> None:
        _check_start(rules)
        if rules.double_six and (rules.facing, rules.start, rules.stacking) != (
            "same_way",
            ((1, 15),),
            "from_head",
        ):
            raise GameError([Said("rules.double_six")])
        if rules.one_die and rules.handsome == "never":
            raise GameError([Said("rules.one_die")])
        self.rules = rules
        self._layout = rules.layout
        self.flip: Callable[[Position], Position] = partial(positions.flip, self._layout)
        """The same position from the opponent's view."""
        self.to_plain: Callable[[Position], dict[str, Any]] = partial(
            positions.to_plain, self._layout
        )
        """`{"points": [24 ints], "bar": [mine, theirs], "off": [mine, theirs]}` and what else the
        ruleset remembers."""
        self._rolls_change = rules.double_six or rules.one_die
        self.steps = DieSteps(rules)
        """Its rules for one checker and one die."""
        self._generator = TurnGenerator(self.steps)
        self._judge = Judge(self.steps, self._generator)
        start = dict(rules.start)
        self._start = positions.from_counts(start, start, self._layout)
        self._check_first_position()

    def _check_first_position(self) -> None:
        """A game may not begin with a forbidden or winning position (B6.1, B8.1)."""
        limit, found = self.rules.longest_prime, []
        if limit is not None and board.long_primes(
            self.steps.flip_mask(self._start.own_closed), limit + 1
        ):
            found.append(Said("rules.long_prime", {"most": limit}))
        if self.rules.handsome != "never" and (name := handsome(self._start.state)):
            found.append(Said("rules.handsome_start", {"ending": Said(f"ending.{name}")}))
        if found:
            raise GameError(found)

    @property
    def name(self) -> str:
        """The ruleset's name."""
        return self.rules.name

    @property
    def ruleset(self) -> dict[str, Any]:
        """The whole ruleset as plain data: every field by name."""
        return {**asdict(self.rules), "start": [list(pair) for pair in self.rules.start]}

    @property
    def opening(self) -> Opening:
        """Rule for who begins a match (B2.1, G2)."""
        return self.rules.opening

    @property
    def points_forfeit(self) -> int:
        """Points that a forfeited game pays (B10.2)."""
        return self.rules.points_forfeit

    @property
    def is_ranked(self) -> bool:
        """True if B10 ranks the endings of this ruleset."""
        return worth(self.rules, "bearing_off", monk=False).rank is not None

    @property
    def colours(self) -> None:
        """None: both sides play alike."""
        return

    @property
    def agreement(self) -> str | None:
        """None: no tables game of the rule book is drawn by agreement."""
        return None

    def start(self) -> Position:
        """The position before the first turn (B1.2); the same for both sides."""
        return self._start

    def dice_to_roll(self, position: Position) -> int:
        """Two dice a turn (B3.1); one while the mover is bound to single dice (B11.3)."""
        return 1 if self.rules.one_die and one_die.turns_bound(position.state) else 2

    def dice_to_call(self, position: Position) -> tuple[int, ...]:
        """One or two if a single die would complete a handsome game (B11.3); else there is no choice."""
        return (1, 2) if self.rules.one_die and one_die.may_call(self._generator, position) else ()

    def legal_turns(self, position: Position, dice: tuple[int, ...]) -> Turns:
        """Every distinct result of the roll; moves and positions are computed on demand."""
        return self._generator.turns(self._before_roll(position, dice), dice)

    def _before_roll(self, position: Position, dice: tuple[int, ...]) -> Position:
        """The change that the roll itself makes before anything is moved (B11.1, B11.3)."""
        if not self._rolls_change:
            return position
        if self.rules.double_six:
            position = double_six.before_roll(position, dice, self.steps)
        return one_die.before_roll(position, dice) if self.rules.one_die else position

    def judge(
        self, position: Position, dice: tuple[int, ...], moves: Turn
    ) -> Legal[Position] | Illegal:
        """Judge whether this list of moves, in this order, is a legal turn under some assignment of the dice."""
        rolled = self._before_roll(position, dice) if self._rolls_change else position
        plain = self._judge.plain(rolled, dice, moves)
        if plain is not None:
            return plain
        if not _are_moves(moves):
            return self.unreadable(position, dice, moves)
        return self._judge.judge(rolled, dice, moves)  # type: ignore[arg-type]  # checked by _are_moves

    def unreadable(self, position: Position, dice: tuple[int, ...], given: object) -> Illegal:
        """Return the verdict on something that is not a list of pairs of whole numbers (B3.1)."""
        return explain.unreadable(self.rules, given, self.legal_turns(position, dice))

    def from_plain(self, plain: object) -> Position:
        """The inverse of `to_plain`; raises `GameError` with every problem found."""
        return positions.from_plain(plain, self._layout)

    def parse_position(self, text: str) -> Position:
        """The compact literal `19:1 20:14 | opp 13:15`; raises `GameError` with every problem found."""
        return positions.parse_position(text, self._layout)

    def format_position(self, position: Position) -> str:
        """The inverse of `parse_position`."""
        return positions.format_position(position, self._layout)

    def format_turn(
        self, moves: Turn, position: Position | None = None, ending: Ending | None = None
    ) -> str:
        """The moves in the order played: `1/7* 12/15`, `bar/5**`, `23/off(2)`; a pass is `pass`."""
        marks = () if position is None else marks_of(position, moves)  # type: ignore[arg-type]  # as below
        text = format_moves(moves, self.rules.facing, marks)  # type: ignore[arg-type]  # a legal turn has pairs of numbers
        return f"{text}, {ending.name.replace('_', ' ')}" if ending else text

    def count_hits(self, position: Position, moves: Turn) -> tuple[int, int]:
        """Count the moves that hit (B4.2), and that strike (B5.4, B5.5, B6.3)."""
        marks = marks_of(position, moves)  # type: ignore[arg-type]  # moves of a legal turn are pairs of numbers
        return marks.count(HIT), marks.count(STRIKE)

    def parse_turn(
        self, text: str, position: Position | None = None, dice: Dice | None = None
    ) -> Turn:
        """The inverse of `format_turn`, and the forms of other programs (`reading.py`).

        With the position and the dice it gives the legal turn that is meant, if there is one.
        Raises `GameError`, which names each wrong word, or the readings of an ambiguous text.
        """
        facing = self.rules.facing
        if position is None or dice is None:
            return parse_moves(text, facing)
        return meant_turn(self, position, dice, text, facing)

    def draw(self, position: Position) -> str:
        """The board for a person as text, from the view of the side to move."""
        return text_of(self.picture(position))

    def picture(
        self,
        position: Position,
        *,
        before: Position | None = None,
        dice: Dice = (),
        is_mine: bool = True,
    ) -> list[DrawnLine]:
        """The board for a person, from the side whose view the position is."""
        return drawing.picture(position, self._layout, before, dice, is_mine=is_mine)


def _check_start(rules: Ruleset) -> None:
    """B1.2, G1: pairs of point (1-24) and number of checkers, 15 in all, and no point held by both sides."""
    start: tuple[Any, ...] = rules.start
    is_good = all(type(pair) is tuple and [*map(type, pair)] == [int, int] for pair in start)
    points = [pair[0] for pair in start] if is_good else []
    if is_good:
        checkers = [pair[1] for pair in start]
        is_good = all(1 <= point <= 24 for point in points) and len({*points}) == len(points)
        is_good = is_good and min(checkers, default=0) > 0 and sum(checkers) == CHECKERS
    shown = [list(pair) if isinstance(pair, tuple) else pair for pair in start]
    if not is_good:
        raise GameError([Said("rules.no_start", {"start": repr(shown)})])
    numbers = board.opposite(rules.facing)
    shared = [point for point in sorted(points) if numbers[point] in points]
    if shared:
        values = {"start": repr(shown), "point": shared[0], "other": numbers[shared[0]]}
        raise GameError([Said("rules.shared_point", values)])


def _are_moves(moves: object) -> bool:
    """Return whether these are pairs of whole numbers of a reasonable size."""
    if not isinstance(moves, list | tuple):
        return False
    for move in moves:
        if not isinstance(move, list | tuple) or len(move) != 2:
            return False
        if not all(type(slot) is int and -WRITABLE < slot < WRITABLE for slot in move):
            return False
    return True


FAMILY: Final = Family(
    name="tables", ruleset=Ruleset, game=TablesGame, rulesets=RULESETS, options=OPTIONS
)
