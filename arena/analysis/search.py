"""The worth of turns and rolls, one turn ahead or several, and of positions, by playing them out many times."""

from collections.abc import Iterable, Sequence
from heapq import nlargest
from itertools import chain, zip_longest
from operator import attrgetter
from random import Random
from typing import Final, NamedTuple, Protocol

import numpy as np

from arena.analysis.arrays import DICE, Floats
from arena.analysis.evaluator import Evaluator, other_side, points_of
from arena.games.interface import Dice, Ending
from arena.games.playing import rolls
from arena.games.tables.game import TablesGame
from arena.games.tables.position import Position, from_state, swapped
from arena.games.tables.turns import Turns

LONGEST = 800
"""Turns after which a game is not played on."""
CANDIDATES: Final = 4
"""Turns that are looked into deeper: the best by the look before.

Of 500 decisions of `vasa` four within 0.15 points lose 0.00001 points a decision against eight within 0.4; three lose
0.0005.
"""
MARGINS: Final = {2: 0.15, 3: 0.06}
"""Points; a turn that looks worse than the best by more is not looked into so many turns ahead
(docs/training.md)."""
AT_ONCE: Final = 0.2
"""How much the value at once counts two turns ahead. A network has learnt it from a look one turn
deeper, so it tells something that the answers do not; both together are wrong by less
(docs/training.md).
"""
LEFT_IN_SIEVE: Final = 8
"""Turns of a roll that the sieve of an evaluator leaves to its large networks (docs/training.md)."""
THROWS: Final = [(one, other) for one in DICE for other in DICE]


class PositionJudge(Protocol):
    """Says what positions are worth, and so can play one turn ahead."""

    def points(self, states: Sequence[int], /) -> Floats:
        """The points that the side that has just moved may expect, shape (states,), float32."""
        ...


class RatedTurn(NamedTuple):
    """A turn and what it is worth."""

    place: int
    """Which of the legal turns, as `Game.legal_turns` lists them."""
    points: float
    """What the side that plays it may expect."""


def ranked(
    game: TablesGame, evaluator: PositionJudge, position: Position, dice: Dice, plies: int = 1
) -> list[RatedTurn]:
    """Every legal turn, the best first; equal ones in the order of the engine.

    More in `ranked_many`.
    """
    return ranked_many(game, evaluator, [game.legal_turns(position, dice)], plies)[0]


def ranked_many(
    game: TablesGame, evaluator: PositionJudge, found: Sequence[Turns], plies: int = 1
) -> list[list[RatedTurn]]:
    """Rank the turns of each list, the best first, up to three turns ahead; all in one batch.

    One ply is the evaluator's value of the position after the turn, or what an ending pays. Of
    those that look best a deeper look is taken, and they stay above the others; a best turn without
    a rival needs none.
    """
    return ranked_by(game, evaluator, found, values_of(evaluator, found), plies)


def ranked_by(
    game: TablesGame,
    evaluator: PositionJudge,
    found: Sequence[Turns],
    valued: Sequence[Floats],
    plies: int,
    also: Sequence[int] = (),
) -> list[list[RatedTurn]]:
    """Rank turns whose values at once (`values_of`) are known, as `ranked_many` does.

    `also` has the place of one turn of each list that is looked into in any case.
    """
    rankings = [
        [
            RatedTurn(place, float(values[place]))
            for place in np.argsort(-values, kind="stable").tolist()
        ]
        for values in valued
    ]
    for ply in range(2, plies + 1):
        share = AT_ONCE if ply == 2 else 0
        near = [looked_into(ranking, ply, place) for ranking, place in zip_longest(rankings, also)]
        states = [
            turns.results()[one.place] for turns, of in zip(found, near, strict=True) for one in of
        ]
        worth = iter(
            after_answers(
                game, evaluator, [state for state, ending in states if ending is None], ply - 1
            )
        )
        for ranking, turns, of in zip(rankings, found, near, strict=True):
            results = turns.results()
            deeper = [
                one
                if results[one.place][1]
                else RatedTurn(one.place, share * one.points + (1 - share) * next(worth))
                for one in of
            ]
            ranking[:] = sorted(deeper, key=lambda one: -one.points) + [
                one for one in ranking if one not in of
            ]
    return rankings


