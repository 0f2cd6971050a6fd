"""A training from its first game to its weights: the stages of `arena train`, one by one."""

import time
from collections.abc import (
    Callable,
    Iterator,
    Mapping,
)
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Final

import numpy as np

from arena.analysis.evaluator import Evaluator, ways_of
from arena.analysis.files import (
    SUFFIX,
    read_evaluator,
    write_evaluator,
)
from arena.analysis.processes import in_processes
from arena.analysis.races import table_for
from arena.games.tables.ruleset import Ruleset
from arena.lab.checkpoint import read_checkpoint, write_checkpoint
from arena.lab.course_folder import CourseFolder, Stage
from arena.lab.lesson_files import read_lessons, write_lessons
from arena.lab.strength import (
    Beginner,
    Score,
    duel,
)
from arena.lab.supervision import (
    SIEVE_ROLLS,
    LessonMaker,
    Lessons,
    Seed,
    Valuer,
    learn_from,
    look_deeper,
    make_lessons,
    play_out,
    rate_every_turn,
    train_sieve,
)
from arena.lab.training import Training, TrainingPlan

SCORES: Final = 40
"""The number of measurements of the strength on the way."""
PAIRS: Final = 100
LAST_PAIRS: Final = 1000
"""Pairs against the beginner on the way, and at the end."""
PART: Final = 10_000
"""Positions of a generation that are made in one go; each part has games of its own."""
WIDE: Final = 512
"""The width from which a network gets a sieve: a smaller one costs little more than that."""
PASSES: Final = 20
RATES: Final = (3e-3, 2e-5)
"""The passes over the lessons of a generation and of the one before, and the learning rates of the
first and of the last pass."""


class Course:
    """A training in its folder, which goes on after an interruption."""

    def __init__(
        self,
        plan: TrainingPlan,
        folder: Path,
        begin: Evaluator | None = None,
    ) -> None:
        """Open the folder; `begin` is what the plan begins with, if not with nothing.

        Raises `LabPlanError` if the folder belongs to another plan, or a file in it cannot be read.
        """
        self.plan = plan
        self.folder = folder
        self._first = begin
        self._files = CourseFolder(plan, folder)
        plan.tables()  # refuses games that no network knows
        self.weights = self._files.weights

    def stages(self) -> list[Stage]:
        """Return the stages so far; raises `LabPlanError` for a file that is damaged."""
        return self._files.read_stages()

    def run(self, tell: Callable[[Stage], None], workers: int = 1) -> list[Stage]:
        """Go on from the last stage; do nothing if the training is done.

        Raises `LabPlanError` for a damaged checkpoint.
        """
        stages = self.stages()
        if stages and stages[-1].stage == "done":
            return stages
        training = Training(self.plan, self._first)
        self._files.write_plan(self.plan)
        if self._files.checkpoint.exists():
            training = read_checkpoint(self.plan, self._files.checkpoint)
        seconds = stages[-1].seconds if stages else 0.0
        started = time.monotonic() - seconds
        kept = []
        for stage in stages:
            is_played = stage.round <= training.done.number
            if is_played and stage.stage == "self-play":
                kept.append(stage)

        def record(stage: Stage) -> None:
            kept.append(stage)
            self._files.write_stages(kept)
            tell(stage)

        _CourseRun(
            self._files,
            training,
            record,
            started,
            workers,
        ).run()
        return kept


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class _Subject:
    """Lessons to be made for one stage."""

    stage: str
    folder: Path
    number: int
    """Positions, or rolls."""
    seed: Seed
    make: LessonMaker
    share: float
    """The share of the stage that it takes to make them."""


