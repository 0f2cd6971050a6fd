"""Many games in step, both sides played by one evaluator: the source of its lessons."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import (
    Any,
    Final,
    NamedTuple,
)

import numpy as np

from arena.analysis.evaluator import Evaluator, Way
from arena.analysis.search import (
    LONGEST,
    PositionJudge,
    best_turns,
    dice_to_roll,
)
from arena.games.tables.game import TablesGame
from arena.games.tables.position import (
    Position,
    from_state,
    swapped,
)
from arena.lab.strength import Weakened

WEAK_NOISE: Final = (0.1, 0.4)
"""Noise of the weak players, in points."""
WEAK_BOARDS: Final = 8
WEAK_TURNS: Final = 120


class Played(NamedTuple):
    """A game that is over."""

    states: list[int]
    """The position after each turn but the last, from the side that had moved."""
    way: Way
    """The ending by which the side won that played the last turn."""


@dataclass(slots=True)
class GameOfItself:
    """A game that goes on."""

    position: Position
    """From the side about to roll."""
    states: list[int] = field(default_factory=list)


class SelfPlay:
    """Games under one ruleset, played in step."""

    def __init__(self, game: TablesGame, boards: Sequence[GameOfItself]) -> None:
        self.game = game
        self.boards = list(boards)

    def step(
        self,
        player: PositionJudge,
        random: Random,
        unusual: Sequence[int] = (),
    ) -> list[Played]:
        """Play one turn in every game; return the games that ended, and begin new ones instead.

        Half of the new ones begin with one of the positions `unusual`, if there are any. A game of
        more than `LONGEST` turns is dropped: it teaches nothing more. (A rollout plays `LONGEST`.)
        """
        rolls = [(board.position, self._roll(board, player, random)) for board in self.boards]
        over: list[Played] = []
        for place, best in enumerate(best_turns(self.game, player, rolls)):
            board = self.boards[place]
            if best.ending is not None:
                name: Any = best.ending.name  # of a tables game
                over.append(Played(board.states, Way(name, best.ending.monk)))
                self.boards[place] = self._new_game(random, unusual)
            else:
                board.states.append(best.state)
                board.position = from_state(swapped(best.state), self.game.rules.layout)
                if len(board.states) > LONGEST:
                    self.boards[place] = self._new_game(random, unusual)
        return over

    def _new_game(self, random: Random, unusual: Sequence[int]) -> GameOfItself:
        if not unusual or random.random() < 0.5:
            return GameOfItself(self.game.start())
        state = random.choice(unusual)
        return GameOfItself(from_state(swapped(state), self.game.rules.layout), [state])

    def _roll(
        self,
        board: GameOfItself,
        player: PositionJudge,
        random: Random,
    ) -> tuple[int, ...]:
        number = dice_to_roll(self.game, player, board.position)
        dice = tuple(random.randrange(1, 7) for _ in range(number))
        if not board.states and self.game.opening == "higher_starts" and dice[0] == dice[1]:
            return self._roll(board, player, random)  # G2: the first turn is never a double
        return dice


def latest_positions(
    game: TablesGame,
    player: PositionJudge,
    boards: int,
    random: Random,
) -> Iterator[list[int]]:
    """Play games in step, without an end; yield the latest position of each after every turn."""
    table = SelfPlay(game, [GameOfItself(game.start()) for _ in range(boards)])
    while True:
        table.step(player, random)
        yield [board.states[-1] for board in table.boards if board.states]


def unusual_positions(
    game: TablesGame,
    evaluator: Evaluator,
    seed: Sequence[int],
    random: Random,
) -> list[int]:
    """Return positions that good play does not reach, from games of weak players."""
    states: list[int] = []
    for noise in WEAK_NOISE:
        player = Weakened(evaluator, noise, seed)
        games = latest_positions(game, player, WEAK_BOARDS, random)
        for latest in islice(games, WEAK_TURNS):
            states += latest
    return states


def returns(
    evaluator: Evaluator,
    games: Sequence[Played],
    trace: float,
) -> tuple[list[int], np.ndarray[Any, Any]]:
    """Return the positions of the games and their lessons: lambda-returns of probabilities.

    A position's return is that of the next one, mixed with the evaluator's probabilities of the
    next one (`trace` is the lambda, the share of the first); the return of the last one is how the
    game ended. Each is seen from the side that has just moved.
    """
    states: list[int] = []
    for game in games:
        states += game.states
    lessons = evaluator.probabilities(states)
    half = len(evaluator.ways)
    place = len(states)
    for game in reversed(games):
        after = np.zeros(2 * half, dtype=np.float32)
        after[half + evaluator.ways.index(game.way)] = 1  # the other side has won
        for _ in game.states:
            place -= 1
            thought = lessons[place].copy()
            lessons[place] = after
            mixed = np.float32(trace) * after + np.float32(1 - trace) * thought
            after = np.concatenate((mixed[half:], mixed[:half]))
    return states, lessons
