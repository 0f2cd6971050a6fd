"""Files of lessons: positions, which of them begin decisions, and what a network learns of each."""

import hashlib
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from arena.analysis.arrays import STATE_BYTES
from arena.analysis.headed_files import (
    EvaluatorError,
    Kind,
    Sha256,
    damage_error,
    read_headed,
    write_headed,
)
from arena.games.tables.ruleset import Ruleset
from arena.lab.checkpoint import pack_states, unpack_states
from arena.lab.supervision import Lessons
from arena.lab.training import LabPlanError


class LessonsHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line; positions, their marks as first of a decision, and probabilities follow."""

    format: int
    shape: tuple[int, int]
    """Positions, and probabilities of each."""
    sha256: Sha256
    """The hash of the bytes that follow."""


KIND: Final = Kind(
    what="file of lessons", format=3, head=LessonsHead, advice="remove it to look again"
)
MARK_BYTES: Final = 1
PROBABILITY_BYTES: Final = 4


def write_lessons(lessons: Lessons, path: Path) -> None:
    """Write lessons; the file is whole at every moment."""
    numbers = (
        pack_states(lessons.states)
        + lessons.begins.tobytes()
        + lessons.targets.astype("<f4").tobytes()
    )
    head = LessonsHead(
        format=KIND.format,
        shape=lessons.targets.shape,
        sha256=hashlib.sha256(numbers).hexdigest(),
    )
    write_headed(head, numbers, path)


def read_lessons(path: Path, rules: Ruleset, width: int) -> Lessons:
    """Read lessons under a ruleset with `width` probabilities per position.

    Raises `LabPlanError` for a file that is damaged.
    """

    def size_of(head: LessonsHead) -> int:
        """Return the bytes that follow this line; raises `ValueError` for a line that is wrong."""
        positions, probabilities = head.shape
        if positions < 0 or probabilities != width:
            raise ValueError(
                f"it has {positions} positions with {probabilities} probabilities; expected {width}"
            )
        return positions * (STATE_BYTES + MARK_BYTES + PROBABILITY_BYTES * width)

    try:
        head, numbers, _ = read_headed(path, KIND, size_of)
        return _unpack(head, numbers, rules)
    except EvaluatorError as error:
        raise LabPlanError(str(error)) from None
    except ValueError as error:
        raise LabPlanError(str(damage_error(path, KIND, str(error)))) from None


def _unpack(head: LessonsHead, numbers: bytes, rules: Ruleset) -> Lessons:
    """Unpack lessons; raises `ValueError` for numbers that cannot be lessons."""
    if head.sha256 != hashlib.sha256(numbers).hexdigest():
        raise ValueError("its content does not have the SHA-256 that its first line says")
    positions, _ = head.shape
    states_end = positions * STATE_BYTES
    begins_end = states_end + positions * MARK_BYTES
    states = unpack_states(numbers[:states_end])
    begins = np.frombuffer(numbers[states_end:begins_end], dtype=np.uint8) != 0
    probabilities = np.frombuffer(numbers[begins_end:], dtype="<f4")
    targets = probabilities.astype(np.float32).reshape(head.shape)
    if not ((targets >= 0) & (targets <= 1.01)).all():
        raise ValueError("it has numbers that are no probabilities")
    return Lessons(rules, states, begins, targets)
