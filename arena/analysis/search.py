"""The worth of turns and rolls some turns ahead, and of positions that are played out."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import chain, islice, product, zip_longest
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

In 500 decisions of `vasa`, four turns within 0.15 points lose 0.00001 points per decision against
eight turns within 0.4; three turns lose 0.0005.
"""
MARGINS: Final = {2: 0.15, 3: 0.06}
"""Points, by the number of turns ahead: a turn that looks worse than the best by more is not looked
into (docs/training.md)."""
STATIC_SHARE: Final = 0.2
"""The share of the static value, without looking ahead, in a look two turns ahead. A network has
learnt that value from a look one turn deeper, so it adds something that the answers do not show.
The mix of both has a smaller error (docs/training.md)."""
LEFT_IN_SIEVE: Final = 8
"""Turns of a roll that an evaluator's sieve leaves to its large networks (docs/training.md)."""
THROWS: Final = [*product(DICE, DICE)]


class PositionJudge(Protocol):
    """Judge of what positions are worth, which can so play one turn ahead."""

    def points(self, states: Sequence[int], /) -> Floats:
        """Return the expected points of the side that has just moved; shape (states,), float32."""
        ...


class RatedTurn(NamedTuple):
    """A turn and what it is worth."""

    place: int
    """The index of the turn among the legal turns, as `Game.legal_turns` lists them."""
    points: float
    """The expected points of the side that plays it."""


def rank(
    game: TablesGame,
    evaluator: PositionJudge,
    position: Position,
    dice: Dice,
    plies: int = 1,
) -> list[RatedTurn]:
    """Return every legal turn, the best first; equal turns keep the order of the engine.

    `ranked_many` says more.
    """
    return rank_many(game, evaluator, [game.legal_turns(position, dice)], plies)[0]


def rank_many(
    game: TablesGame,
    evaluator: PositionJudge,
    turns_of_each: Sequence[Turns],
    plies: int = 1,
) -> list[list[RatedTurn]]:
    """Rank the turns of each list, the best first, up to three turns ahead; all in one batch.

    One ply is the evaluator's value of the position after the turn, or what an ending pays. The
    turns that look best are looked into deeper, and stay above the others. A best turn without a
    rival needs no deeper look.
    """
    points_of_each = values_of(evaluator, turns_of_each)
    return rank_by(game, evaluator, turns_of_each, points_of_each, plies)


def rank_by(
    game: TablesGame,
    evaluator: PositionJudge,
    turns_of_each: Sequence[Turns],
    points_of_each: Sequence[Floats],
    plies: int,
    also: Sequence[int] = (),
) -> list[list[RatedTurn]]:
    """Rank turns whose static values (`values_of`) are known, as `ranked_many` does.

    `also` has the place of one turn of each list that is looked into in any case.
    """
    rankings = [_rank_by_value(points) for points in points_of_each]
    for ply in range(2, plies + 1):
        near = [
            turns_near_best(ranking, ply, place) for ranking, place in zip_longest(rankings, also)
        ]
        points = _points_ahead(game, evaluator, turns_of_each, near, ply)
        rankings = [
            _reorder(ranking, candidates, deeper)
            for ranking, candidates, deeper in zip(rankings, near, points, strict=True)
        ]
    return rankings


def _rank_by_value(points: Floats) -> list[RatedTurn]:
    """Rank turns by their static values."""
    places = np.argsort(-points, kind="stable").tolist()
    return [RatedTurn(place, float(points[place])) for place in places]


