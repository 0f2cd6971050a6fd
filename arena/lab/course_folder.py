"""The folder of a training: its plan, a checkpoint, and the stages so far in `progress.jsonl`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import msgspec

from arena.analysis.files import SUFFIX
from arena.lab.training import (
    LabPlanError,
    TrainingPlan,
    plan_of,
)
from arena.regular_files import read_regular


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class Stage:
    """Progress of a training; a line of `progress.jsonl`."""

    stage: str
    """`self-play`, then `generation 1` and so on, `playing out`, `sieve` for wide networks, in the
    end `done`."""
    share: float
    """Share of this stage that is done, from 0 to 1."""
    round: int
    games: Annotated[int, msgspec.Meta(ge=0)]
    turns: int
    """Turns of self-play, as rounds and games are."""
    seconds: float
    """Time spent on the training, over all its starts."""
    loss: float | None = None
    """Mean cross-entropy of the last round, in nats."""
    points: float | None = None
    """Points per game against the beginner."""
    half_width: float | None = None
    """Half of the 95 % interval of the points."""
    sha256: str | None = None
    """SHA-256 of the weights, once they are done."""


class CourseFolder:
    """The files of one training, beside those of its lessons."""

    def __init__(self, plan: TrainingPlan, path: Path) -> None:
        """Raise `LabPlanError` if the folder belongs to another plan, or its plan is unreadable."""
        self.path = path
        self.weights = path / (plan.name + SUFFIX)
        self.checkpoint = path / "checkpoint"
        self._plan = path / "plan.json"
        self._progress = path / "progress.jsonl"
        if self._plan.exists():
            earlier = plan_of(_text(self._plan))
            if earlier != plan:
                difference = _difference(earlier, plan)
                raise LabPlanError(
                    f"{path} holds another training: {difference}; give another --out"
                )
        elif path.exists() and any(path.iterdir()):
            raise LabPlanError(f"{path} is not empty and holds no training; give another --out")

    def write_plan(self, plan: TrainingPlan) -> None:
        """Write the plan, in a new folder if there is none."""
        self.path.mkdir(parents=True, exist_ok=True)
        self._plan.write_text(plan.text(), encoding="utf-8")

    def read_stages(self) -> list[Stage]:
        """Return the stages so far; raises `LabPlanError` for a file that is damaged."""
        if not self._progress.exists():
            return []
        lines = _text(self._progress).splitlines()
        try:
            return [msgspec.json.decode(line, type=Stage) for line in lines if line.endswith("}")]
        except (msgspec.MsgspecError, RecursionError) as error:
            raise LabPlanError(
                f"{self._progress} is damaged ({error}); remove it, or give another --out"
            ) from None

    def write_stages(self, stages: Sequence[Stage]) -> None:
        """Write all stages so far."""
        lines = [msgspec.json.encode(stage) + b"\n" for stage in stages]
        self._progress.write_bytes(b"".join(lines))


def _text(path: Path) -> str:
    """Read a file of the folder; raises `LabPlanError` if it cannot be read."""
    try:
        return read_regular(path).decode()
    except OSError as error:
        reason: object = error.strerror
    except UnicodeDecodeError as error:
        reason = error
    raise LabPlanError(f"{path} cannot be read ({reason}); remove it, or give another --out")


_NAMED: Final = "name", "begin", "games", "generations", "positions", "played_out", "seed", "hidden"
"""The fields of a plan that a difference names."""


def _difference(earlier: TrainingPlan, plan: TrainingPlan) -> str:
    differences = []
    for name in _NAMED:
        before, now = getattr(earlier, name), getattr(plan, name)
        if before != now:
            differences.append(f"{name} {before!r} instead of {now!r}")
    return ", ".join(differences) or "another ruleset"
