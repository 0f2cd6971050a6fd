"""Moves that can still become a legal turn, from any point in the middle of it, for every game the arena knows.

A person puts a turn together move by move. After each move only those moves are offered that lead
to a legal turn, so the duties of the whole roll (B3.3, B3.4, B7.6) are kept from the first checker
on.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from arena.games import Dice, Game, Illegal, Move
from arena.games.tables import board, double_six
from arena.games.tables.board import OFF
from arena.games.tables.endings import EndingName
from arena.games.tables.game import TablesGame
from arena.games.tables.position import Position, from_state
from arena.games.tables.steps import Node

Moves = tuple[Move, ...]


class ListedChoices:
    """Turns as the game lists them: all there are in Brandubh, where a turn is one move."""

    whole_turns: Final[tuple[Moves, ...]] = ()

    def __init__(self, game: Game[Any], position: Any, dice: Dice) -> None:
        self._start, self._dice = position, dice
        self._turns: dict[Moves, Any] = {
            tuple(tuple(move) for move in turn.moves): turn.position
            for turn in game.legal_turns(position, dice)
        }
        self.only = next(iter(self._turns)) if len(self._turns) == 1 else None
        """The turn that has to be played, if there is no choice; a pass is empty."""

    def after(self, moves: Moves) -> Sequence[Move]:
        """The next moves with which a listed turn can begin like this, in order and without repetition."""
        number = len(moves)
        return [
            *dict.fromkeys(
                turn[number]
                for turn in self._turns
                if turn[:number] == moves and len(turn) > number
            )
        ]

    def position(self, moves: Moves) -> Any:
        """The position after a whole turn; before that, the one before it."""
        return self._turns.get(moves, self._start)

    def dice_left(self, moves: Moves) -> Dice:
        """All of the roll until the turn is whole: which dice were used is not known here."""
        return () if moves in self._turns else self._dice

    def is_whole(self, moves: Moves) -> bool:
        """Return whether it is a listed turn."""
        return moves in self._turns


class _Walk(NamedTuple):
    """The middle of a turn: how some moves were played under one assignment of dice to them."""

    node: Node
    left: tuple[int, ...]
    """The dice that are left, in any order."""
    first: int
    """The die of the first move; 0 before it (B3.4)."""
    used: int
    waste: int
    """Pips wasted in bearing off (B7.6)."""
    ending: EndingName | None


class TablesChoices:
    """The moves of a roll in a tables game, die by die."""

    def __init__(self, game: TablesGame, position: Position, dice: Dice) -> None:
        turns = game.legal_turns(position, dice)
        self._game, self._steps = game, game.steps
        self._duty = turns.duty
        self.only: Moves | None = tuple(turns.moves(0)) if len(turns) == 1 else None
        """The turn that has to be played, if there is no choice; a pass is empty."""
        self._leads: dict[tuple[int, tuple[int, ...], int, int, int], bool] = {}
        all_dice = dice * 2 if len(dice) == 2 and dice[0] == dice[1] else dice  # B3.2
        # the roll itself may have changed the position (B11.1, B11.3)
        root = _Walk(turns.start, tuple(sorted(all_dice, reverse=True)), 0, 0, 0, None)
        self._walks: dict[Moves, list[_Walk]] = {(): [root]}
        """Every way of giving dice to some moves from which a legal turn can come."""
        self.whole_turns: tuple[Moves, ...] = ()
        """The six-checker turn, where it is open (B11.1)."""
        six = double_six.played(self._steps, position, dice) if game.rules.double_six else None
        if six is not None:
            self.whole_turns = (double_six.MOVES,)
            self._walks[double_six.MOVES] = [_Walk(six[0], (), 0, len(double_six.MOVES), 0, six[1])]

    def after(self, moves: Moves) -> Sequence[Move]:
        """The next moves, from the bar or the rearmost checker on, that can still become a legal turn."""
        steps = self._steps_after(moves)
        return sorted({move for move, step in steps if self._can_end(step)})

    def position(self, moves: Moves) -> Position:
        """The position after these moves."""
        walks = self._reached(moves)
        assert walks, f"{moves} is not the beginning of a turn"
        return from_state(walks[0].node[0], self._game.rules.layout)

    def dice_left(self, moves: Moves) -> Dice:
        """The dice that are left; of several ways of giving the others to these moves, the higher one counts."""
        return self._reached(moves)[0].left

    def is_whole(self, moves: Moves) -> bool:
        """Return whether the moves meet every duty of the roll."""
        return moves in self.whole_turns or any(
            self._may_stop(walk) for walk in self._reached(moves)
        )

    def _reached(self, moves: Moves) -> list[_Walk]:
        walks = self._walks.get(moves)
        if walks is None:
            steps = self._steps_after(moves[:-1])
            walks = [step for move, step in steps if move == moves[-1] and self._can_end(step)]
            self._walks[moves] = walks
        return walks

    def _steps_after(self, moves: Moves) -> list[tuple[tuple[int, int], _Walk]]:
        """Return every single step that can follow these moves, also such as lead to no legal turn."""
        return [step for walk in self._reached(moves) for step in self._next(walk)]

    def _next(self, walk: _Walk) -> Iterable[tuple[tuple[int, int], _Walk]]:
        """Every single step that the dice that are left allow (B4-B7): the move, and what comes of it."""
        if walk.ending is not None:
            return
        for die in dict.fromkeys(walk.left):
            quiet, hits, strikes = self._steps.movers(walk.node, die)
            left = list(walk.left)
            left.remove(die)
            for slot in board.bits(quiet | hits | strikes | self._steps.bearers(walk.node, die)):
                node, ending = self._steps.play(walk.node, slot, die)
                waste = walk.waste + max(0, slot + die - OFF)
                step = _Walk(node, tuple(left), walk.first or die, walk.used + 1, waste, ending)
                yield (slot, min(slot + die, OFF)), step

    def longest_after(self, moves: Moves, move: Move) -> list[Move]:
        """The most moves that could follow after a move that leads to no legal turn; empty if it is impossible."""
        tried = [
            self._longest(step)
            for possible, step in self._steps_after(moves)
            if possible == tuple(move)
        ]
        return max(tried, key=len, default=[])

    def _longest(self, walk: _Walk) -> list[Move]:
        longest: list[Move] = []
        for move, step in self._next(walk):
            longest = max(longest, [move, *self._longest(step)], key=len)
            if len(longest) == len(walk.left):
                break
        return longest

    def _may_stop(self, walk: _Walk) -> bool:
        """Return whether the turn is legal if it ends here (B3.3, B3.4, B3.6, B7.6)."""
        if walk.ending is not None and self._game.rules.winning_turn_is_exempt:
            return True
        duty = self._duty
        return (
            walk.used == duty.dice
            and (duty.die is None or walk.first == duty.die)
            and (duty.waste is None or walk.waste == duty.waste)
        )

    def _can_end(self, walk: _Walk) -> bool:
        """Return whether a legal turn goes through here."""
        if self._may_stop(walk):
            return True
        if walk.ending is not None:
            return False
        key = (walk.node[0], walk.left, walk.first, walk.used, walk.waste)
        known = self._leads.get(key)
        if known is None:
            known = self._leads[key] = any(self._can_end(step) for _, step in self._next(walk))
        return known


Choices: TypeAlias = ListedChoices | TablesChoices
"""Choices left in a turn; every position is one in the middle of a turn, as the mover sees it."""


def choices_of(game: Game[Any], position: Any, dice: Dice) -> Choices:
    """The choices of one turn: exactly for tables games; of others, the turns that the game lists."""
    return (
        TablesChoices(game, position, dice)
        if isinstance(game, TablesGame)
        else ListedChoices(game, position, dice)
    )


def why_not(
    game: Game[Any], position: Any, dice: Dice, choices: Choices, moves: Moves, wrong: Move
) -> Illegal:
    """Return the referee's own verdict on a move that was tried after some moves of a turn.

    A move that is possible by itself breaks a duty of the whole roll (B3.3, B3.4, B7.6). So it is
    judged with as many moves after it as there can be.
    """
    tried = [*moves, tuple(wrong)]
    if isinstance(choices, TablesChoices):
        tried += choices.longest_after(moves, wrong)
    verdict: Any = game.judge(position, dice, tried)
    assert isinstance(verdict, Illegal), "a legal turn needs no reason"
    return verdict
