"""A tables game under one ruleset: the engine's parts behind the arena's `Game` interface."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, Final, cast

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
from arena.games.tables.steps import DieSteps, Moves
from arena.games.tables.turns import TurnGenerator, Turns
from arena.words import Said

WRITABLE: Final = 10**4000
"""Numbers beyond it are not read as slots; Python prints none of more than 4,300 digits."""


class TablesGame:
    """Bräde or a relative under one ruleset (a `Game` of `Position`)."""

    def __init__(self, rules: Ruleset) -> None:
        _check_start(rules)
        board_rules = (rules.facing, rules.start, rules.stacking)
        if rules.double_six and board_rules != ("same_way", ((1, 15),), "from_head"):
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
        """Refuse a game that begins with a forbidden or winning position (B6.1, B8.1)."""
        problems = []
        limit = self.rules.longest_prime
        if limit is not None:
            closed = self.steps.flip_mask(self._start.own_closed)
            if board.long_primes(closed, limit + 1):
                problems.append(Said("rules.long_prime", {"most": limit}))
        if self.rules.handsome != "never":
            name = handsome(self._start.state)
            if name is not None:
                problems.append(Said("rules.handsome_start", {"ending": Said(f"ending.{name}")}))
        if problems:
            raise GameError(problems)

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
        """Return the position before the first turn (B1.2); the same for both sides."""
        return self._start

    def dice_to_roll(self, position: Position) -> int:
        """Return two (B3.1), or one while the mover is bound to single dice (B11.3)."""
        if self.rules.one_die and one_die.turns_bound(position.state):
            return 1
        return 2

    def dice_to_call(self, position: Position) -> tuple[int, ...]:
        """Return one and two if a single die would complete a handsome game (B11.3).

        Otherwise there is no choice.
        """
        if self.rules.one_die and one_die.may_call(self._generator, position):
            return (1, 2)
        return ()

    def legal_turns(self, position: Position, dice: tuple[int, ...]) -> Turns:
        """Return every distinct result of the roll; moves and positions are computed on demand."""
        return self._generator.turns(self._before_roll(position, dice), dice)

    def _before_roll(self, position: Position, dice: tuple[int, ...]) -> Position:
        """Make the change that the roll itself makes before a checker is moved (B11.1, B11.3)."""
        if not self._rolls_change:
            return position
        if self.rules.double_six:
            position = double_six.before_roll(position, dice, self.steps)
        if self.rules.one_die:
            position = one_die.before_roll(position, dice)
        return position

    def judge(
        self, position: Position, dice: tuple[int, ...], moves: Turn
    ) -> Legal[Position] | Illegal:
        """Judge whether these moves, in this order, are a legal turn in some order of the dice."""
        rolled = position
        if self._rolls_change:
            rolled = self._before_roll(position, dice)
        legal = self._judge.plain(rolled, dice, moves)
        if legal is not None:
            return legal
        if not _are_moves(moves):
            return self.unreadable(position, dice, moves)
        return self._judge.judge(rolled, dice, cast("Moves", moves))  # `_are_moves` says so

    def unreadable(self, position: Position, dice: tuple[int, ...], turn: object) -> Illegal:
        """Return the verdict on something that is not a list of pairs of whole numbers (B3.1)."""
        return explain.unreadable(self.rules, turn, self.legal_turns(position, dice))

    def from_plain(self, plain: object) -> Position:
        """Return the position that `to_plain` wrote; raises `GameError` with every problem."""
        return positions.from_plain(plain, self._layout)

    def parse_position(self, text: str) -> Position:
        """Read the literal `19:1 20:14 | opp 13:15`; raises `GameError` with every problem."""
        return positions.parse_position(text, self._layout)

    def format_position(self, position: Position) -> str:
        """Write the literal that `parse_position` reads."""
        return positions.format_position(position, self._layout)

    def format_turn(
        self, moves: Turn, position: Position | None = None, ending: Ending | None = None
    ) -> str:
        """Write the moves in the order played: `1/7* 12/15`, `bar/5**`, `23/off(2)`, or `pass`."""
        pairs = cast("Moves", moves)  # a legal turn has pairs of numbers
        marks: Sequence[str] = ()
        if position is not None:
            marks = marks_of(position, pairs)
        text = format_moves(pairs, self.rules.facing, marks)
        if ending is None:
            return text
        return f"{text}, {ending.name.replace('_', ' ')}"

    def count_hits(self, position: Position, moves: Turn) -> tuple[int, int]:
        """Count the moves that hit (B4.2), and that strike (B5.4, B5.5, B6.3)."""
        marks = marks_of(position, cast("Moves", moves))  # as in `format_turn`
        return marks.count(HIT), marks.count(STRIKE)

    def parse_turn(
        self, text: str, position: Position | None = None, dice: Dice | None = None
    ) -> Turn:
        """Read a turn from the form of `format_turn` or of other programs (`reading.py`).

        With the position and the dice it returns the legal turn that is meant, if there is one.
        Raises `GameError`, which names each wrong word, or the readings of an ambiguous text.
        """
        facing = self.rules.facing
        if position is None or dice is None:
            return parse_moves(text, facing)
        return meant_turn(self, position, dice, text, facing)

    def draw(self, position: Position) -> str:
        """Draw the board for a person as text, from the view of the side to move."""
        return text_of(self.picture(position))

    def picture(
        self,
        position: Position,
        *,
        before: Position | None = None,
        dice: Dice = (),
        is_mine: bool = True,
    ) -> list[DrawnLine]:
        """Draw the board for a person, from the side whose view the position is."""
        return drawing.picture(position, self._layout, before, dice, is_mine=is_mine)


def _check_start(rules: Ruleset) -> None:
    """Refuse a start that is not pairs of point and number, or with a point held by both sides."""
    start = repr([_as_list(pair) for pair in rules.start])
    if not _is_start(rules.start):
        raise GameError([Said("rules.no_start", {"start": start})])
    numbers = board.opposite(rules.facing)
    points = sorted(point for point, _ in rules.start)
    for point in points:
        opposed = numbers[point]
        if opposed in points:
            words = {"start": start, "point": point, "other": opposed}
            raise GameError([Said("rules.shared_point", words)])


def _as_list(pair: object) -> object:
    """Return a pair as records show it, if it is one."""
    if isinstance(pair, tuple):
        return list(pair)
    return pair


def _is_start(start: tuple[Any, ...]) -> bool:
    """Return whether these are pairs of point (1-24) and number, 15 checkers in all (B1.2, G1)."""
    points = set()
    total = 0
    for pair in start:
        if type(pair) is not tuple or [*map(type, pair)] != [int, int]:
            return False
        point, number = pair
        if not 1 <= point <= 24 or point in points or number < 1:
            return False
        points.add(point)
        total += number
    return total == CHECKERS


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
