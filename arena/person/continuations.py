"""Moves that can still become a legal turn, from any point in the middle of it, for every game.

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
from arena.words import Said

Moves = tuple[Move, ...]


OUT_OF_REACH: Final = {
    "no_such_die": "refusal.out_of_reach",
    "die_too_small": "refusal.not_off_yet",
}
"""Verdicts that name a die which was not rolled, and what a person is told in their place."""


class ListedChoices:
    """Turns as the game lists them: all there are in Brandubh, where a turn is one move."""

    whole_turns: Final[tuple[Moves, ...]] = ()

    def __init__(
        self,
        game: Game[Any],
        position: Any,
        dice: Dice,
    ) -> None:
        self._start = position
        self._dice = dice
        self._positions: dict[Moves, Any] = {}
        """The position after each turn."""
        for turn in game.legal_turns(position, dice):
            moves = tuple(tuple(move) for move in turn.moves)
            self._positions[moves] = turn.position
        self.only: Moves | None = None
        """The turn that has to be played, if there is no choice; a pass is empty."""
        if len(self._positions) == 1:
            [self.only] = self._positions

    def after(self, moves: Moves) -> Sequence[Move]:
        """Return the next moves of the listed turns that begin like this, without repetition."""
        number = len(moves)
        following: dict[Move, None] = {}
        for turn in self._positions:
            if turn[:number] == moves and len(turn) > number:
                following[turn[number]] = None
        return list(following)

    def position(self, moves: Moves) -> Any:
        """Return the position after a whole turn; for a part of a turn, the one before it."""
        return self._positions.get(moves, self._start)

    def dice_left(self, moves: Moves) -> Dice:
        """Return all of the roll until the turn is whole: the used dice are not known here."""
        if moves in self._positions:
            return ()
        return self._dice

    def is_whole(self, moves: Moves) -> bool:
        """Return whether it is a listed turn."""
        return moves in self._positions


class _ChoiceWalk(NamedTuple):
    """The middle of a turn: how some moves were played under one assignment of dice to them."""

    node: Node
    dice_left: tuple[int, ...]
    """The dice that are left, in any order."""
    first: int = 0
    """The die of the first move; 0 before it (B3.4)."""
    used: int = 0
    waste: int = 0
    """Pips wasted in bearing off (B7.6)."""
    ending: EndingName | None = None


class TablesChoices:
    """The moves of a roll in a tables game, die by die."""

    def __init__(
        self,
        game: TablesGame,
        position: Position,
        dice: Dice,
    ) -> None:
        turns = game.legal_turns(position, dice)
        self._game = game
        self._steps = game.steps
        self._duty = turns.duty
        self.only: Moves | None = None
        """The turn that has to be played, if there is no choice; a pass is empty."""
        if len(turns) == 1:
            self.only = tuple(turns.moves(0))
        self._leads: dict[tuple[int, tuple[int, ...], int, int, int], bool] = {}
        """The answers of `_can_end` so far."""
        all_dice = dice
        if len(dice) > len(set(dice)):
            all_dice = dice * 2  # B3.2
        dice_left = tuple(sorted(all_dice, reverse=True))
        # the roll itself may have changed the position (B11.1, B11.3)
        root = _ChoiceWalk(turns.start, dice_left)
        self._walks: dict[Moves, list[_ChoiceWalk]] = {(): [root]}
        """For some moves, every assignment of dice to them from which a legal turn can come."""
        self.whole_turns: tuple[Moves, ...] = ()
        """The six-checker turn, where it is open (B11.1)."""
        if game.rules.double_six:
            self._add_six_checkers(position, dice)

    def _add_six_checkers(self, position: Position, dice: Dice) -> None:
        """Add the six-checker turn, if it is open (B11.1)."""
        played = double_six.played(self._steps, position, dice)
        if played is None:
            return
        node, ending = played
        moves = double_six.MOVES
        self.whole_turns = (moves,)
        self._walks[moves] = [_ChoiceWalk(node, (), used=len(moves), ending=ending)]

    def after(self, moves: Moves) -> Sequence[Move]:
        """Return the next moves that can become a legal turn, from the rearmost checker on."""
        steps = self._steps_after(moves)
        return sorted({move for move, step in steps if self._can_end(step)})

    def position(self, moves: Moves) -> Position:
        """Return the position after these moves."""
        walks = self._reached(moves)
        assert walks, f"{moves} is not the beginning of a turn"
        state, *_ = walks[0].node
        return from_state(state, self._game.rules.layout)

    def dice_left(self, moves: Moves) -> Dice:
        """Return the dice that are left; the higher die counts as used where both could be."""
        return self._reached(moves)[0].dice_left

    def is_whole(self, moves: Moves) -> bool:
        """Return whether the moves meet every duty of the roll."""
        if moves in self.whole_turns:
            return True
        return any(map(self._may_stop, self._reached(moves)))

    def _reached(self, moves: Moves) -> list[_ChoiceWalk]:
        walks = self._walks.get(moves)
        if walks is None:
            steps = self._steps_after(moves[:-1])
            walks = [step for move, step in steps if move == moves[-1] and self._can_end(step)]
            self._walks[moves] = walks
        return walks

    def _steps_after(self, moves: Moves) -> list[tuple[tuple[int, int], _ChoiceWalk]]:
        """Return every step that can follow these moves, also steps that lead to no legal turn."""
        steps: list[tuple[tuple[int, int], _ChoiceWalk]] = []
        for walk in self._reached(moves):
            steps += self._next(walk)
        return steps

    def _next(self, walk: _ChoiceWalk) -> Iterable[tuple[tuple[int, int], _ChoiceWalk]]:
        """Yield every step that the dice that are left allow (B4-B7): the move, and the walk."""
        if walk.ending is not None:
            return
        for die in dict.fromkeys(walk.dice_left):
            quiet, hits, strikes = self._steps.movers(walk.node, die)
            others = list(walk.dice_left)
            others.remove(die)
            dice_left = tuple(others)
            first = walk.first or die
            movers = quiet | hits | strikes | self._steps.bearers(walk.node, die)
            for slot in board.bits(movers):
                node, ending = self._steps.play(walk.node, slot, die)
                waste = walk.waste + max(0, slot + die - OFF)
                # without names of fields, which would take 5 % of the time for a choice
                step = _ChoiceWalk(node, dice_left, first, walk.used + 1, waste, ending)
                yield (slot, min(slot + die, OFF)), step

    def longest_after(self, moves: Moves, move: Move) -> list[Move]:
        """Return the most moves that could follow a move that leads to no legal turn.

        Return none if the move is impossible.
        """
        longest: list[Move] = []
        for possible, step in self._steps_after(moves):
            if possible == move:
                longest = max(longest, self._longest(step), key=len)
        return longest

    def _longest(self, walk: _ChoiceWalk) -> list[Move]:
        longest: list[Move] = []
        for move, step in self._next(walk):
            longest = max(longest, [move, *self._longest(step)], key=len)
            if len(longest) == len(walk.dice_left):
                break
        return longest

    def _may_stop(self, walk: _ChoiceWalk) -> bool:
        """Return whether the turn is legal if it ends here (B3.3, B3.4, B3.6, B7.6)."""
        if walk.ending is not None and self._game.rules.winning_turn_is_exempt:
            return True
        duty = self._duty
        return (
            walk.used == duty.dice
            and (duty.die is None or walk.first == duty.die)
            and (duty.waste is None or walk.waste == duty.waste)
        )

    def _can_end(self, walk: _ChoiceWalk) -> bool:
        """Return whether a legal turn goes through here."""
        if self._may_stop(walk):
            return True
        if walk.ending is not None:
            return False
        key = (walk.node[0], walk.dice_left, walk.first, walk.used, walk.waste)
        leads = self._leads.get(key)
        if leads is None:
            leads = any(self._can_end(step) for _, step in self._next(walk))
            self._leads[key] = leads
        return leads


Choices: TypeAlias = ListedChoices | TablesChoices
"""Choices left in a turn; every position is one in the middle of a turn, as the mover sees it."""


def choices_of(
    game: Game[Any],
    position: Any,
    dice: Dice,
) -> Choices:
    """Return the choices of one turn.

    They are exact for tables games; of others, they are the turns that the game lists.
    """
    if isinstance(game, TablesGame):
        return TablesChoices(game, position, dice)
    return ListedChoices(game, position, dice)


def paths_of(choices: Choices, moves: Moves, slot: int | str | None = None) -> dict[Move, Moves]:
    """Return the moves that take each checker where it can get after these moves.

    It may need several dice: then the larger one goes first. With a slot only for its checker.
    """
    paths: dict[Move, Moves] = {}
    for step in choices.after(moves):
        if slot is None or step[0] == slot:
            paths[step] = (step,)
    for step in reversed(tuple(paths)):
        start, landing = step
        for (_, target), path in paths_of(choices, (*moves, step), landing).items():
            paths.setdefault((start, target), (step, *path))
    return paths


def why_not(
    game: Game[Any], position: Any, dice: Dice, choices: Choices, moves: Moves, wrong: Move
) -> Illegal:
    """Return the referee's own verdict on a move that was tried after some moves of a turn.

    A move that is possible by itself breaks a duty of the whole roll (B3.3, B3.4, B7.6). So it is
    judged with as many moves after it as there can be.
    """
    tried = [*moves, wrong]
    if isinstance(choices, TablesChoices):
        tried += choices.longest_after(moves, wrong)
    verdict: Any = game.judge(position, dice, tried)
    assert isinstance(verdict, Illegal), "a legal turn needs no reason"
    return verdict


def for_people(verdict: Illegal) -> Said:
    """Return what a person is told of a verdict: where a checker cannot go, and no missing die."""
    code = OUT_OF_REACH.get(verdict.code)
    if code is None:
        return verdict.said
    dice = dict.fromkeys(verdict.values["dice"].split("-"))
    _, _, point = verdict.values["move"].partition("/")
    wrong = Said(code, {"dice": [*dice], "point": point})
    return Said("verdict.illegal", {"wrong": wrong, "legal": verdict.values["legal"]})