def _points_ahead(
    game: TablesGame,
    evaluator: PositionJudge,
    turns_of_each: Sequence[Turns],
    near: Sequence[Sequence[RatedTurn]],
    ply: int,
) -> list[list[float]]:
    """Return what the candidates of each list are worth `ply` turns ahead; all in one batch."""
    reached = []
    for turns, candidates in zip(turns_of_each, near, strict=True):
        positions = turns.results()
        reached.append([positions[candidate.place] for candidate in candidates])
    open_ = [state for state, ending in chain.from_iterable(reached) if ending is None]
    answered = dict(zip(open_, after_answers(game, evaluator, open_, ply - 1), strict=True))
    share = STATIC_SHARE if ply == 2 else 0
    points_of_each = []
    for candidates, positions in zip(near, reached, strict=True):
        points = []
        for candidate, (state, ending) in zip(candidates, positions, strict=True):
            if ending is None:
                points.append(share * candidate.points + (1 - share) * answered[state])
            else:
                points.append(candidate.points)
        points_of_each.append(points)
    return points_of_each


def _reorder(
    ranking: Sequence[RatedTurn],
    candidates: Sequence[RatedTurn],
    points: Sequence[float],
) -> list[RatedTurn]:
    """Return a ranking with its candidates first, ordered by these points."""
    deeper = [
        RatedTurn(candidate.place, ahead)
        for candidate, ahead in zip(candidates, points, strict=True)
    ]
    deeper.sort(key=attrgetter("points"), reverse=True)
    return deeper + [turn for turn in ranking if turn not in candidates]


def turns_near_best(
    ranking: Sequence[RatedTurn],
    ply: int = 2,
    also: int | None = None,
) -> list[RatedTurn]:
    """Return the turns of a ranking that are looked into `ply` turns ahead.

    The turn at the place `also` is one of them. The list is empty if it would have only one turn.
    """
    least = ranking[0].points - MARGINS[ply]
    near = [turn for turn in ranking[:CANDIDATES] if turn.points >= least]
    near += [turn for turn in ranking if turn.place == also and turn not in near]
    return near if len(near) > 1 else []


def best(
    game: TablesGame,
    evaluator: PositionJudge,
    position: Position,
    dice: Dice,
    plies: int = 1,
) -> RatedTurn:
    """Return the best turn; of equal turns the first in the order of the engine."""
    return rank(game, evaluator, position, dice, plies)[0]


def best_of_many(
    game: TablesGame,
    evaluator: PositionJudge,
    questions: Sequence[tuple[Position, Dice]],
    plies: int = 1,
) -> list[tuple[Turns, RatedTurn]]:
    """Return the legal turns and the best turn of each question; all in one batch."""
    turns_of_each = [game.legal_turns(position, dice) for position, dice in questions]
    rankings = rank_many(game, evaluator, turns_of_each, plies)
    return [(turns, ranking[0]) for turns, ranking in zip(turns_of_each, rankings, strict=True)]


def expected(game: TablesGame, evaluator: PositionJudge, position: Position, dice: int) -> float:
    """Return the expected points of a side that is about to roll this number of dice.

    That is the mean over all rolls of the best turn with each.
    """
    chances = rolls(dice)
    choices = best_of_many(game, evaluator, [(position, roll) for roll in chances])
    return _mean_over_rolls(chances, [turn.points for _, turn in choices])


def _mean_over_rolls(chances: Mapping[Dice, float], points: Sequence[float]) -> float:
    """Return the mean of the points of each roll, weighted by its chance."""
    return sum(
        chance * points_of_roll
        for chance, points_of_roll in zip(chances.values(), points, strict=True)
    )


def dice_to_roll(game: TablesGame, evaluator: PositionJudge, position: Position) -> int:
    """Return how many dice to roll; if there is a choice (B11.3), the number that promises more."""
    choices = game.dice_to_call(position)
    if not choices:
        return game.dice_to_roll(position)
    return max(choices, key=lambda number: expected(game, evaluator, position, number))


