"""Fuzzing of evaluator files: weights, tables, checkpoints and positions that are right, nearly right, or rubbish."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import pickle
import random
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from arena.analysis import EvaluatorError, read_evaluator
from arena.analysis.arrays import STATE_BYTES, counts_of
from arena.analysis.evaluator import new_evaluator
from arena.analysis.examination import read_position_set, read_positions, write_positions
from arena.analysis.files import write_evaluator
from arena.analysis.headed_files import SHIPPED
from arena.analysis.races import TABLES, read_table, write_table
from arena.games import load_game
from arena.lab import training
from arena.lab.checkpoint import read_checkpoint, write_checkpoint
from arena.lab.races import make_table
from arena.lab.self_play import returns
from arena.lab.training import LabPlanError, Training, TrainingPlan, rulesets_with_options
from tests.fuzz.mutations import other_bytes

VASA: Any = load_game("vasa")
PLAN = TrainingPlan(name="mine", rulesets=rulesets_with_options("vasa"), games=9, hidden=(4, 2))
STATES = [VASA.start().state, VASA.parse_position("20:2 24:1 off:12 | opp 10:3 off:12").state]
"""Positions for what could be read: one with contact, and one that a table of races knows."""
DEEP = '"deep"'
"""Stands in JSON where lists are nested too deep."""
NUMBERS = (
    0,
    1,
    -1,
    2,
    8,
    14,
    255,
    2**15,
    2**31,
    2**32,
    2**62,
    2**63,
    2**64,
    10**30,
    -(2**31),
    0.5,
    4.0,
    1e308,
)
OTHERS = (
    True,
    False,
    None,
    "",
    "x",
    "vasa",
    "brade-vasa-3",
    "\x1b[2J",
    "é" * 400,
    [],
    [[]],
    {},
    {"a": 1},
    "deep",
)
ODD: tuple[Any, ...] = NUMBERS + OTHERS
ODD_FLOATS = (np.nan, np.inf, -np.inf, 3e38, -3e38, 1e20, 1e-45, -1.0)
LONGEST_ERROR = 1000


class Sample(NamedTuple):
    """A good file of a kind, and how it is read and used."""

    head: dict[str, Any]
    numbers: bytes
    use: Callable[[Path], None]


def _use_weights(path: Path) -> None:
    evaluator = read_evaluator(path)
    assert np.isfinite(evaluator.points(STATES)).all()
    assert np.allclose(evaluator.probabilities(STATES).sum(axis=1), 1, atol=1e-3)


def _use_table(path: Path) -> None:
    table = read_table(path)
    counts = counts_of(STATES)
    covered = table.covers(counts)
    assert covered.tolist() == [False, True]
    chances = table.chances(counts[..., covered])
    assert ((chances >= 0) & (chances <= 1)).all()


def _use_checkpoint(path: Path) -> None:
    resumed = read_checkpoint(PLAN, path)
    for table in resumed.tables:
        list(table.step(resumed.evaluator, random.Random(1)))
    states, targets = returns(resumed.evaluator, resumed.kept, 0.8)
    assert len(states) == len(targets)


def _use_positions(path: Path) -> None:
    asked = read_position_set(path)
    for question in asked.questions:
        assert asked.place_of(question, question.turns.moves(question.best)) == question.best
    assert asked.rates([question.of.floor for question in asked.questions])["all"].mean >= 0


class FileFuzz:
    """Writes one file after the other and has it read; `cases` counts them.

    A file is read and can be used, or there is one error in one line that names it.
    """

    def __init__(self, seed: int, folder: Path) -> None:
        self._chance = random.Random(seed)
        self._folder = folder
        self.cases = 0
        self.counts: Counter[str] = Counter()
        """How they ended, by the words of the error."""
        with _short_rounds():
            self._samples = self._good()
        self._foreign = _foreign(self._samples)

    def step(self) -> None:
        """One file. Raises `AssertionError` for a broken law, and whatever should not happen."""
        sample = self._chance.choice(self._samples)
        path = self._folder / f"case-{self.cases}"
        path.write_bytes(self._content(sample))
        try:
            with _short_rounds():
                sample.use(path)
            self.counts["read"] += 1
        except (EvaluatorError, LabPlanError) as error:
            told = str(error)
            assert path.name in told, told
            assert len(told) < LONGEST_ERROR, told
            self.counts[_words(told)] += 1
        path.unlink()
        self.cases += 1

    def _good(self) -> list[Sample]:
        path = self._folder / "good"
        samples = []
        evaluator = new_evaluator("mine", VASA.rules, (4, 2), seed=1)
        sieve = new_evaluator("mine", VASA.rules, (3, 2), seed=1, is_sieve=True)
        write_evaluator(replace(evaluator, sieve=sieve), [VASA.rules], path)
        samples.append(_sample(path, _use_weights))
        write_table(make_table("small", TABLES["races-rearmost"], 3), path)
        samples.append(_sample(path, _use_table))
        played = Training(PLAN)
        played.play_round()
        write_checkpoint(played, path)
        samples.append(_sample(path, _use_checkpoint))
        head, positions, _ = read_positions(SHIPPED / "vasa.positions")
        write_positions(head, positions[:10], path)
        samples.append(_sample(path, _use_positions))
        path.unlink()
        return samples

    def _content(self, sample: Sample) -> bytes:
        """One file: another line, other numbers, other bytes, or something else."""
        chance = self._chance
        fate = chance.random()
        if fate < 0.4:
            return self._joined(self._other_head(sample), sample.numbers)
        if fate < 0.6:
            numbers = self._other_numbers(sample)
            head = sample.head | ({"sha256": _sha256(numbers)} if "sha256" in sample.head else {})
            return self._joined(head, numbers)
        if fate < 0.95:
            return other_bytes(self._chance, self._joined(sample.head, sample.numbers))
        return (
            chance.choice(self._foreign)
            if chance.random() < 0.8
            else chance.randbytes(chance.randrange(300))
        )

    def _joined(self, head: dict[str, Any], numbers: bytes) -> bytes:
        line = json.dumps(head, separators=(",", ":")).replace(DEEP, "[" * 3000 + "]" * 3000)
        if self._chance.random() < 0.05:
            line = line[:-1] + "," + line[1:]  # every name twice
        return line.encode() + b"\n" + numbers

    def _other_head(self, sample: Sample) -> dict[str, Any]:
        """A field, or something inside one, is another one, missing, there twice, or new."""
        chance = self._chance
        head = copy.deepcopy(sample.head)
        for _ in range(chance.choice((1, 1, 1, 2, 4))):
            inside: Any = head
            while True:
                keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
                if not keys:
                    break
                key = chance.choice(keys)
                if isinstance(inside[key], dict | list) and chance.random() < 0.7:
                    inside = inside[key]
                    continue
                self._change(inside, key)
                break
        return head

    def _change(self, inside: Any, key: Any) -> None:
        chance = self._chance
        fate = chance.randrange(6)
        if fate == 0:
            del inside[key]
        elif fate == 1 and isinstance(inside, list):
            inside.append(copy.deepcopy(inside[key]))
        elif fate == 1:
            inside["another"] = copy.deepcopy(inside[key])
        elif fate == 2 and type(inside[key]) is int:
            inside[key] += chance.choice((-1, 1, 7))
        elif fate == 3 and type(inside[key]) is bool:
            inside[key] = not inside[key]
        else:
            inside[key] = copy.deepcopy(chance.choice(ODD))

    def _other_numbers(self, sample: Sample) -> bytes:
        """Other numbers, mostly as many: odd ones among the first, other bits and moved checkers at the end."""
        chance = self._chance
        numbers = bytearray(sample.numbers)
        for _ in range(chance.choice((1, 1, 3, 30))):
            fate, place = chance.randrange(4), chance.randrange(len(numbers) // 4) * 4
            if fate == 0:
                numbers[place : place + 4] = np.float32(chance.choice(ODD_FLOATS)).tobytes()
            elif fate == 1:
                numbers[place : place + 4] = chance.randbytes(4)
            elif fate == 2:
                numbers[-1 - chance.randrange(600)] ^= 1 << chance.randrange(8)
            else:
                numbers[-STATE_BYTES:] = self._moved(numbers[-STATE_BYTES:])
        if chance.random() < 0.05:
            numbers = bytearray(chance.randbytes(len(numbers)))
        if chance.random() < 0.1:
            del numbers[-chance.choice((1, 4, STATE_BYTES)) :]
        return bytes(numbers)

    def _moved(self, state: bytes) -> bytes:
        """A position with one checker somewhere else, or in a slot for something else."""
        slots = list(state.hex())
        side = self._chance.choice((0, 28))
        one, other = (side + self._chance.randrange(28) for _ in range(2))
        if slots[one] != "0" and slots[other] != "f":
            slots[one] = f"{int(slots[one], 16) - 1:x}"
            slots[other] = f"{int(slots[other], 16) + 1:x}"
        return bytes.fromhex("".join(slots))


def _short_rounds() -> Any:
    """Rounds of two games, so that a training can go on in every case."""
    return patch.multiple(training, BOARDS=2, POSITIONS=1)


def _sample(path: Path, use: Callable[[Path], None]) -> Sample:
    line, _, numbers = path.read_bytes().partition(b"\n")
    return Sample(json.loads(line), numbers, use)


def _foreign(samples: list[Sample]) -> list[bytes]:
    """Files of other programs: archives with and without bombs in them, objects of Python, and each kind as another."""
    archives = []
    for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", compression) as members:
            for name in ("about.npy", "../about.npy", "kept.npy"):
                members.writestr(name, bytes(200_000))
        archives.append(archive.getvalue())
    objects = io.BytesIO()
    np.save(objects, np.array([Path, {}], dtype=object), allow_pickle=True)
    huge = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        huge, {"descr": "<f4", "fortran_order": False, "shape": (2**40,)}
    )
    whole = [json.dumps(sample.head).encode() + b"\n" + sample.numbers for sample in samples]
    lines = [
        b"",
        b"\n",
        b"[]\n",
        b"[" * 100_000 + b"\n",
        b"\x00" * 5000,
        b" " * 2_000_000,
        b'{"format":1}\n',
    ]
    return [*archives, objects.getvalue(), huge.getvalue(), pickle.dumps([Path()]), *whole, *lines]


def _sha256(numbers: bytes) -> str:
    return hashlib.sha256(numbers).hexdigest()


def _words(told: str) -> str:
    for words in (
        "is no ",
        "has format",
        "cannot be used",
        "is damaged",
        "is not brade",
        "was trained for",
    ):
        if words in told:
            return words.strip()
    return told
