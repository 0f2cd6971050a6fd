"""Games in step between two players, with the luck of every roll: how much of the scatter of results is luck."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random

from arena.analysis.arrays import Floats
from arena.analysis.evaluator import Evaluator
from arena.analysis.judging import Question, chances_of, look
from arena.analysis.search import dice_to_roll
from arena.games.interface import Ending
from arena.games.result import Result
from arena.games.tables.game import TablesGame
from arena.games.tables.position import Position, from_state, swapped
from arena.lab.strength import LONGEST, throw
from arena.tournaments.results import FixtureResult
from arena.tournaments.statistics.luck import Luck, LuckyMatch

Chooser = Callable[[Sequence[tuple[int, Ending | None]], Floats], int]
"""Chooses among the results of a roll, which the evaluator values so."""


def best(_: Sequence[tuple[int, Ending | None]], values: Floats) -> int:
    """Play as the evaluator does."""
    return int(values.argmax())


def nearly_best(error: float, seed: int) -> Chooser:
    """A player as good, and yet another: it mistakes the value of each turn by so many points on average."""
    chance = Random(seed)

    def choose(_: Sequence[tuple[int, Ending | None]], values: Floats) -> int:
        thought = [value + chance.gauss(0, error) for value in values.tolist()]
        return thought.index(max(thought))

    return choose


def lucky_matches(
    game: TablesGame,
    evaluator: Evaluator,
    players: tuple[Chooser, Chooser],
    pairs: int,
    seed: int,
    start: Position | None = None,
) -> list[LuckyMatch]:
    """Duplicate pairs, each a match of its own, and both halves with the same throws; the first player has seat 1.

    All games are played in step; the evaluator looks at all rolls of all games at once.
    """
    throws = [Random(f"{seed}/{pair}") for pair in range(pairs) for _ in range(2)]
    boards: list[Position | None] = [start or game.start() for _ in throws]
    points = [0] * len(boards)
    luck = [Luck(0.0, 0.0) for _ in boards]
    for turn in range(LONGEST):
        open_ = [(place, board) for place, board in enumerate(boards) if board is not None]
        if not open_:
            break
        asked = [_question(game, evaluator, board, throws[place], turn) for place, board in open_]
        for (place, _), question, looked in zip(open_, asked, look(game, evaluator, asked), strict=True):
            rolled, sign = question.rolled, 1 if (turn + place) % 2 == 0 else -1
            assert rolled is not None
            assert looked.turns is not None
            assert looked.values is not None
            before = luck[place]
            luck[place] = Luck(before.points + sign * looked.luck(rolled), before.wins + sign * looked.win_luck(rolled))
            results = looked.turns.results()
            state, ending = results[players[0 if sign == 1 else 1](results, looked.values)]
            points[place] = sign * ending.points if ending else 0
            boards[place] = None if ending else from_state(swapped(state), game.rules.layout)
    return [_match(pair, points[2 * pair :][:2], luck[2 * pair :][:2]) for pair in range(pairs)]


def _question(game: TablesGame, evaluator: Evaluator, position: Position, throws: Random, turn: int) -> Question:
    """What is rolled in a position."""
    thrown = throw(game, throws, turn)
    number = dice_to_roll(game, evaluator, position)
    chances = chances_of(number, is_opening=turn == 0 and game.opening == "higher_starts")  # G2
    return Question(position, chances, tuple(sorted(thrown[:number])))


def _match(pair: int, points: Iterable[int], luck: Iterable[Luck]) -> LuckyMatch:
    games = tuple(
        Result(winner=None if not won else 1 if won > 0 else 2, ending="board", clause="", points=abs(won), rank=None)
        for won in points
    )
    result = FixtureResult(fixture=f"r{pair + 1}-one-v-two", round=pair + 1, first="one", second="two", games=games)
    return LuckyMatch(result=result, luck=tuple(luck))
