"""A training from its first game to its weights: what `arena train` does in its folder."""

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Final

import msgspec
import numpy as np

from arena.analysis.arrays import STATE_BYTES
from arena.analysis.evaluator import Evaluator, ways_of
from arena.analysis.files import SUFFIX, read_evaluator, write_evaluator
from arena.analysis.headed_files import (
    EvaluatorError,
    Kind,
    Sha256,
    damaged,
    read_headed,
    write_headed,
)
from arena.analysis.processes import in_processes
from arena.analysis.races import table_for
from arena.games.tables.game import TablesGame
from arena.lab.checkpoint import read_checkpoint, states_of, write_checkpoint
from arena.lab.strength import Beginner, Score, duel
from arena.lab.supervision import (
    SIEVE_ROLLS,
    Lesson,
    Seed,
    Taught,
    Valuer,
    deeper,
    every_turn,
    learn_from,
    lessons,
    played_out,
    sieve_of,
)
from arena.lab.training import LabPlanError, Training, TrainingPlan, plan_of
from arena.regular_files import read_regular

SCORES: Final = 40
"""How often the strength is measured on the way."""
PAIRS: Final = 100
LAST_PAIRS: Final = 1000
"""Pairs against the beginner on the way, and at the end."""
PART: Final = 10_000
"""Positions of a generation that are made in one go; each part has games of its own."""
WIDE: Final = 512
"""The width from which a network gets a sieve: a smaller one costs little more than that."""
PASSES: Final = 20
RATES: Final = (3e-3, 2e-5)
"""Over what this generation and the one before have seen: the passes, and the rate of the first and
of the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Progress of a training; a line of `progress.jsonl`."""

    stage: str
    """`self-play`, then `generation 1` and so on, `playing out`, `sieve` for wide networks, in the
    end `done`."""
    share: float
    """Of this stage, from 0 to 1."""
    round: int
    games: Annotated[int, msgspec.Meta(ge=0)]
    turns: int
    """Of self-play, as rounds and games."""
    seconds: float
    """Spent on the training, over all its starts."""
    loss: float | None = None
    """Of the last round: the mean cross-entropy in nats."""
    points: float | None = None
    """A game against the beginner."""
    half_width: float | None = None
    """Of the interval of 95 % of the points."""
    sha256: str | None = None
    """Of the weights, when they are done."""


class LessonsHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line of a file of a generation; then positions, which of them begin decisions, and probabilities."""

    format: int
    shape: tuple[int, int]
    """Positions, and probabilities of each."""
    sha256: Sha256
    """Of what follows."""


LESSONS: Final = Kind(
    what="file of a training", format=3, head=LessonsHead, advice="remove it to look again"
)


class Course:
    """The folder of a training: the plan, a checkpoint, `progress.jsonl`, a folder a generation, then the weights."""

    def __init__(self, plan: TrainingPlan, folder: Path, begin: Evaluator | None = None) -> None:
        """`begin` is what the plan begins with, if it does not begin from nothing.

        Raises `LabPlanError` if the folder belongs to another plan, or a file in it cannot be read.
        """
        self.plan, self.folder, self._first = plan, folder, begin
        self.weights = folder / (plan.name + SUFFIX)
        self._plan, self._checkpoint = folder / "plan.json", folder / "checkpoint"
        self._progress = folder / "progress.jsonl"
        if self._plan.exists():
            other = plan_of(_text(self._plan))
            if other != plan:
                raise LabPlanError(
                    f"{folder} holds another training: {_difference(other, plan)}; give another --out"
                )
        elif folder.exists() and any(folder.iterdir()):
            raise LabPlanError(f"{folder} is not empty and holds no training; give another --out")
        self._tables = plan.tables()
        self._rules = [table.rules for table in self._tables]
        self._begun = 0.0

    def stages(self) -> list[Stage]:
        """Return the stages told so far; raises `LabPlanError` for a file that is damaged."""
        if not self._progress.exists():
            return []
        lines = _text(self._progress).splitlines()
        try:
            return [msgspec.json.decode(line, type=Stage) for line in lines if line.endswith("}")]
        except (msgspec.MsgspecError, RecursionError) as error:
            raise LabPlanError(
                f"{self._progress} is damaged ({error}); remove it, or give another --out"
            ) from None

    def run(self, tell: Callable[[Stage], None], workers: int = 1) -> list[Stage]:
        """Go on from wherever it was; does nothing if it is done.

        Raises `LabPlanError` for a damaged checkpoint.
        """
        told = self.stages()
        if told and told[-1].stage == "done":
            return told
        training = Training(self.plan, self._first)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._plan.write_text(self.plan.text(), encoding="utf-8")
        if self._checkpoint.exists():
            training = read_checkpoint(self.plan, self._checkpoint)
        self._begun = time.monotonic() - (told[-1].seconds if told else 0.0)
        told = [
            stage
            for stage in told
            if stage.round <= training.done.number and stage.stage == "self-play"
        ]
        for stage in self._stages(training, workers):
            told.append(stage)
            self._progress.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in told))
            tell(stage)
        return told

    def _stages(self, training: Training, workers: int) -> Iterator[Stage]:
        every, next_score = self.plan.games / SCORES, float(training.done.games)
        while not training.is_over:
            training.play_round()
            write_checkpoint(training, self._checkpoint)
            score = None
            if training.done.games >= next_score or training.is_over:
                score = self._score(training.evaluator, PAIRS)
                next_score = training.done.games + every
            yield self._stage(training, "self-play", training.done.games / self.plan.games, score)
        training.evaluator = replace(training.evaluator, table=table_for(self._rules[0]))
        valuers: list[Valuer] = [deeper] * self.plan.generations
        if self.plan.played_out:
            valuers.append(played_out)
        before: list[Taught] = []
        for number, value in enumerate(valuers, 1):
            name = "playing out" if value is played_out else f"generation {number}"
            folder = self.folder / f"generation-{number}"
            wanted = self.plan.played_out if value is played_out else self.plan.positions
            made: list[Taught] = []
            make = partial(lessons, value=value)
            for part, share in self._made(
                training, folder, wanted, (self.plan.seed, number), make, workers
            ):
                made.append(part)
                yield self._stage(training, name, 0.9 * share, None)
            before = self._learn(training, folder, before, made, workers)
            yield self._stage(training, name, 1.0, self._score(training.evaluator, PAIRS))
        if max(self.plan.hidden, default=0) >= WIDE:
            taught: list[Taught] = []
            rolls = min(SIEVE_ROLLS, self.plan.positions)
            folder = self.folder / "sieve"
            for part, share in self._made(
                training, folder, rolls, (self.plan.seed,), every_turn, workers
            ):
                taught.append(part)
                yield self._stage(training, "sieve", 0.6 * share, None)
            sieve = sieve_of(training.evaluator, taught, self.plan.seed, workers)
            training.evaluator = replace(training.evaluator, sieve=sieve)
            yield self._stage(training, "sieve", 1.0, None)
        sha256 = write_evaluator(
            replace(training.evaluator, name=self.plan.name), self._rules, self.weights
        )
        score = self._score(training.evaluator, LAST_PAIRS)
        yield replace(self._stage(training, "done", 1.0, score), sha256=sha256)

    def _learn(
        self,
        training: Training,
        folder: Path,
        before: list[Taught],
        made: list[Taught],
        workers: int,
    ) -> list[Taught]:
        """Learn the positions of a generation and those of the one before; return the former by ruleset."""
        newest: list[Taught] = []
        for rules in self._rules:
            seen = [part for part in made if part.rules == rules]
            states = [state for part in seen for state in part.states]
            begins = np.concatenate([part.begins for part in seen])
            newest.append(
                Taught(rules, states, begins, np.concatenate([part.targets for part in seen]))
            )
        learnt = folder / ("learnt" + SUFFIX)
        if not learnt.exists():
            taught = [*before, *(one._replace(times=2) for one in newest)]
            learn_from(training.evaluator, taught, PASSES, RATES, self.plan.seed, workers)
            write_evaluator(replace(training.evaluator, name="learnt"), self._rules, learnt)
        training.evaluator = read_evaluator(learnt)
        return newest

    def _made(
        self, training: Training, folder: Path, number: int, seed: Seed, make: Lesson, workers: int
    ) -> Iterator[tuple[Taught, float]]:
        """Make lessons of so many positions or rolls, in parts, under each ruleset in turn.

        Each comes with the share that is done.
        """
        folder.mkdir(exist_ok=True)
        wanted = number // len(self._tables)
        parts = -(-wanted // PART)
        done = 0
        for place, table in enumerate(self._tables):
            files = {folder / f"{place}-{part:04}": (*seed, place, part) for part in range(parts)}
            under = training.evaluator.under(table.rules)
            for part in self._parts(
                files, partial(make, table, under, -(-wanted // parts)), table, workers
            ):
                done += 1
                yield part, done / parts / len(self._tables)

    def _parts(
        self,
        files: Mapping[Path, Seed],
        make: Callable[[Seed], Taught],
        table: TablesGame,
        workers: int,
    ) -> Iterator[Taught]:
        """Positions and what is to be learnt of them; parts whose files are there are not made again."""
        there = [*takewhile(Path.exists, files)]
        yield from (self._read(path, table) for path in there)
        missing = [*files][len(there) :]
        for file, made in zip(
            missing, in_processes(make, [files[file] for file in missing], workers), strict=True
        ):
            packed = b"".join(state.to_bytes(STATE_BYTES, "little") for state in made.states)
            numbers = packed + made.begins.tobytes() + made.targets.astype("<f4").tobytes()
            sha256 = hashlib.sha256(numbers).hexdigest()
            write_headed(
                LessonsHead(format=LESSONS.format, shape=made.targets.shape, sha256=sha256),
                numbers,
                file,
            )
            yield made

    def _read(self, path: Path, table: TablesGame) -> Taught:
        """Positions and what is to be learnt of them; raises `LabPlanError` for a file that is damaged."""
        width = 2 * len(ways_of(self._rules[0]))

        def size_of(head: LessonsHead) -> int:
            if head.shape[0] < 0 or head.shape[1] != width:
                raise ValueError(
                    f"it has {head.shape[0]} positions with {head.shape[1]} probabilities; expected {width}"
                )
            return head.shape[0] * (STATE_BYTES + 1 + 4 * width)

        try:
            head, packed, _ = read_headed(path, LESSONS, size_of)
            if head.sha256 != hashlib.sha256(packed).hexdigest():
                raise damaged(
                    path, LESSONS, "its content does not have the SHA-256 that its first line says"
                )
            number = head.shape[0]
            states, rest = packed[: number * STATE_BYTES], packed[number * STATE_BYTES :]
            begins = np.frombuffer(rest[:number], dtype=np.uint8) != 0
            targets = (
                np.frombuffer(rest[number:], dtype="<f4").astype(np.float32).reshape(head.shape)
            )
            if not ((targets >= 0) & (targets <= 1.01)).all():
                raise damaged(path, LESSONS, "it has numbers that are no probabilities")
            return Taught(table.rules, states_of(states), begins, targets)
        except EvaluatorError as error:
            raise LabPlanError(str(error)) from None
        except ValueError as error:
            raise LabPlanError(str(damaged(path, LESSONS, str(error)))) from None

    def _score(self, evaluator: Evaluator, pairs: int) -> Score:
        """Against the beginner, under the first of the rulesets; always with the same dice."""
        table = self._tables[0]
        return duel(table, evaluator.under(table.rules), Beginner(table.rules), pairs, seed=0)

    def _stage(self, training: Training, stage: str, share: float, score: Score | None) -> Stage:
        return Stage(
            stage=stage,
            share=min(share, 1.0),
            round=training.done.number,
            games=training.done.games,
            turns=training.done.turns,
            seconds=time.monotonic() - self._begun,
            loss=training.done.loss,
            points=score.mean if score else None,
            half_width=score.half_width if score else None,
        )


def _text(path: Path) -> str:
    """A file of the folder; raises `LabPlanError` if it cannot be read."""
    try:
        return read_regular(path).decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise LabPlanError(
            f"{path} cannot be read ({reason}); remove it, or give another --out"
        ) from None


_TOLD: Final = "name", "begin", "games", "generations", "positions", "played_out", "seed", "hidden"


def _difference(other: TrainingPlan, plan: TrainingPlan) -> str:
    differences = []
    for name in _TOLD:
        there, here = getattr(other, name), getattr(plan, name)
        if there != here:
            differences.append(f"{name} {there!r} instead of {here!r}")
    return ", ".join(differences) or "another ruleset"