def looked_into(
    ranking: Sequence[RatedTurn], ply: int = 2, also: int | None = None
) -> list[RatedTurn]:
    """The turns of a ranking that are looked into so many turns ahead, and in any case the one at the place `also`.

    They are none if only one would be.
    """
    near = [one for one in ranking[:CANDIDATES] if one.points >= ranking[0].points - MARGINS[ply]]
    near += [one for one in ranking if one.place == also and one not in near]
    return near if len(near) > 1 else []


def best(
    game: TablesGame, evaluator: PositionJudge, position: Position, dice: Dice, plies: int = 1
) -> RatedTurn:
    """The best turn; of equal ones the first in the order of the engine."""
    return ranked(game, evaluator, position, dice, plies)[0]


def best_of_many(
    game: TablesGame,
    evaluator: PositionJudge,
    asked: Sequence[tuple[Position, Dice]],
    plies: int = 1,
) -> list[tuple[Turns, RatedTurn]]:
    """The best turn of each question, with the legal turns; all in one batch."""
    found = [game.legal_turns(position, dice) for position, dice in asked]
    return [
        (turns, of[0])
        for turns, of in zip(found, ranked_many(game, evaluator, found, plies), strict=True)
    ]


def expected(game: TablesGame, evaluator: PositionJudge, position: Position, dice: int) -> float:
    """The points of the side about to roll so many dice: the mean over all rolls of the best turn with each."""
    chances = rolls(dice)
    found = best_of_many(game, evaluator, [(position, roll) for roll in chances])
    return sum(
        chance * choice.points for chance, (_, choice) in zip(chances.values(), found, strict=True)
    )


def dice_to_roll(game: TablesGame, evaluator: PositionJudge, position: Position) -> int:
    """Return how many dice to roll: as the rules say or, where there is a choice (B11.3), what promises more."""
    choices = game.dice_to_call(position)
    if not choices:
        return game.dice_to_roll(position)
    return max(choices, key=lambda number: expected(game, evaluator, position, number))


def after_answers(
    game: TablesGame, evaluator: PositionJudge, states: Sequence[int], turns: int = 1
) -> list[float]:
    """The points of the side that has just moved, after so many turns: the best answers to every roll, and so on.

    Every side chooses by what the evaluator says at once; the mean over all rolls counts. All in
    one batch.
    """
    theirs = [from_state(swapped(state), game.rules.layout) for state in states]
    chances = [rolls(dice_to_roll(game, evaluator, position)) for position in theirs]
    asked = [(position, roll) for position, of in zip(theirs, chances, strict=True) for roll in of]
    answers = best_turns(game, evaluator, asked)
    worth = [answer.points for answer in answers]
    if turns > 1:
        open_ = list(dict.fromkeys(answer.state for answer in answers if answer.ending is None))
        deeper = dict(zip(open_, after_answers(game, evaluator, open_, turns - 1), strict=True))
        worth = [answer.points if answer.ending else deeper[answer.state] for answer in answers]
    each = iter(worth)
    return [-sum(chance * next(each) for chance in of.values()) for of in chances]


class BestTurn(NamedTuple):
    """A turn that is the best, without its moves."""

    points: float
    """The points that the side that played it may expect."""
    state: int
    """The packed position after it; 0 where the game is over."""
    ending: Ending | None


def best_turns(
    game: TablesGame, evaluator: PositionJudge, asked: Sequence[tuple[Position, Dice]]
) -> list[BestTurn]:
    """The best turn of each question one turn ahead, all in one batch, without the moves: for those who play many.

    Where the evaluator has a sieve, it looks at the few turns only that are left in that.
    """
    open_, ends = list[list[int]](), list[Ending | None]()
    for position, dice in asked:
        going_on, endings = game.legal_turns(position, dice).states_and_endings()
        open_.append(going_on)
        ends.append(max(endings, key=attrgetter("points"), default=None))
    if isinstance(evaluator, Evaluator) and evaluator.sieve:
        rough = _points_of(evaluator.sieve, open_)
        open_ = [
            nlargest(LEFT_IN_SIEVE, of, rough.__getitem__) if len(of) > LEFT_IN_SIEVE else of
            for of in open_
        ]
    known = _points_of(evaluator, open_)
    results = []
    for of, ending in zip(open_, ends, strict=True):
        best = max(of, key=known.__getitem__, default=None)
        if ending is not None and (best is None or ending.points >= known[best]):
            results.append(BestTurn(ending.points, 0, ending))
        else:
            assert best is not None, "every roll has a turn"
            results.append(BestTurn(known[best], best, None))
    return results


