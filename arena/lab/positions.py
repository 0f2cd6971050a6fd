"""The positions of an examination: taken from games of players of all strengths, and their turns played out.

Every turn that may be the best is played out one turn ahead by the evaluator, with the same dice as the others, until
the differences between them are known. The same seed gives the same positions, also after an interruption.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import numpy as np
from msgspec.structs import replace

from arena.analysis.arrays import STATE_BYTES, Floats, counts_of, has_contact, is_crashed
from arena.analysis.evaluator import Evaluator
from arena.analysis.examination import (
    KIND,
    PHASES,
    SUFFIX,
    WORST,
    ExamPhase,
    ExamPosition,
    PositionsHead,
    in_order,
    read_positions,
    write_positions,
)
from arena.analysis.headed_files import EvaluatorError
from arena.analysis.search import (
    LONGEST,
    PositionJudge,
    best_of_many,
    dice_to_roll,
    rollout,
    two_turns_ahead,
    values_of,
)
from arena.games.interface import Dice
from arena.games.tables.board import OFF
from arena.games.tables.endings import HANDSOME
from arena.games.tables.game import TablesGame
from arena.games.tables.position import Position, from_state, swapped
from arena.lab.strength import Beginner, Weakened, throw
from arena.lab.supervision import in_processes
from arena.lab.training import LabPlanError
from protocol import __version__

TAKEN: Final = 2
"""Positions that are taken from a game, on average: few, so that rare phases have enough."""
NOISE: Final = (0.0, 0.05, 0.15, 0.4, 1.0, 100.0)
"""Players of all strengths: the evaluator with so much noise in points; the last one plays by chance."""
OPENING: Final = 6
"""Turns of a game that count as its opening."""
NEAR: Final = 0.4
"""How likely a side wins by jan or by a handsome game where that is near."""
WIDE: Final = 0.4
NARROW: Final = 0.12
"""Points; turns that look worse than the best by more, one turn ahead and then two, are not played out."""
MOST: Final = 8
"""Turns of a position that are played out, at most."""
GAMES: Final = 72
"""Games of a turn that are played out between two looks at the error."""
ROUNDS: Final = 18
"""Looks, at most."""
PART_OF: Final = 5
"""A difference is also known when its error is a fifth of it."""
PART: Final = 8
"""Positions of one file of the folder."""


class Decision(NamedTuple):
    """A roll with a choice, as a game had it."""

    position: Position
    dice: Dice
    turn: int
    last: tuple[Dice, tuple[tuple[int, int], ...]] | None


@dataclass(slots=True)
class _Board:
    """A game that goes on."""

    players: tuple[int, int]
    position: Position
    last: tuple[Dice, tuple[tuple[int, int], ...]] | None = None


def decisions(game: TablesGame, evaluator: Evaluator, games: int, seed: int) -> list[Decision]:
    """All decisions of so many games, each of two players drawn for it."""
    chance = Random(f"{seed}/games")
    players: list[PositionJudge] = [Beginner(game.rules), *(Weakened(evaluator, noise, [seed]) for noise in NOISE)]
    places = range(len(players))
    boards = [_Board((chance.choice(places), chance.choice(places)), game.start()) for _ in range(games)]
    found: list[Decision] = []
    for turn in range(LONGEST):
        going_on: list[_Board] = []
        for place, player in enumerate(players):
            movers = [board for board in boards if board.players[turn % 2] == place]
            asked = [
                (board.position, throw(game, chance, turn)[: dice_to_roll(game, player, board.position)])
                for board in movers
            ]
            for board, (_, dice), (turns, choice) in zip(movers, asked, best_of_many(game, player, asked), strict=True):
                if len(turns) > 1:
                    found.append(Decision(board.position, dice, turn + 1, board.last))
                state, ending = turns.results()[choice.place]
                if ending is None:
                    board.last = dice, tuple((one, other) for one, other in turns.moves(choice.place))
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


def chosen(
    game: TablesGame, evaluator: Evaluator, number: int, seed: int
) -> tuple[list[tuple[Decision, ExamPhase]], dict[ExamPhase, float]]:
    """Draw this many decisions, none twice, in an order by chance, and the share of each phase in the games.

    Half of the places go to phases by their share, half to all phases alike; what is over goes to the most common.
    """
    pool = decisions(game, evaluator, -(-number // TAKEN), seed)
    known = phases(game, evaluator, pool)
    shares = {phase: count / len(pool) for phase, count in Counter(known).most_common()}
    distinct: dict[ExamPhase, dict[Any, Decision]] = {phase: {} for phase in shares}
    for one, phase in zip(pool, known, strict=True):
        distinct[phase].setdefault((one.position.state, *sorted(one.dice)), one)
    chance, taken, left = Random(f"{seed}/chosen"), list[tuple[Decision, ExamPhase]](), number
    for place, phase in enumerate(reversed(shares)):  # the rarest first
        wanted = round(number * (shares[phase] + 1 / len(shares)) / 2) if place < len(shares) - 1 else left
        mine = list(distinct[phase].values())
        taken += [(one, phase) for one in chance.sample(mine, min(wanted, left, len(mine)))]
        left = number - len(taken)
    chance.shuffle(taken)
    return taken, {phase: shares.get(phase, 0.0) for phase in PHASES}


def judged(
    game: TablesGame, evaluator: Evaluator, head: PositionsHead, one: tuple[int, Decision, ExamPhase]
) -> ExamPosition:
    """Play out every turn of a decision that may be the best; others lose what the evaluator says."""
    number, decision, phase = one
    turns = game.legal_turns(decision.position, decision.dice)
    results = turns.results()
    at_once = values_of(evaluator, [turns])[0]
    order = np.argsort(-at_once, kind="stable").tolist()
    near = [place for place in order if at_once[place] >= at_once[order[0]] - WIDE][: 2 * MOST]
    [ahead] = two_turns_ahead(game, evaluator, [(turns, at_once, near)])
    near.sort(key=lambda place: -ahead[place])
    values = dict.fromkeys(range(len(turns)), 0.0)
    live = [place for place in near if ahead[place] >= ahead[near[0]] - NARROW][:MOST]
    played: dict[int, Floats] = {place: np.empty(0, dtype=np.float32) for place in live}
    for round_ in range(ROUNDS):
        going_on = [place for place in live if results[place][1] is None]
        states = [results[place][0] for place in going_on]
        games = (
            rollout(game, evaluator, states, GAMES, f"{head.seed}/{number}/{round_}", head.turns) if states else None
        )
        for place in live:
            ending = results[place][1]
            row = np.full(GAMES, ending.points) if ending or not games else games.each[going_on.index(place)]
            played[place] = np.append(played[place], row)
        best = max(live, key=lambda place: float(played[place].mean()))
        differences = {place: _difference(played[best], played[place]) for place in live}
        live = [
            place
            for place, (mean, error) in differences.items()
            if place == best or error > max(head.error, mean / PART_OF)
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
    rivals = np.array([values[place] for place in known]), np.array([error for _, error in known.values()])
    top = float(rivals[0].max())
    return ExamPosition(
        state=_packed(decision),
        dice=decision.dice,
        turn=decision.turn,
        last=decision.last,
        phase=phase,
        value=round(top, 4),
        losses=_losses(values, top, [*known], in_order(turns)),
        floor=round(_floor(*rivals, seed=number), 2),
    )


def _packed(decision: Decision) -> bytes:
    return decision.position.state.to_bytes(STATE_BYTES, "little")


def _losses(values: dict[int, float], top: float, known: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """In thousandths; a turn that was not played out loses at least 1, so that it is never the best."""
    losses = {
        place: min(max(round(1000 * (top - value)), 0 if place in known else 1), WORST)
        for place, value in values.items()
    }
    return tuple(losses[place] for place in order)


def _difference(best: Floats, other: Floats) -> tuple[float, float]:
    """The mean by which games lost points against those of the best turn with the same dice, and its error."""
    differences = best[: len(other)] - other
    return float(differences.mean()), float(differences.std(ddof=1)) / sqrt(len(other))


def _floor(values: Floats, errors: Floats, *, seed: int) -> float:
    """Return what the really best turn would be charged, if the real values were these and were measured once more."""
    seen = values + errors * np.random.default_rng(seed).standard_normal((400, len(values)))
    return 1000 * float((seen.max(axis=1) - seen[:, values.argmax()]).mean())


@dataclass(frozen=True, slots=True)
class Making:
    """The folder in which positions are made: files of some positions each, and in the end the file of all."""

    game: TablesGame
    evaluator: Evaluator
    folder: Path
    number: int
    head: PositionsHead

    @property
    def file(self) -> Path:
        """The file of all."""
        return self.folder / (self.game.name + SUFFIX)

    def run(self, workers: int) -> Iterator[int]:
        """Make what is not there yet; gives how many positions are done. Raises `LabPlanError` for another folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        taken, shares = chosen(self.game, self.evaluator, self.number, self.head.seed)
        head = replace(self.head, shares=shares)
        numbered = [(number, *one) for number, one in enumerate(taken)]
        parts = {
            self.folder / f"part-{begin:05}": numbered[begin : begin + PART] for begin in range(0, len(numbered), PART)
        }
        done: dict[Path, list[ExamPosition]] = {
            path: self._read(path, head, part) for path, part in parts.items() if path.exists()
        }
        yield sum(map(len, done.values()))
        missing = [path for path in parts if path not in done]
        make = partial(_part, self.game, self.evaluator, self.head)
        for path, made in zip(missing, in_processes(make, [parts[path] for path in missing], workers), strict=True):
            write_positions(head, made, path)
            done[path] = made
            yield sum(map(len, done.values()))
        write_positions(head, [one for path in parts for one in done[path]], self.file)

    def _read(self, path: Path, head: PositionsHead, part: Sequence[Any]) -> list[ExamPosition]:
        try:
            found, positions, _ = read_positions(path)
        except EvaluatorError as error:
            raise LabPlanError(str(error)) from None
        wanted = replace(head, count=found.count, size_bytes=found.size_bytes)
        different = [name for name in found.__struct_fields__ if getattr(found, name) != getattr(wanted, name)]
        if [one.state for one in positions] != [_packed(decision) for _, decision, _ in part]:
            different.append("number")
        if different:
            raise LabPlanError(f"{path} was made otherwise ({', '.join(different)}); give another --out")
        return positions


def new_head(game: TablesGame, evaluator: Evaluator, seed: int, turns: int, error: float) -> PositionsHead:
    """The first line of the files that will be made."""
    return PositionsHead(
        format=KIND.format,
        ruleset=game.ruleset,
        version=__version__,
        licence="MIT",
        evaluator=evaluator.name,
        evaluator_sha256=evaluator.sha256,
        seed=seed,
        turns=turns,
        error=error,
        shares={},
        count=0,
        size_bytes=0,
    )


def _part(game: TablesGame, evaluator: Evaluator, head: PositionsHead, part: Sequence[Any]) -> list[ExamPosition]:
    return [judged(game, evaluator, head, one) for one in part]