class _CourseRun:
    """One start of a training: it goes through the stages and records each step."""

    def __init__(
        self,
        files: CourseFolder,
        training: Training,
        record: Callable[[Stage], None],
        started: float,
        workers: int,
    ) -> None:
        self._files = files
        self._training = training
        self._plan = training.plan
        self._record = record
        self._started = started
        self._workers = workers
        self._tables = training.plan.tables()
        self._rules = [table.rules for table in self._tables]

    def run(self) -> None:
        """Go through all stages."""
        training = self._training
        self._play_games()
        training.evaluator = replace(training.evaluator, table=table_for(self._rules[0]))
        self._learn_generations()
        if max(self._plan.hidden, default=0) >= WIDE:
            self._add_sieve()
        named = replace(training.evaluator, name=self._plan.name)
        sha256 = write_evaluator(named, self._rules, self._files.weights)
        done = self._stage("done", 1.0, self._score(LAST_PAIRS))
        self._record(replace(done, sha256=sha256))

    def _play_games(self) -> None:
        """Play all games, with a checkpoint after every round."""
        training, games = self._training, self._plan.games
        next_score = float(training.done.games)
        while not training.is_over:
            training.play_round()
            write_checkpoint(training, self._files.checkpoint)
            score = None
            if training.done.games >= next_score or training.is_over:
                score = self._score(PAIRS)
                next_score = training.done.games + games / SCORES
            self._record(self._stage("self-play", training.done.games / games, score))

    def _learn_generations(self) -> None:
        """Learn from lessons of what was learnt so far, again and again."""
        valuers: list[Valuer] = [look_deeper] * self._plan.generations
        if self._plan.played_out:
            valuers.append(play_out)
        before: list[Lessons] = []
        for number, valuer in enumerate(valuers, 1):
            name, positions = f"generation {number}", self._plan.positions
            if valuer is play_out:
                name, positions = "playing out", self._plan.played_out
            subject = _Subject(
                stage=name,
                folder=self._files.path / f"generation-{number}",
                number=positions,
                seed=(self._plan.seed, number),
                make=partial(make_lessons, value=valuer),
                share=0.9,
            )
            newest = self._join_by_rules(self._make_lessons(subject))
            self._learn(subject.folder, before, newest)
            before = newest
            self._record(self._stage(name, 1.0, self._score(PAIRS)))

    def _add_sieve(self) -> None:
        """Give the evaluator a sieve that has learnt every turn."""
        training = self._training
        subject = _Subject(
            stage="sieve",
            folder=self._files.path / "sieve",
            number=min(SIEVE_ROLLS, self._plan.positions),
            seed=(self._plan.seed,),
            make=rate_every_turn,
            share=0.6,
        )
        lessons = self._make_lessons(subject)
        sieve = train_sieve(training.evaluator, lessons, self._plan.seed, self._workers)
        training.evaluator = replace(training.evaluator, sieve=sieve)
        self._record(self._stage("sieve", 1.0, None))

    def _make_lessons(self, subject: _Subject) -> list[Lessons]:
        """Make lessons in parts, under each ruleset in turn."""
        subject.folder.mkdir(exist_ok=True)
        wanted = max(1, subject.number // len(self._tables))  # of each ruleset
        parts = -(-wanted // PART)
        size = -(-wanted // parts)
        lessons: list[Lessons] = []
        for place, table in enumerate(self._tables):
            files: dict[Path, Seed] = {}
            for part in range(parts):
                path = subject.folder / f"{place}-{part:04}"
                files[path] = (*subject.seed, place, part)
            evaluator = self._training.evaluator.under(table.rules)
            make = partial(subject.make, table, evaluator, size)
            for lesson in self._read_or_make(files, make, table.rules):
                lessons.append(lesson)
                share = len(lessons) / parts / len(self._tables)
                self._record(self._stage(subject.stage, subject.share * share, None))
        return lessons

    def _read_or_make(
        self,
        files: Mapping[Path, Seed],
        make: Callable[[Seed], Lessons],
        rules: Ruleset,
    ) -> Iterator[Lessons]:
        """Yield the lessons of all files; those that exist are read, the others made."""
        width = 2 * len(ways_of(self._rules[0]))
        existing = list(takewhile(Path.exists, files))
        for path in existing:
            yield read_lessons(path, rules, width)
        missing = list(files)[len(existing) :]
        seeds = [files[path] for path in missing]
        new_parts = in_processes(make, seeds, self._workers)
        for path, lessons in zip(missing, new_parts, strict=True):
            write_lessons(lessons, path)
            yield lessons

    def _join_by_rules(self, parts: list[Lessons]) -> list[Lessons]:
        """Put the parts of each ruleset together."""
        whole = []
        for rules in self._rules:
            states: list[int] = []
            begins, targets = [], []
            for part in parts:
                if part.rules == rules:
                    states += part.states
                    begins.append(part.begins)
                    targets.append(part.targets)
            lessons = Lessons(rules, states, np.concatenate(begins), np.concatenate(targets))
            whole.append(lessons)
        return whole

    def _learn(
        self,
        folder: Path,
        before: list[Lessons],
        newest: list[Lessons],
    ) -> None:
        """Learn a generation twice and the one before once, unless that was done already."""
        training = self._training
        learnt = folder / ("learnt" + SUFFIX)
        if not learnt.exists():
            lessons = before + [part._replace(times=2) for part in newest]
            seed = self._plan.seed
            learn_from(
                training.evaluator,
                lessons,
                PASSES,
                RATES,
                seed,
                self._workers,
            )
            write_evaluator(replace(training.evaluator, name="learnt"), self._rules, learnt)
        training.evaluator = read_evaluator(learnt)

    def _score(self, pairs: int) -> Score:
        """Play against the beginner under the first ruleset, always with the same dice."""
        table = self._tables[0]
        evaluator = self._training.evaluator.under(table.rules)
        return duel(
            table,
            evaluator,
            Beginner(table.rules),
            pairs,
            seed=0,
        )

    def _stage(
        self,
        name: str,
        share: float,
        score: Score | None,
    ) -> Stage:
        done = self._training.done
        stage = Stage(
            stage=name,
            share=min(share, 1.0),
            round=done.number,
            games=done.games,
            turns=done.turns,
            seconds=time.monotonic() - self._started,
            loss=done.loss,
        )
        if score is None:
            return stage
        return replace(stage, points=score.mean, half_width=score.half_width)