def _points_of(evaluator: PositionJudge, states: Iterable[Sequence[int]]) -> dict[int, float]:
    """The points of each state of several lists; each is valued once, since several rolls lead to one position."""
    distinct = list(dict.fromkeys(chain.from_iterable(states)))
    return dict(zip(distinct, evaluator.points(distinct).tolist(), strict=True))


def values_of(evaluator: PositionJudge, found: Sequence[Turns]) -> list[Floats]:
    """The points of each result of each list of turns, for the side that plays them; all in one batch."""
    results = [result for turns in found for result in turns.results()]
    values = np.array([ending.points if ending else 0 for _, ending in results], dtype=np.float32)
    open_ = [place for place, (_, ending) in enumerate(results) if ending is None]
    values[open_] = evaluator.points([results[place][0] for place in open_])
    return np.split(values, np.cumsum([len(turns) for turns in found]))[
        :-1
    ]  # the last part is empty


class Rollout(NamedTuple):
    """The result of playing positions out; arrays have one row a position."""

    probabilities: Floats
    """How often each way came: for the side that has just moved, then for the other; shape
    (positions, 2 * ways)."""
    points: Floats
    """The mean points of the side that has just moved."""
    errors: Floats
    each: Floats
    """The points of every game, shape (positions, games); games with the same number have the same
    dice."""


def rollout(
    game: TablesGame,
    evaluator: Evaluator,
    states: Sequence[int],
    games: int,
    seed: int | str,
    turns: int = LONGEST,
) -> Rollout:
    """Play each position (after a turn) out so many times, both sides one turn ahead.

    A game that is still open after so many turns counts as the evaluator sees it. The same seed
    gives the same dice in all positions; of 36 games each has another first roll, so that
    differences between positions have little luck.
    """
    if games < 2:
        raise ValueError(f"games = {games}; at least 2 are needed for a standard error")
    chances, half = [Random(f"{seed}/{number}") for number in range(games)], len(evaluator.ways)
    order = Random(seed)
    first = [
        roll for _ in range(0, games, len(THROWS)) for roll in order.sample(THROWS, len(THROWS))
    ]
    outcomes = np.zeros((len(states), games, 2 * half), dtype=np.float32)
    playing = [
        (place, number, state) for place, state in enumerate(states) for number in range(games)
    ]
    is_mine = False
    for turn in range(turns):
        if not playing:
            break
        thrown = (
            [(chance.randrange(1, 7), chance.randrange(1, 7)) for chance in chances]
            if turn
            else first
        )
        asked = []
        for _, number, state in playing:
            position = from_state(swapped(state), game.rules.layout)
            asked.append((position, thrown[number][: dice_to_roll(game, evaluator, position)]))
        going_on = []
        for (place, number, _), best in zip(
            playing, best_turns(game, evaluator, asked), strict=True
        ):
            if best.ending is None:
                going_on.append((place, number, best.state))
            else:
                way = evaluator.ways.index((best.ending.name, best.ending.monk))
                outcomes[place, number, way if is_mine else half + way] = 1
        playing, is_mine = going_on, not is_mine
    if playing:
        thought = evaluator.probabilities([state for _, _, state in playing])
        for (place, number, _), row in zip(
            playing, thought if not is_mine else other_side(thought), strict=True
        ):
            outcomes[place, number] = row
    points = outcomes @ points_of(evaluator.ways, evaluator.rules)
    errors = points.std(axis=1, ddof=1) / np.sqrt(np.float32(games))
    return Rollout(outcomes.mean(axis=1), points.mean(axis=1), errors, points)
