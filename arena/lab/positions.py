"""The positions of an examination: a folder of parts, which goes on after an interruption.

A `Truth` says what the turns of a position lose: `arena.lab.playing_out` in tables games,
`arena.lab.proving` in Brandubh. The same seed gives the same positions, also after an
interruption.
"""

from collections import Counter, defaultdict
from collections.abc import (
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import (
    Any,
    Final,
    NamedTuple,
    Protocol,
)

from msgspec import to_builtins
from msgspec.structs import replace

from arena.analysis.examination import (
    KIND,
    SUFFIX,
    ExamPhase,
    ExamPosition,
    PositionsHead,
    in_order,
    read_positions,
    write_positions,
)
from arena.analysis.headed_files import EvaluatorError
from arena.analysis.processes import in_processes
from arena.games import Game
from arena.games.interface import Dice, Turn
from arena.lab.training import LabPlanError
from protocol import __version__

PART: Final = 8
"""Positions of one file of the folder."""


class PlayedDecision(NamedTuple):
    """A roll with a choice, as a game had it."""

    position: Any
    dice: Dice
    turn: int
    last: tuple[Dice, Turn] | None


Chosen = tuple[list[tuple[PlayedDecision, ExamPhase]], dict[ExamPhase, float]]
"""Decisions with their phases, and the share of each phase in games."""


Numbered = tuple[int, PlayedDecision, ExamPhase]
"""A decision with its number in the file of all, and its phase."""


class Truth(Protocol):
    """Source of positions of one game, and of what their turns lose; processes get a copy."""

    @property
    def game(self) -> Game[Any]:
        """The game."""

    @property
    def judge(self) -> str:
        """The name in files."""

    @property
    def judged_with(self) -> dict[str, int | float | str]:
        """Everything that the losses depend on besides the seed."""

    def choose(
        self,
        number: int,
        seed: int,
        workers: int,
    ) -> Chosen:
        """Draw at most this many decisions, none twice, in random order.

        They come from games between players of all strengths.
        """

    def examine(self, numbered: Numbered, seed: int) -> ExamPosition:
        """Say what the turns of a decision lose."""


def draw_decisions(
    pool: Sequence[tuple[PlayedDecision, ExamPhase]],
    number: int,
    seed: int,
    phases: Iterable[ExamPhase],
) -> Chosen:
    """Draw this many decisions, none twice, in random order.

    Returns the share of each of `phases` in the pool, too. Half of the places go to phases by their
    share, half to all phases alike; what remains goes to the most common.
    """
    counts = Counter[ExamPhase]()
    distinct: defaultdict[ExamPhase, dict[Any, PlayedDecision]] = defaultdict(dict)
    for decision, phase in pool:
        counts[phase] += 1
        question = (decision.position, *sorted(decision.dice))
        distinct[phase].setdefault(question, decision)
    shares = {phase: count / len(pool) for phase, count in counts.most_common()}
    random = Random(f"{seed}/chosen")
    chosen: list[tuple[PlayedDecision, ExamPhase]] = []
    rarest_first = list(reversed(shares))
    for phase in rarest_first:
        remaining = number - len(chosen)
        wanted = remaining
        if phase != rarest_first[-1]:
            fair_share = (shares[phase] + 1 / len(shares)) / 2
            wanted = round(number * fair_share)
        candidates = list(distinct[phase].values())
        size = min(wanted, remaining, len(candidates))
        sample = random.sample(candidates, size)
        chosen += [(decision, phase) for decision in sample]
    random.shuffle(chosen)
    return chosen, {phase: shares.get(phase, 0.0) for phase in phases}


def new_position(
    game: Game[Any],
    decision: PlayedDecision,
    phase: ExamPhase,
    *,
    value: float,
    losses: Sequence[int],
    floor: float,
) -> ExamPosition:
    """Return a decision as files have it; `losses` are in the order of its legal turns."""
    turns = game.legal_turns(decision.position, decision.dice)
    return ExamPosition(
        position=game.format_position(decision.position),
        dice=decision.dice,
        turn=decision.turn,
        last=decision.last,  # type: ignore[arg-type]  # legal moves are pairs
        phase=phase,
        value=round(float(value), 4),
        losses=tuple(losses[place] for place in in_order(game, turns)),
        floor=round(float(floor), 2),
    )


@dataclass(
    frozen=True,
    slots=True,
)
class Making:
    """The folder in which positions are made: files of a few positions each, then one of all."""

    truth: Truth
    folder: Path
    number: int
    seed: int

    @property
    def file(self) -> Path:
        """The file of all."""
        return self.folder / (self.truth.game.name + SUFFIX)

    def run(self, workers: int) -> Iterator[int]:
        """Make the missing positions; yield how many positions are done.

        Raises `LabPlanError` for another folder.
        """
        self.folder.mkdir(
            parents=True,
            exist_ok=True,
        )
        chosen, shares = self.truth.choose(self.number, self.seed, workers)
        head = new_head(self.truth, self.seed, shares)
        parts = self._parts(chosen)
        done: dict[Path, list[ExamPosition]] = {}
        missing: list[Path] = []
        for path, part in parts.items():
            if path.exists():
                done[path] = self._read(path, head, part)
            else:
                missing.append(path)
        yield sum(map(len, done.values()))
        make = partial(_judge_part, self.truth, self.seed)
        missing_parts = [parts[path] for path in missing]
        made_parts = in_processes(make, missing_parts, workers)
        for path, positions in zip(missing, made_parts, strict=True):
            write_positions(head, positions, path)
            done[path] = positions
            yield sum(map(len, done.values()))
        in_parts_order: list[ExamPosition] = []
        for path in parts:
            in_parts_order += done[path]
        write_positions(head, in_parts_order, self.file)

    def _parts(self, chosen: list[tuple[PlayedDecision, ExamPhase]]) -> dict[Path, list[Numbered]]:
        """Number the decisions, and name the file of each part."""
        numbered = [(number, *pair) for number, pair in enumerate(chosen)]
        parts = {}
        for begin in range(0, len(numbered), PART):
            path = self.folder / f"part-{begin:05}"
            parts[path] = numbered[begin : begin + PART]
        return parts

    def _read(
        self,
        path: Path,
        head: PositionsHead,
        part: Sequence[Numbered],
    ) -> list[ExamPosition]:
        """Read a part; raises `LabPlanError` if it was made in another way."""
        try:
            written, positions, _ = read_positions(path)
        except EvaluatorError as error:
            raise LabPlanError(str(error)) from None
        expected = replace(
            head,
            count=written.count,
            size_bytes=written.size_bytes,
            sha256=written.sha256,
        )
        differences = _differences(written, expected)
        write = self.truth.game.format_position
        expected_positions = [write(decision.position) for _, decision, _ in part]
        if [position.position for position in positions] != expected_positions:
            differences.append("number")
        if differences:
            raise LabPlanError(
                f"{path} was made otherwise ({', '.join(differences)}); give another --out"
            )
        return positions


def _differences(written: PositionsHead, expected: PositionsHead) -> list[str]:
    """Return the fields in which two heads differ, with those of `judged_with`."""
    actual, wanted = _fields(written), _fields(expected)
    return sorted(name for name in actual | wanted if actual.get(name) != wanted.get(name))


def _fields(head: PositionsHead) -> dict[str, Any]:
    return {
        **to_builtins(head),
        **head.judged_with,
        "judged_with": "",
    }


def new_head(truth: Truth, seed: int, shares: Mapping[ExamPhase, float]) -> PositionsHead:
    """Return the first line of the files that will be made."""
    return PositionsHead(
        format=KIND.format,
        ruleset=dict(truth.game.ruleset),
        version=__version__,
        licence="MIT",
        judge=truth.judge,
        judged_with=truth.judged_with,
        seed=seed,
        shares=dict(shares),
        count=0,
        size_bytes=0,
    )


def _judge_part(truth: Truth, seed: int, part: Sequence[Numbered]) -> list[ExamPosition]:
    return [truth.examine(numbered, seed) for numbered in part]
