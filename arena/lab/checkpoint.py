"""A training as a file, so that it can be killed at any moment and goes on from there."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import astuple
from itertools import islice
from pathlib import Path
from typing import Annotated, Final

import msgspec
import numpy as np
from msgspec import Meta

from arena.analysis.arrays import (
    STATE_BYTES,
    Floats,
    counts_of,
)
from arena.analysis.headed_files import (
    EvaluatorError,
    Kind,
    damage_error,
    read_headed,
    write_headed,
)
from arena.analysis.network import is_finite
from arena.analysis.search import LONGEST
from arena.games.tables.board import CHECKERS, OFF
from arena.games.tables.game import TablesGame
from arena.games.tables.position import from_state, swapped
from arena.lab import training as lab
from arena.lab.self_play import GameOfItself, Played
from arena.lab.training import (
    LabPlanError,
    Training,
    TrainingPlan,
    TrainingRound,
)

Count = Annotated[
    int,
    Meta(
        ge=0,
        le=2**53,
    ),
]
Turns = Annotated[
    int,
    Meta(
        ge=0,
        le=LONGEST,
    ),
]


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
    """For each game of the round before, the number of its positions, and the number of its
    ending."""
    boards: tuple[Turns, ...]
    """The number of positions of each game that goes on."""
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
    numbers = [array.astype("<f4").tobytes() for array in _learnt_arrays(training)]
    kept = []
    for game in training.kept:
        numbers.append(pack_states(game.states))
        kept.append((len(game.states), training.evaluator.ways.index(game.way)))
    boards = []
    for table in training.tables:
        for board in table.boards:
            numbers.append(pack_states(board.states))
            boards.append(len(board.states))
    content = b"".join(numbers)
    head = CheckpointHead(
        format=KIND.format,
        plan=training.plan.text(),
        done=astuple(training.done),
        steps=tuple(adam.steps for adam in training.adams.values()),
        kept=tuple(kept),
        boards=tuple(boards),
        sha256=hashlib.sha256(content).hexdigest(),
    )
    write_headed(head, content, path)


def pack_states(states: Iterable[int]) -> bytes:
    """Pack positions, each in as many bytes."""
    return b"".join(state.to_bytes(STATE_BYTES, "little") for state in states)


def read_checkpoint(plan: TrainingPlan, path: Path) -> Training:
    """Return the training as it was.

    Raises `LabPlanError` if the file is damaged, or of another plan or version.
    """
    training = Training(plan)
    try:
        head, numbers, _ = read_headed(path, KIND, lambda head: _size_of(head, training))
        if head.sha256 != hashlib.sha256(numbers).hexdigest():
            raise damage_error(path, KIND, "its numbers do not have the SHA-256 of its first line")
        try:
            _restore(training, head, numbers)
        except ValueError as error:
            raise damage_error(path, KIND, str(error)) from None
    except EvaluatorError as error:
        raise LabPlanError(str(error)) from None
    return training


def _size_of(head: CheckpointHead, training: Training) -> int:
    """Return the bytes of the numbers.

    Raises `ValueError` for a line that the training cannot have written.
    """
    if head.plan != training.plan.text():
        raise ValueError("it is of another plan")
    boards = sum(len(table.boards) for table in training.tables)
    if (len(head.steps), len(head.boards)) != (len(training.adams), boards):
        raise ValueError(
            f"it has {len(head.steps)} optimisers and {len(head.boards)} games that go on; "
            f"expected {len(training.adams)} and {boards}"
        )
    kept = sum(turns for turns, _ in head.kept)
    # The last turn may end all games, each with the most turns.
    most = lab.POSITIONS + lab.BOARDS * LONGEST
    if kept > most:
        raise ValueError(
            f"it has {kept:,} positions of the round before; a round has at most {most:,}"
        )
    ways = training.evaluator.ways
    if any(number >= len(ways) for _, number in head.kept):
        raise ValueError(f"it has a game that ended in a way beyond the {len(ways)} that there are")
    weights = sum(array.size for array in _learnt_arrays(training))
    return 4 * weights + STATE_BYTES * (kept + sum(head.boards))


def _restore(training: Training, head: CheckpointHead, numbers: bytes) -> None:
    """Restore the training from its numbers.

    Raises `ValueError` for numbers that the training cannot have written.
    """
    weights_bytes = _restore_learnt(training, head, numbers)
    # The positions of the games of the round before, then those of the games that go on.
    states = iter(unpack_states(numbers[weights_bytes:]))
    training.kept = []
    for turns, way_number in head.kept:
        game = Played(list(islice(states, turns)), training.evaluator.ways[way_number])
        training.kept.append(game)
    _restore_boards(training, head, states)
    training.done = TrainingRound(*head.done)


def _restore_learnt(training: Training, head: CheckpointHead, numbers: bytes) -> int:
    """Restore the weights and the optimisers; return how many bytes they take."""
    learnt = _learnt_arrays(training)
    ends = np.cumsum([array.size for array in learnt])
    packed = np.frombuffer(numbers, "<f4", ends[-1])
    parts = np.split(packed, ends[:-1])
    for array, part in zip(learnt, parts, strict=True):
        array[:] = part.reshape(array.shape)
    _check_learnt(training, learnt)
    for adam, steps in zip(training.adams.values(), head.steps, strict=True):
        adam.steps = steps
    return packed.nbytes


def _restore_boards(training: Training, head: CheckpointHead, states: Iterator[int]) -> None:
    """Restore the games that go on, table by table."""
    begin = 0
    for table in training.tables:
        end = begin + len(table.boards)
        boards = []
        for turns in head.boards[begin:end]:
            earlier = list(islice(states, turns))
            boards.append(_board(table.game, earlier))
        table.boards = boards
        begin = end


def _check_learnt(training: Training, learnt: list[Floats]) -> None:
    """Raise `ValueError` for numbers that a training cannot have learnt."""
    networks = training.evaluator.networks.values()
    are_finite = all(map(is_finite, networks))
    if not are_finite or not all(np.isfinite(array).all() for array in learnt):
        raise ValueError("it has weights that are no numbers, or too large to compute with")
    for adam in training.adams.values():
        if any((square < 0).any() for square in adam.squares):
            raise ValueError("it has squares below zero")


def _learnt_arrays(training: Training) -> list[Floats]:
    """Return everything that was learnt: weights, and the state of the optimisers."""
    arrays: list[Floats] = []
    for network in training.evaluator.networks.values():
        arrays += network.arrays
    for adam in training.adams.values():
        arrays += adam.means
    for adam in training.adams.values():
        arrays += adam.squares
    return arrays


def unpack_states(packed: bytes) -> list[int]:
    """Unpack positions; raises `ValueError` if a side of one has not 15 checkers."""
    states = []
    for begin in range(0, len(packed), STATE_BYTES):
        state = packed[begin : begin + STATE_BYTES]
        states.append(int.from_bytes(state, "little"))
    counts = counts_of(states)
    if (counts[:, : OFF + 1].sum(axis=1) != CHECKERS).any():
        raise ValueError(f"it has a position in which a side has not {CHECKERS} checkers")
    return states


def _board(game: TablesGame, states: list[int]) -> GameOfItself:
    """Return a game that goes on; raises `ValueError` for a position that it cannot have."""
    if not states:
        return GameOfItself(game.start())
    last = from_state(swapped(states[-1]), game.rules.layout)
    if game.from_plain(game.to_plain(last)) != last:
        raise ValueError(f"it has a position that cannot be in {game.name}")
    return GameOfItself(last, states)