def after_answers(
    game: TablesGame,
    evaluator: PositionJudge,
    states: Sequence[int],
    turns: int = 1,
) -> list[float]:
    """Return the points of the side that has just moved, looking `turns` turns ahead.

    Each turn is the best answer to each roll by its static value; the mean over all
    rolls counts. All in one batch.
    """
    chances_of_each = []
    questions: list[tuple[Position, Dice]] = []
    for state in states:
        position = from_state(swapped(state), game.rules.layout)
        chances = rolls(dice_to_roll(game, evaluator, position))
        chances_of_each.append(chances)
        questions += [(position, roll) for roll in chances]
    answers = best_turns(game, evaluator, questions)
    points = [answer.points for answer in answers]
    if turns > 1:
        open_ = list(dict.fromkeys(answer.state for answer in answers if answer.ending is None))
        deeper = dict(zip(open_, after_answers(game, evaluator, open_, turns - 1), strict=True))
        # an answer that ends the game has the state 0 and keeps its points
        points = [deeper.get(answer.state, answer.points) for answer in answers]
    means = []
    begin = 0
    for chances in chances_of_each:
        end = begin + len(chances)
        means.append(-_mean_over_rolls(chances, points[begin:end]))
        begin = end
    return means


class BestTurn(NamedTuple):
    """The best turn of a roll, without its moves."""

    points: float
    """The expected points of the side that played it."""
    state: int
    """The packed position after it; 0 where the game is over."""
    ending: Ending | None


def best_turns(
    game: TablesGame,
    evaluator: PositionJudge,
    questions: Sequence[tuple[Position, Dice]],
) -> list[BestTurn]:
    """Return the best turn of each question one turn ahead, in one batch, without its moves.

    This serves players of many games at once. An evaluator with a sieve values only the few turns
    that the sieve leaves.
    """
    states_of_each: list[list[int]] = []
    best_endings: list[Ending | None] = []
    for position, dice in questions:
        states, endings = game.legal_turns(position, dice).states_and_endings()
        states_of_each.append(states)
        best_endings.append(max(endings, key=attrgetter("points"), default=None))
    if isinstance(evaluator, Evaluator) and evaluator.sieve:
        states_of_each = _sieve(evaluator.sieve, states_of_each)
    points = _points_of(evaluator, states_of_each)
    best_of_each = []
    for states, ending in zip(states_of_each, best_endings, strict=True):
        best = max(states, key=points.__getitem__, default=None)
        if ending is not None and (best is None or ending.points >= points[best]):
            best_of_each.append(BestTurn(ending.points, 0, ending))
        else:
            assert best is not None, "every roll has a turn"
            best_of_each.append(BestTurn(points[best], best, None))
    return best_of_each


def _sieve(sieve: Evaluator, states_of_each: Sequence[list[int]]) -> list[list[int]]:
    """Return the best states of each list, as the sieve sees them."""
    points = _points_of(sieve, states_of_each)
    sieved = []
    for states in states_of_each:
        if len(states) > LEFT_IN_SIEVE:
            states = nlargest(LEFT_IN_SIEVE, states, points.__getitem__)
        sieved.append(states)
    return sieved


def _points_of(evaluator: PositionJudge, states: Iterable[Sequence[int]]) -> dict[int, float]:
    """Return the points of each state of several lists.

    Several rolls lead to the same position, so each state is valued once.
    """
    distinct = list(dict.fromkeys(chain.from_iterable(states)))
    return dict(zip(distinct, evaluator.points(distinct).tolist(), strict=True))


def values_of(evaluator: PositionJudge, turns_of_each: Sequence[Turns]) -> list[Floats]:
    """Return the points of each turn of each list, for the side that plays it; all in one batch."""
    reached: list[tuple[int, Ending | None]] = []
    for turns in turns_of_each:
        reached += turns.results()
    points = np.zeros(len(reached), dtype=np.float32)
    open_ = []
    for place, (_, ending) in enumerate(reached):
        if ending is None:
            open_.append(place)
        else:
            points[place] = ending.points
    points[open_] = evaluator.points([reached[place][0] for place in open_])
    ends = np.cumsum([len(turns) for turns in turns_of_each])
    return np.split(points, ends)[:-1]  # the last part is empty


