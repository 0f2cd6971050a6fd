"""A training from its first game to the page about it: what `arena train` does in its folder."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from pathlib import Path
from typing import Annotated, Final

import msgspec
import numpy as np

from arena.analysis.arrays import Floats
from arena.analysis.evaluator import Evaluator
from arena.analysis.files import SUFFIX, write_evaluator
from arena.analysis.headed_files import EvaluatorError, Kind, damaged, read_headed, write_headed
from arena.games.tables.game import TablesGame
from arena.lab import training as lab
from arena.lab.checkpoint import read_checkpoint, write_checkpoint
from arena.lab.strength import Beginner, Score, duel
from arena.lab.training import LabPlanError, Training, TrainingPlan, plan_of

SCORES: Final = 40
"""How often the strength is measured on the way."""
PAIRS: Final = 100
LAST_PAIRS: Final = 1000
"""Pairs against the beginner on the way, and at the end."""
PART: Final = 2_000
"""Positions that are looked at deeper before the result is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Progress of a training; a line of `progress.jsonl`."""

    stage: str
    """`self-play`, `deeper` or `done`."""
    share: float
    """Of this stage, from 0 to 1."""
    round: int
    games: Annotated[int, msgspec.Meta(ge=1)]
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


class DeeperHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line of a file of `deeper/`, above what was seen of a part of the positions."""

    format: int
    shape: tuple[int, int]


LOOKED: Final = Kind(what="file of a training", format=1, head=DeeperHead, advice="remove it to look again")


class Course:
    """The folder of a training: the plan, a checkpoint, `progress.jsonl`, `deeper/`, in the end the weights."""

    def __init__(self, plan: TrainingPlan, folder: Path) -> None:
        """Raises `LabPlanError` if the folder belongs to another plan, or a file in it cannot be read."""
        self.plan, self.folder = plan, folder
        self.weights = folder / (plan.name + SUFFIX)
        self._plan, self._checkpoint = folder / "plan.json", folder / "checkpoint"
        self._progress, self._deeper = folder / "progress.jsonl", folder / "deeper"
        if self._plan.exists():
            other = plan_of(_text(self._plan))
            if other != plan:
                raise LabPlanError(f"{folder} holds another training: {_difference(other, plan)}; give another --out")
        elif folder.exists() and any(folder.iterdir()):
            raise LabPlanError(f"{folder} is not empty and holds no training; give another --out")
        self._tables = plan.tables()
        self._begun = 0.0

    def stages(self) -> list[Stage]:
        """Return the stages told so far; raises `LabPlanError` for a file that is damaged."""
        if not self._progress.exists():
            return []
        lines = _text(self._progress).splitlines()
        try:
            return [msgspec.json.decode(line, type=Stage) for line in lines if line.endswith("}")]
        except (msgspec.MsgspecError, RecursionError) as error:
            raise LabPlanError(f"{self._progress} is damaged ({error}); remove it, or give another --out") from None

    def run(self, tell: Callable[[Stage], None], workers: int = 1) -> list[Stage]:
        """Go on from wherever it was; does nothing if it is done. Raises `LabPlanError` for a damaged checkpoint."""
        told = self.stages()
        if told and told[-1].stage == "done":
            return told
        self.folder.mkdir(parents=True, exist_ok=True)
        self._plan.write_text(self.plan.text(), encoding="utf-8")
        training = Training(self.plan)
        if self._checkpoint.exists():
            training = read_checkpoint(self.plan, self._checkpoint)
        told = [stage for stage in told if stage.round <= training.done.number and stage.stage == "self-play"]
        self._begun = time.monotonic() - (told[-1].seconds if told else 0.0)
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
        if self.plan.deeper:
            for share in self._look_deeper(training, workers):
                yield self._stage(training, "deeper", share, None)
        sha256 = write_evaluator(training.evaluator, [table.rules for table in self._tables], self.weights)
        score = self._score(training.evaluator, LAST_PAIRS)
        yield replace(self._stage(training, "done", 1.0, score), sha256=sha256)

    def _look_deeper(self, training: Training, workers: int) -> Iterator[float]:
        """Looks at positions under each ruleset, as many as the plan says in all, and learns from them."""
        self._deeper.mkdir(exist_ok=True)
        number = self.plan.deeper // len(self._tables)
        taught: list[tuple[Evaluator, list[int], Floats]] = []
        for place, table in enumerate(self._tables):
            under = training.evaluator.under(table.rules)
            states = lab.positions(table, under, number, f"{self.plan.seed}/deeper/{place}")
            looked: list[Floats] = []
            for targets in self._parts(table, under, states, place, workers):
                looked.append(targets)
                yield (place + sum(map(len, looked)) / number) / len(self._tables)
            taught.append((under, states, np.concatenate(looked)))
        lab.learn_deeper(training.evaluator, taught, self.plan.seed)

    def _parts(
        self, table: TablesGame, under: Evaluator, states: list[int], place: int, workers: int
    ) -> Iterator[Floats]:
        parts = [states[begin : begin + PART] for begin in range(0, len(states), PART)]
        files = [self._deeper / f"{place}-{part}" for part in range(len(parts))]
        done = 0
        while done < len(files) and files[done].exists():
            yield _read_looked(files[done], (len(parts[done]), 2 * len(under.ways)))
            done += 1
        looked = lab.in_processes(partial(lab.deeper, table, under), parts[done:], workers)
        for file, targets in zip(files[done:], looked, strict=True):
            write_headed(DeeperHead(format=LOOKED.format, shape=targets.shape), targets.astype("<f4").tobytes(), file)
            yield targets

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
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LabPlanError(f"{path} cannot be read ({error}); remove it, or give another --out") from None


def _read_looked(path: Path, shape: tuple[int, int]) -> Floats:
    """Return what was seen of positions one turn deeper; raises `LabPlanError` for a file that is damaged."""

    def size_of(head: DeeperHead) -> int:
        if head.shape != shape:
            raise ValueError(f"it has {head.shape[0]} positions with {head.shape[1]} probabilities; expected {shape}")
        return 4 * prod(shape)

    try:
        _, numbers, _ = read_headed(path, LOOKED, size_of)
    except EvaluatorError as error:
        raise LabPlanError(str(error)) from None
    targets = np.frombuffer(numbers, dtype="<f4").astype(np.float32).reshape(shape)
    if not ((targets >= 0) & (targets <= 1.01)).all():
        raise LabPlanError(str(damaged(path, LOOKED, "it has numbers that are no probabilities")))
    return targets


def _difference(other: TrainingPlan, plan: TrainingPlan) -> str:
    found = [
        f"{name} {value!r} instead of {getattr(plan, name)!r}"
        for name, value in ((name, getattr(other, name)) for name in ("name", "games", "deeper", "seed", "hidden"))
        if value != getattr(plan, name)
    ]
    return ", ".join(found) or "another ruleset"
