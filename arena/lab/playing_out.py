"""The positions of an examination in a tables game, and what their turns lose.

They come from games of players of all strengths. The evaluator plays out every turn that may be the
best, one turn ahead and with the same dice as the others, until the differences between them are
known.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import sqrt
from random import Random
from typing import (
    Final,
    NamedTuple,
    get_args,
)

import numpy as np

from arena.analysis.arrays import (
    Floats,
    counts_of,
    has_contact,
    is_crashed,
)
from arena.analysis.evaluator import Evaluator
from arena.analysis.examination import (
    WORST,
    ExamPhase,
    ExamPosition,
    TablesPhase,
)
from arena.analysis.search import (
    LONGEST,
    PositionJudge,
    after_answers,
    best_of_many,
    dice_to_roll,
    rollout,
    values_of,
)
from arena.games.interface import Dice, Ending
from arena.games.tables.board import OFF
from arena.games.tables.endings import HANDSOME
from arena.games.tables.game import TablesGame
from arena.games.tables.position import (
    Position,
    from_state,
    swapped,
)
from arena.lab.positions import (
    Chosen,
    Numbered,
    PlayedDecision,
    draw_decisions,
    new_position,
)
from arena.lab.strength import (
    Beginner,
    Weakened,
    throw,
)

TAKEN: Final = 2
"""Positions that are drawn from a game, on average: few, so that rare phases have enough."""
NOISE: Final = (0.0, 0.05, 0.15, 0.4, 1.0, 100.0)
"""The noise of players of all strengths, in points; the last one plays by chance."""
OPENING: Final = 6
"""Turns of a game that count as its opening."""
NEAR: Final = 0.4
"""The chance of a side to win by jan, or by a handsome game, from which that is near."""
WIDE: Final = 0.4
NARROW: Final = 0.12
"""Margins in points: turns that look worse than the best by more, one turn ahead (`WIDE`) and then
two (`NARROW`), are not played out."""
MOST: Final = 8
"""Turns of a position that are played out, at most."""
GAMES: Final = 72
"""Games of a turn that are played out between two looks at the error."""
ROUNDS: Final = 18
"""Looks, at most."""
PART_OF: Final = 5
"""A difference is also known when its error is a fifth of it."""


@dataclass(slots=True)
class _Board:
    """A game that goes on."""

    players: tuple[int, int]
    position: Position
    last: tuple[Dice, tuple[tuple[int, int], ...]] | None = None


def players_of_all_strengths(evaluator: Evaluator, seed: int) -> list[PositionJudge]:
    """Return a beginner, and the evaluator with noise."""
    return [Beginner(evaluator.rules), *(Weakened(evaluator, noise, [seed]) for noise in NOISE)]


def play_games(
    game: TablesGame,
    players: Sequence[PositionJudge],
    games: int,
    seed: int,
) -> list[PlayedDecision]:
    """Play games, each of two players drawn for it, and return all decisions."""
    random = Random(f"{seed}/games")
    places = range(len(players))
    boards: list[_Board] = []
    for _ in range(games):
        pair = (random.choice(places), random.choice(places))
        boards.append(_Board(pair, game.start()))
    all_decisions: list[PlayedDecision] = []
    for turn in range(LONGEST):
        going_on: list[_Board] = []
        for place, player in enumerate(players):
            movers = [board for board in boards if board.players[turn % 2] == place]
            played = _play_turn(game, player, movers, turn, random)
            all_decisions += played.decisions
            going_on += played.going_on
        boards = going_on
    return all_decisions


class _TurnOfAll(NamedTuple):
    """One turn of a player in all its games."""

    decisions: list[PlayedDecision]
    going_on: list[_Board]


def _play_turn(
    game: TablesGame,
    player: PositionJudge,
    movers: Sequence[_Board],
    turn: int,
    random: Random,
) -> _TurnOfAll:
    """Play a turn on the boards on which the player is to move."""
    rolls: list[tuple[Position, Dice]] = []
    for board in movers:
        thrown = throw(game, random, turn)
        number = dice_to_roll(game, player, board.position)
        rolls.append((board.position, thrown[:number]))
    played = _TurnOfAll([], [])
    answers = best_of_many(game, player, rolls)
    for board, (_, dice), (turns, choice) in zip(movers, rolls, answers, strict=True):
        if len(turns) > 1:
            decision = PlayedDecision(board.position, dice, turn + 1, board.last)
            played.decisions.append(decision)
        state, ending = turns.results()[choice.place]
        if ending is None:
            moves = tuple((origin, target) for origin, target in turns.moves(choice.place))
            board.last = (dice, moves)
            board.position = from_state(swapped(state), game.rules.layout)
            played.going_on.append(board)
    return played


def find_phases(
    game: TablesGame,
    evaluator: Evaluator,
    all_decisions: Sequence[PlayedDecision],
) -> list[ExamPhase]:
    """Return the phase of each decision."""
    if not all_decisions:
        return []
    states = [decision.position.state for decision in all_decisions]
    counts = counts_of(states)
    is_outside = counts[0, : OFF - 6].sum(axis=0)
    has_met = has_contact(counts, game.rules.facing)
    has_crashed = is_crashed(counts)
    chances = evaluator.probabilities(list(map(swapped, states)))
    sides = chances.reshape(len(states), 2, -1)
    endings = [ending for ending, _ in evaluator.ways]
    jan = _chance_of(sides, endings, ("jan", "forced_jan"))
    handsome = _chance_of(sides, endings, HANDSOME.values())
    phase_of_each: list[ExamPhase] = []
    for place, decision in enumerate(all_decisions):
        phase: ExamPhase  # the first case that fits
        if decision.turn <= OPENING:
            phase = "opening"
        elif jan[place] >= NEAR:
            phase = "jan near"
        elif handsome[place] >= NEAR:
            phase = "handsome near"
        elif not has_met[place]:
            phase = "race" if is_outside[place] else "bearing off"
        else:
            phase = "crashed" if has_crashed[place] else "contact"
        phase_of_each.append(phase)
    return phase_of_each


def _chance_of(
    sides: Floats,
    endings: Sequence[str],
    wanted: Collection[str],
) -> Floats:
    """Return, per position, the higher of both sides' chances to win in a wanted way.

    `sides` has shape (positions, 2, ways).
    """
    is_wanted = [ending in wanted for ending in endings]
    chances: Floats = sides[:, :, is_wanted].sum(axis=2).max(axis=1)
    return chances


class _Difference(NamedTuple):
    """The points that games lost against those of the best turn with the same dice."""

    mean: float
    error: float


def _difference(best: Floats, rival: Floats) -> _Difference:
    differences = best[: len(rival)] - rival
    error = float(differences.std(ddof=1)) / sqrt(len(rival))
    return _Difference(float(differences.mean()), error)


@dataclass(frozen=True, slots=True)
class _PlayedOut:
    """The turns that were played out, against the best of them."""

    best: int
    base: float
    """The mean points of the best turn."""
    differences: dict[int, _Difference]


@dataclass(frozen=True, slots=True)
class _Look:
    """The turns of a decision by place, and their worth to the evaluator in points."""

    states: list[int]
    endings: list[Ending | None]
    static_points: Floats
    ahead: dict[int, float]
    """The turns that look near the best by static value, as they look one turn ahead."""

    def near(self) -> list[int]:
        """Return the turns that look near the best one turn ahead, the best first."""
        ranked = sorted(self.ahead, key=lambda place: -self.ahead[place])
        limit = self.ahead[ranked[0]] - NARROW
        return [place for place in ranked if self.ahead[place] >= limit][:MOST]

    def rating(self, place: int, played: _PlayedOut) -> float:
        """Rate a turn by its games, or else by what the evaluator says beside the best turn."""
        best = played.best
        if place in played.differences:
            return played.base - played.differences[place].mean
        if place in self.ahead:
            return played.base - (self.ahead[best] - self.ahead[place])
        return played.base - float(self.static_points[best] - self.static_points[place])


def _losses(ratings: Sequence[float], top: float, played: Collection[int]) -> list[int]:
    """Return the losses in thousandths.

    A turn that was not played out loses at least 1, so that it is never the best.
    """
    losses = []
    for place, rating in enumerate(ratings):
        least = 0 if place in played else 1
        loss = max(round(1000 * (top - rating)), least)
        losses.append(min(loss, WORST))
    return losses


def _floor(ratings: Floats, errors: Floats, *, seed: int) -> float:
    """Return the expected charge for the really best turn, if the ratings were measured again.

    The ratings stand for the real worth of the turns.
    """
    noise = np.random.default_rng(seed).standard_normal((400, len(ratings)))
    measured = ratings + errors * noise
    charges = measured.max(axis=1) - measured[:, ratings.argmax()]
    return 1000 * float(charges.mean())


@dataclass(frozen=True, slots=True)
class PlayingOut:
    """The truth of a tables game, as an evaluator plays turns out."""

    game: TablesGame
    evaluator: Evaluator
    turns: int = 6
    """Turns of a game that is played out, before the evaluator says what it is worth."""
    error: float = 0.02
    """The standard error, in points, at which a difference counts as known."""

    @property
    def judge(self) -> str:
        """The name of the evaluator."""
        return self.evaluator.name

    @property
    def judged_with(self) -> dict[str, int | float | str]:
        """Everything that the losses depend on besides the seed."""
        return {
            "evaluator_sha256": self.evaluator.sha256,
            "turns": self.turns,
            "error": self.error,
        }

    def choose(
        self,
        number: int,
        seed: int,
        workers: int,  # noqa: ARG002 - it is quick
    ) -> Chosen:
        """Return decisions and the shares of their phases."""
        players = players_of_all_strengths(self.evaluator, seed)
        games = -(-number // TAKEN)
        all_decisions = play_games(self.game, players, games, seed)
        phase_of_each = find_phases(self.game, self.evaluator, all_decisions)
        pool = list(zip(all_decisions, phase_of_each, strict=True))
        return draw_decisions(pool, number, seed, get_args(TablesPhase))

    def examine(self, numbered: Numbered, seed: int) -> ExamPosition:
        """Say what the turns of a decision lose.

        Every turn that may be the best is played out; the others lose what the evaluator says.
        """
        number, decision, phase = numbered
        look = self._look(decision)
        played = self._play_out(look, f"{seed}/{number}")
        ratings = [look.rating(place, played) for place in range(len(look.states))]
        played_ratings, errors = [], []
        for place, difference in played.differences.items():
            played_ratings.append(ratings[place])
            errors.append(difference.error)
        top = max(played_ratings)
        return new_position(
            self.game,
            decision,
            phase,
            value=top,
            losses=_losses(ratings, top, played.differences),
            floor=_floor(np.array(played_ratings), np.array(errors), seed=number),
        )

    def _look(self, decision: PlayedDecision) -> _Look:
        """Rate all turns of a decision by static value, and those near the best one turn ahead."""
        turns = self.game.legal_turns(decision.position, decision.dice)
        states, endings = [], []
        for state, ending in turns.results():
            states.append(state)
            endings.append(ending)
        [static_points] = values_of(self.evaluator, [turns])
        order = np.argsort(-static_points, kind="stable").tolist()
        limit = static_points[order[0]] - WIDE
        near = [place for place in order if static_points[place] >= limit][: 2 * MOST]
        ahead = {}
        going_on, open_states = [], []
        for place in near:
            ahead[place] = float(static_points[place])
            if endings[place] is None:
                going_on.append(place)
                open_states.append(states[place])
        answered = after_answers(self.game, self.evaluator, open_states)
        ahead.update(zip(going_on, answered, strict=True))
        return _Look(states, endings, static_points, ahead)

    def _play_out(self, look: _Look, seed: str) -> _PlayedOut:
        """Play out the turns near the best, until their differences are known."""
        rivals = look.near()
        points: dict[int, Floats] = {place: np.empty(0, dtype=np.float32) for place in rivals}
        for number in range(ROUNDS):
            for place, games in self._play_turns_out(look, rivals, f"{seed}/{number}").items():
                points[place] = np.append(points[place], games)
            best = max(rivals, key=lambda place: float(points[place].mean()))
            unknown = []
            for place in rivals:
                mean, error = _difference(points[best], points[place])
                if place == best or error > max(self.error, mean / PART_OF):
                    unknown.append(place)
            rivals = unknown
            if rivals == [best]:
                break
        differences = {}
        for place, games in points.items():
            differences[place] = _difference(points[best], games)
        return _PlayedOut(best, float(points[best].mean()), differences)

    def _play_turns_out(
        self,
        look: _Look,
        places: Sequence[int],
        seed: str,
    ) -> dict[int, Floats]:
        """Return the points of `GAMES` games after each turn; an ending gives its points to all."""
        points = {}
        going_on = []
        for place in places:
            ending = look.endings[place]
            if ending is None:
                going_on.append(place)
            else:
                points[place] = np.full(GAMES, ending.points)
        if going_on:
            states = [look.states[place] for place in going_on]
            games = rollout(
                self.game,
                self.evaluator,
                states,
                GAMES,
                seed,
                self.turns,
            )
            points.update(zip(going_on, games.each, strict=True))
        return points