class Rollout(NamedTuple):
    """The figures of positions that were played out; arrays have one row per position."""

    probabilities: Floats
    """The share of games that ended in each way: for the side that has just moved, then for the
    other; shape (positions, 2 * ways)."""
    points: Floats
    """The mean points of the side that has just moved."""
    errors: Floats
    """The standard errors of these means."""
    each: Floats
    """The points of every game, shape (positions, games); games with the same number have the same
    dice."""


class _OpenGame(NamedTuple):
    """A game of a rollout that has not ended."""

    place: int
    """The index of the position that the game plays out."""
    number: int
    """The number of the game among those of this position; it decides the dice."""
    state: int
    """The packed position after the last turn."""


def rollout(
    game: TablesGame,
    evaluator: Evaluator,
    states: Sequence[int],
    games: int,
    seed: int | str,
    turns: int = LONGEST,
) -> Rollout:
    """Play each position (after a turn) out in this number of games, both sides one turn ahead.

    A game that is still open after `turns` turns counts as the evaluator sees it. The same seed
    gives the same dice in all positions. Of 36 games each has another first roll, so that
    differences between positions have little luck.
    """
    if games < 2:
        raise ValueError(f"games = {games}; at least 2 are needed for a standard error")
    ways = evaluator.ways
    outcomes = np.zeros((len(states), games, 2 * len(ways)), dtype=np.float32)
    playing = _games_from(states, games)
    first_column = len(ways)  # of the side that plays; 0 for every other turn
    for throws in islice(_throws(seed, games), turns):
        if not playing:
            break
        answers = best_turns(game, evaluator, _next_questions(game, evaluator, playing, throws))
        going_on = []
        for (place, number, _), answer in zip(playing, answers, strict=True):
            if answer.ending is None:
                going_on.append(_OpenGame(place, number, answer.state))
            else:
                column = first_column + ways.index((answer.ending.name, answer.ending.monk))
                outcomes[place, number, column] = 1
        playing = going_on
        first_column = len(ways) - first_column
    if playing:
        estimates = evaluator.probabilities([open_game.state for open_game in playing])
        if first_column == 0:  # the other side has just moved
            estimates = other_side(estimates)
        for (place, number, _), estimate in zip(playing, estimates, strict=True):
            outcomes[place, number] = estimate
    points = outcomes @ points_of(ways, evaluator.rules)
    errors = points.std(axis=1, ddof=1) / np.sqrt(np.float32(games))
    return Rollout(outcomes.mean(axis=1), points.mean(axis=1), errors, points)


def _games_from(states: Sequence[int], games: int) -> list[_OpenGame]:
    """Return this number of open games from each position."""
    playing: list[_OpenGame] = []
    for place, state in enumerate(states):
        playing += [_OpenGame(place, number, state) for number in range(games)]
    return playing


def _throws(seed: int | str, games: int) -> Iterator[list[tuple[int, int]]]:
    """Yield the throws of all games, turn by turn.

    The first list cycles through all 36 throws in random order, and may be longer than `games`.
    """
    random = Random(seed)
    throws: list[tuple[int, int]] = []
    while len(throws) < games:
        throws += random.sample(THROWS, len(THROWS))
    yield throws
    streams = [Random(f"{seed}/{number}") for number in range(games)]
    while True:
        yield [(stream.randrange(1, 7), stream.randrange(1, 7)) for stream in streams]


def _next_questions(
    game: TablesGame,
    evaluator: Evaluator,
    playing: Sequence[_OpenGame],
    throws: Sequence[tuple[int, int]],
) -> list[tuple[Position, Dice]]:
    """Return the position and the roll of the next turn of each game."""
    questions: list[tuple[Position, Dice]] = []
    for open_game in playing:
        position = from_state(swapped(open_game.state), game.rules.layout)
        dice = throws[open_game.number][: dice_to_roll(game, evaluator, position)]
        questions.append((position, dice))
    return questions
