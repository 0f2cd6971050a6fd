"""The positions of an examination in a tables game: from games of players of all strengths, their turns played out.

Every turn that may be the best is played out one turn ahead by the evaluator, with the same dice as
the others, until the differences between them are known.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from random import Random
from typing import Final, get_args

import numpy as np

from arena.analysis.arrays import Floats, counts_of, has_contact, is_crashed
from arena.analysis.evaluator import Evaluator
from arena.analysis.examination import WORST, ExamPhase, ExamPosition, TablesPhase
from arena.analysis.search import (
    LONGEST,
    PositionJudge,
    after_answers,
    best_of_many,
    dice_to_roll,
    rollout,
    values_of,
)
from arena.games.interface import Dice
from arena.games.tables.board import OFF
from arena.games.tables.endings import HANDSOME
from arena.games.tables.game import TablesGame
from arena.games.tables.position import Position, from_state, swapped
from arena.lab.positions import Chosen, Decision, drawn, examined
from arena.lab.strength import Beginner, Weakened, throw

TAKEN: Final = 2
"""Positions that are taken from a game, on average: few, so that rare phases have enough."""
NOISE: Final = (0.0, 0.05, 0.15, 0.4, 1.0, 100.0)
"""Players of all strengths: the evaluator with so much noise in points; the last one plays by
chance."""
OPENING: Final = 6
"""Turns of a game that count as its opening."""
NEAR: Final = 0.4
"""How likely a side wins by jan or by a handsome game where that is near."""
WIDE: Final = 0.4
NARROW: Final = 0.12
"""Points; turns that look worse than the best by more, one turn ahead and then two, are not played
out."""
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
    """A beginner, and the evaluator with noise."""
    return [Beginner(evaluator.rules), *(Weakened(evaluator, noise, [seed]) for noise in NOISE)]


def decisions(
    game: TablesGame, players: Sequence[PositionJudge], games: int, seed: int
) -> list[Decision]:
    """All decisions of so many games, each of two players drawn for it."""
    chance = Random(f"{seed}/games")
    places = range(len(players))
    boards = [
        _Board((chance.choice(places), chance.choice(places)), game.start()) for _ in range(games)
    ]
    found: list[Decision] = []
    for turn in range(LONGEST):
        going_on: list[_Board] = []
        for place, player in enumerate(players):
            movers = [board for board in boards if board.players[turn % 2] == place]
            asked = [
                (
                    board.position,
                    throw(game, chance, turn)[: dice_to_roll(game, player, board.position)],
                )
                for board in movers
            ]
            for board, (_, dice), (turns, choice) in zip(
                movers, asked, best_of_many(game, player, asked), strict=True
            ):
                if len(turns) > 1:
                    found.append(Decision(board.position, dice, turn + 1, board.last))
                state, ending = turns.results()[choice.place]
                if ending is None:
                    board.last = (
                        dice,
                        tuple((one, other) for one, other in turns.moves(choice.place)),
                    )
                    board.position = from_state(swapped(state), game.rules.layout)
                    going_on.append(board)
        boards = going_on
    return found


def phases(game: TablesGame, evaluator: Evaluator, found: Sequence[Decision]) -> list[ExamPhase]:
    """Return the phase of each decision."""
    if not found:
        return []
    counts = counts_of([one.position.state for one in found])
    contact = has_contact(counts, game.rules.facing)
    outside, crashed = counts[0, : OFF - 6].sum(axis=0), is_crashed(counts)
    chances = evaluator.probabilities([swapped(one.position.state) for one in found])
    sides = chances.reshape(len(found), 2, -1)
    ways = [way.ending for way in evaluator.ways]
    jan = sides[:, :, [way in ("jan", "forced_jan") for way in ways]].sum(axis=2).max(axis=1)
    handsome = sides[:, :, [way in HANDSOME.values() for way in ways]].sum(axis=2).max(axis=1)

    def phase(place: int) -> ExamPhase:
        if found[place].turn <= OPENING:
            return "opening"
        if jan[place] >= NEAR:
            return "jan near"
        if handsome[place] >= NEAR:
            return "handsome near"
        if not contact[place]:
            return "race" if outside[place] else "bearing off"
        return "crashed" if crashed[place] else "contact"

    return [phase(place) for place in range(len(found))]


def _losses(values: dict[int, float], top: float, known: Sequence[int]) -> list[int]:
    """In thousandths; a turn that was not played out loses at least 1, so that it is never the best."""
    return [
        min(max(round(1000 * (top - value)), 0 if place in known else 1), WORST)
        for place, value in values.items()
    ]


def _difference(best: Floats, other: Floats) -> tuple[float, float]:
    """The mean by which games lost points against those of the best turn with the same dice, and its error."""
    differences = best[: len(other)] - other
    return float(differences.mean()), float(differences.std(ddof=1)) / sqrt(len(other))


def _floor(values: Floats, errors: Floats, *, seed: int) -> float:
    """Return what the really best turn would be charged, if the real values were these and were measured once more."""
    seen = values + errors * np.random.default_rng(seed).standard_normal((400, len(values)))
    return 1000 * float((seen.max(axis=1) - seen[:, values.argmax()]).mean())


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
        """All that the losses depend on besides the seed."""
        return {"evaluator_sha256": self.evaluator.sha256, "turns": self.turns, "error": self.error}

    def chosen(self, number: int, seed: int, workers: int) -> Chosen:  # noqa: ARG002 - it is quick
        """Decisions and the shares of their phases."""
        players = players_of_all_strengths(self.evaluator, seed)
        found = decisions(self.game, players, -(-number // TAKEN), seed)
        taken, shares = drawn(
            list(zip(found, phases(self.game, self.evaluator, found), strict=True)), number, seed
        )
        return taken, {phase: shares.get(phase, 0.0) for phase in get_args(TablesPhase)}

    def judged(self, one: tuple[int, Decision, ExamPhase], seed: int) -> ExamPosition:
        """Play out every turn of a decision that may be the best; others lose what the evaluator says."""
        number, decision, phase = one
        turns = self.game.legal_turns(decision.position, decision.dice)
        results = turns.results()
        at_once = values_of(self.evaluator, [turns])[0]
        order = np.argsort(-at_once, kind="stable").tolist()
        near = [place for place in order if at_once[place] >= at_once[order[0]] - WIDE][: 2 * MOST]
        open_ = [place for place in near if results[place][1] is None]
        answered = after_answers(self.game, self.evaluator, [results[place][0] for place in open_])
        ahead = {place: float(at_once[place]) for place in near} | dict(
            zip(open_, answered, strict=True)
        )
        near.sort(key=lambda place: -ahead[place])
        values = dict.fromkeys(range(len(turns)), 0.0)
        live = [place for place in near if ahead[place] >= ahead[near[0]] - NARROW][:MOST]
        played: dict[int, Floats] = {place: np.empty(0, dtype=np.float32) for place in live}
        for round_ in range(ROUNDS):
            going_on = [place for place in live if results[place][1] is None]
            states = [results[place][0] for place in going_on]
            games = (
                rollout(
                    self.game,
                    self.evaluator,
                    states,
                    GAMES,
                    f"{seed}/{number}/{round_}",
                    self.turns,
                )
                if states
                else None
            )
            for place in live:
                ending = results[place][1]
                row = (
                    np.full(GAMES, ending.points)
                    if ending or not games
                    else games.each[going_on.index(place)]
                )
                played[place] = np.append(played[place], row)
            best = max(live, key=lambda place: float(played[place].mean()))
            differences = {place: _difference(played[best], played[place]) for place in live}
            live = [
                place
                for place, (mean, found) in differences.items()
                if place == best or found > max(self.error, mean / PART_OF)
            ]
            if len(live) == 1:
                break
        base = float(played[best].mean())
        known = {place: _difference(played[best], found) for place, found in played.items()}
        for place in values:
            if place in known:
                values[place] = base - known[place][0]
            elif place in ahead:
                values[place] = base - (ahead[best] - ahead[place])
            else:
                values[place] = base - float(at_once[best] - at_once[place])
        rivals = (
            np.array([values[place] for place in known]),
            np.array([error for _, error in known.values()]),
        )
        top = float(rivals[0].max())
        return examined(
            self.game,
            decision,
            phase,
            value=top,
            losses=_losses(values, top, [*known]),
            floor=_floor(*rivals, seed=number),
        )
