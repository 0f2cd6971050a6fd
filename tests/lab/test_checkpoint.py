"""What a training finds in its folder is what a training has written there, or one error that names the file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.analysis.arrays import STATE_BYTES
from arena.games.tables.board import BOUND
from arena.lab import training
from arena.lab.checkpoint import read_checkpoint, write_checkpoint
from arena.lab.course import Course
from arena.lab.training import LabPlanError, Training, TrainingPlan, rulesets_with_options
from tests.fixtures.small_evaluators import tables_game

VASA = tables_game("vasa")
PLAN = TrainingPlan(
    name="mine",
    rulesets=rulesets_with_options("vasa"),
    seed=11,
    games=20,
    generations=1,
    positions=30,
    played_out=8,
    hidden=(4, 2),
)


@pytest.fixture(autouse=True, scope="module")
def short() -> Iterator[None]:
    """Rounds of some games."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "BOARDS", 4)
        patch.setattr(training, "POSITIONS", 200)
        for name, number in (("PAIRS", 2), ("LAST_PAIRS", 2), ("PART", 10)):
            patch.setattr(f"arena.lab.course.{name}", number)
        yield


@pytest.fixture(scope="module")
def made(short: None, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The checkpoint after a round, with games that go on."""
    played = Training(PLAN)
    played.play_round()
    path = tmp_path_factory.mktemp("training") / "checkpoint"
    write_checkpoint(played, path)
    assert json.loads(path.read_bytes().partition(b"\n")[0])["boards"][-1] > 0
    return path.read_bytes()


@pytest.fixture
def written(tmp_path: Path, made: bytes) -> Path:
    """A copy of the checkpoint, to be damaged."""
    path = tmp_path / "checkpoint"
    path.write_bytes(made)
    return path


def change(path: Path, numbers: bytes | None = None, **fields: Any) -> None:
    """Write other fields or other numbers into a checkpoint, with the hash that goes with them."""
    line, _, before = path.read_bytes().partition(b"\n")
    numbers = before if numbers is None else numbers
    head = json.loads(line) | {"sha256": hashlib.sha256(numbers).hexdigest()} | fields
    path.write_bytes(json.dumps(head).encode() + b"\n" + numbers)


def problem(path: Path) -> str:
    """The error of a checkpoint that is refused; it names the file and says what to do."""
    with pytest.raises(LabPlanError) as caught:
        read_checkpoint(PLAN, path)
    told = str(caught.value)
    assert told.startswith(str(path))
    assert told.endswith("give another --out")
    return told


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"plan": "{}"}, "it is of another plan"),
        ({"steps": [1]}, "it has 1 optimisers and 4 games that go on; expected 2 and 4"),
        ({"steps": [1, -1]}, "Expected `int` >= 0"),
        ({"boards": [0] * 5}, "it has 2 optimisers and 5 games that go on; expected 2 and 4"),
        ({"boards": [0, 0, 0, 801]}, "Expected `int` <= 800"),
        (
            {"kept": [[800, 0]] * 5},
            "it has 4,000 positions of the round before; a round has at most 3,400",
        ),
        ({"kept": [[1, 12]]}, "a way beyond the 12 that there are"),
        ({"kept": [[1, -1]]}, "Expected `int` >= 0"),
        ({"done": [1, 2, 3]}, "Expected `array` of length 4 - at `$.done`"),
        ({"format": 1}, "has format 1; this version reads format 2"),
        ({"another": 1}, "unknown field `another`"),
        ({"sha256": ""}, "its numbers do not have the SHA-256 of its first line"),
    ],
)
def test_a_line_of_no_training_is_refused(written: Path, fields: dict[str, Any], told: str) -> None:
    change(written, **fields)
    assert told in problem(written)


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (np.nan, "weights that are no numbers"),
        (np.inf, "weights that are no numbers"),
        (3e38, "or too large"),
    ],
)
def test_weights_that_cannot_be_computed_with_are_refused(
    written: Path, number: float, told: str
) -> None:
    numbers = written.read_bytes().partition(b"\n")[2]
    change(written, np.float32(number).tobytes() + numbers[4:])
    assert told in problem(written)


def test_squares_below_zero_are_refused(written: Path) -> None:
    numbers = bytearray(written.read_bytes().partition(b"\n")[2])
    weights = sum(array.size for adam in Training(PLAN).adams.values() for array in adam.arrays)
    numbers[8 * weights : 8 * weights + 4] = np.float32(-1).tobytes()
    change(written, bytes(numbers))
    assert "squares below zero" in problem(written)


def test_positions_that_cannot_be_are_refused(written: Path) -> None:
    numbers = written.read_bytes().partition(b"\n")[2]
    change(written, numbers[:-STATE_BYTES] + bytes(STATE_BYTES))
    assert "a position in which a side has not 15 checkers" in problem(written)
    together = 15 << 4 * 24 | 15 << 4 * (28 + 12)  # the opponent's 12 is the mover's 24
    change(written, numbers[:-STATE_BYTES] + together.to_bytes(STATE_BYTES, "little"))
    assert "checkers must be 15 in all, bar and off included; found 0" in problem(written)
    bound = VASA.start().state | 1 << 4 * BOUND
    change(written, numbers[:-STATE_BYTES] + bound.to_bytes(STATE_BYTES, "little"))
    assert "a position that cannot be in vasa" in problem(written)


def hashed(line: bytes, numbers: bytes) -> bytes:
    """A file of a generation with other numbers, and their hash in its line."""
    head = json.loads(line) | {"sha256": hashlib.sha256(numbers).hexdigest()}
    return json.dumps(head).encode() + b"\n" + numbers


@pytest.mark.soak
def test_other_files_of_the_folder_are_checked_too(tmp_path: Path) -> None:

    class StoppedError(Exception):
        pass

    def stop(stage: Any) -> None:
        if stage.stage == "generation 1":
            raise StoppedError

    with pytest.raises(StoppedError):
        Course(PLAN, tmp_path).run(stop)
    seen, told = tmp_path / "generation-1" / "0-0000", tmp_path / "progress.jsonl"
    good = seen.read_bytes()
    line, _, numbers = good.partition(b"\n")
    rows = json.loads(line)["shape"][0]
    assert rows > 4
    for content, problem_told in (
        (b"\x93NUMPY", "is no file of a training: its first line cannot be read"),
        (
            good[:-1],
            f"is damaged: {len(numbers) - 1:,} bytes of numbers, expected {len(numbers):,}",
        ),
        (
            good.replace(b",24]", b",23]"),
            f"cannot be used: it has {rows} positions with 23 probabilities; expected 24",
        ),
        (
            good.replace(b"[%d,24]" % rows, b"[-1,24]"),
            "cannot be used: it has -1 positions with 24 probabilities",
        ),
        (
            good[:-1] + b"!",
            "is damaged: its content does not have the SHA-256 that its first line says",
        ),
        (
            hashed(line, bytes(STATE_BYTES) + numbers[STATE_BYTES:]),
            "is damaged: it has a position in which a side",
        ),
        (
            hashed(line, numbers[:-4] + np.float32(np.nan).tobytes()),
            "is damaged: it has numbers that are no probabilities",
        ),
    ):
        seen.write_bytes(content)
        with pytest.raises(
            LabPlanError, match=rf"generation-1/0-0000 {problem_told}.*remove it to look again"
        ):
            Course(PLAN, tmp_path).run(lambda _: None)
    seen.write_bytes(good)
    for content in (b"{}\n", b"\xff\n", told.read_bytes().replace(b'"games":', b'"games":-')):
        told.write_bytes(content)
        with pytest.raises(
            LabPlanError, match=r"progress\.jsonl (is damaged|cannot be read) .*give another --out"
        ):
            Course(PLAN, tmp_path).run(lambda _: None)
