"""A training as a file, so that it can be killed at any moment and go on as if nothing had happened."""

import hashlib
from dataclasses import astuple
from itertools import islice
from pathlib import Path
from typing import Annotated, Final

import msgspec
import numpy as np
from msgspec import Meta

from arena.analysis.arrays import STATE_BYTES, Floats, counts_of
from arena.analysis.headed_files import EvaluatorError, Kind, damaged, read_headed, write_headed
from arena.analysis.network import is_finite
from arena.analysis.search import LONGEST
from arena.games.tables.board import CHECKERS, OFF
from arena.games.tables.game import TablesGame
from arena.games.tables.position import from_state, swapped
from arena.lab import training as lab
from arena.lab.self_play import OpenGame, Played
from arena.lab.training import LabPlanError, Training, TrainingPlan, TrainingRound

Count = Annotated[int, Meta(ge=0, le=2**53)]
Turns = Annotated[int, Meta(ge=0, le=LONGEST)]


class CheckpointHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line."""

    format: int
    plan: str
    """As `Plan.text` gives it."""
    done: tuple[Count, Count, Count, float]
    """The fields of `TrainingRound`."""
    steps: tuple[Count, ...]
    """Of the optimisers."""
    kept: tuple[tuple[Turns, Count], ...]
    """For each game of the round before, how many positions it has, and the number of the way it
    ended."""
    boards: tuple[Turns, ...]
    """How many positions each game has that goes on."""
    sha256: str
    """Of the numbers, in hexadecimal."""


KIND: Final = Kind(
    what="checkpoint of a training",
    format=2,
    head=CheckpointHead,
    advice="remove it to begin again, or give another --out",
)


def write_checkpoint(training: Training, path: Path) -> None:
    """Write everything that the next round depends on; the file is whole at every moment."""
    kept = [game.states for game in training.kept]
    boards = [board.states for table in training.tables for board in table.boards]
    numbers = b"".join(array.astype("<f4").tobytes() for array in _learnt(training))
    numbers += b"".join(
        state.to_bytes(STATE_BYTES, "little") for states in (*kept, *boards) for state in states
    )
    ways = [training.evaluator.ways.index(game.way) for game in training.kept]
    head = CheckpointHead(
        format=KIND.format,
        plan=training.plan.text(),
        done=astuple(training.done),
        steps=tuple(adam.steps for adam in training.adams.values()),
        kept=tuple(zip(map(len, kept), ways, strict=True)),
        boards=tuple(map(len, boards)),
        sha256=hashlib.sha256(numbers).hexdigest(),
    )
    write_headed(head, numbers, path)


def read_checkpoint(plan: TrainingPlan, path: Path) -> Training:
    """The training as it was; raises `LabPlanError` if the file is damaged or of another plan or version."""
    training = Training(plan)
    try:
        head, numbers, _ = read_headed(path, KIND, lambda head: _size_of(head, training))
        if head.sha256 != hashlib.sha256(numbers).hexdigest():
            raise damaged(path, KIND, "its numbers do not have the SHA-256 of its first line")
        try:
            _restore(training, head, numbers)
        except ValueError as error:
            raise damaged(path, KIND, str(error)) from None
    except EvaluatorError as error:
        raise LabPlanError(str(error)) from None
    return training


def _size_of(head: CheckpointHead, training: Training) -> int:
    """The bytes of the numbers; raises `ValueError` for a line that the training cannot have written."""
    if head.plan != training.plan.text():
        raise ValueError("it is of another plan")
    boards = sum(len(table.boards) for table in training.tables)
    if (len(head.steps), len(head.boards)) != (len(training.adams), boards):
        raise ValueError(
            f"it has {len(head.steps)} optimisers and {len(head.boards)} games that go on; "
            f"expected {len(training.adams)} and {boards}"
        )
    kept = sum(turns for turns, _ in head.kept)
    most = (
        lab.POSITIONS + lab.BOARDS * LONGEST
    )  # the last turn may end all games, each with the most turns
    if kept > most:
        raise ValueError(
            f"it has {kept:,} positions of the round before; a round has at most {most:,}"
        )
    ways = training.evaluator.ways
    if any(way >= len(ways) for _, way in head.kept):
        raise ValueError(f"it has a game that ended in a way beyond the {len(ways)} that there are")
    weights = sum(array.size for array in _learnt(training))
    return 4 * weights + STATE_BYTES * (kept + sum(head.boards))


def _restore(training: Training, head: CheckpointHead, numbers: bytes) -> None:
    """Take over what was read; raises `ValueError` for numbers that the training cannot have written."""
    learnt = _learnt(training)
    ends = np.cumsum([array.size for array in learnt])
    for array, part in zip(
        learnt, np.split(np.frombuffer(numbers, "<f4", ends[-1]), ends[:-1]), strict=True
    ):
        array[:] = part.reshape(array.shape)
    networks = training.evaluator.networks.values()
    squares = [square for adam in training.adams.values() for square in adam.squares]
    if not (all(map(is_finite, networks)) and all(np.isfinite(array).all() for array in learnt)):
        raise ValueError("it has weights that are no numbers, or too large to compute with")
    if any((square < 0).any() for square in squares):
        raise ValueError("it has squares below zero")
    for adam, steps in zip(training.adams.values(), head.steps, strict=True):
        adam.steps = steps
    states = iter(states_of(numbers[4 * ends[-1] :]))
    training.kept = [
        Played(list(islice(states, turns)), training.evaluator.ways[way])
        for turns, way in head.kept
    ]
    turns = iter(head.boards)
    for table in training.tables:
        table.boards = [_board(table.game, list(islice(states, next(turns)))) for _ in table.boards]
    training.done = TrainingRound(*head.done)


def _learnt(training: Training) -> list[Floats]:
    """Return what is learnt: weights, and the state of the optimisers."""
    networks = training.evaluator.networks.values()
    return [
        *(array for network in networks for array in network.arrays),
        *(array for adam in training.adams.values() for array in adam.means),
        *(array for adam in training.adams.values() for array in adam.squares),
    ]


def states_of(packed: bytes) -> list[int]:
    """The positions; raises `ValueError` if a side of one has not 15 checkers."""
    states = [
        int.from_bytes(packed[begin : begin + STATE_BYTES], "little")
        for begin in range(0, len(packed), STATE_BYTES)
    ]
    counts = counts_of(states)
    if (counts[:, : OFF + 1].sum(axis=1) != CHECKERS).any():
        raise ValueError(f"it has a position in which a side has not {CHECKERS} checkers")
    return states


def _board(game: TablesGame, states: list[int]) -> OpenGame:
    """A game that goes on; raises `ValueError` for a position that the game does not know."""
    if not states:
        return OpenGame(game.start())
    last = from_state(swapped(states[-1]), game.rules.layout)
    if game.from_plain(game.to_plain(last)) != last:
        raise ValueError(f"it has a position that cannot be in {game.name}")
    return OpenGame(last, states)
