"""The positions of an examination: a folder of parts, which goes on after an interruption.

What is true in a game is known by a `Truth`: `arena.lab.playing_out` for tables games,
`arena.lab.proving` for Brandubh. The same seed gives the same positions, also after an
interruption.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple, Protocol

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


class Decision(NamedTuple):
    """A roll with a choice, as a game had it."""

    position: Any
    dice: Dice
    turn: int
    last: tuple[Dice, Turn] | None


Chosen = tuple[list[tuple[Decision, ExamPhase]], dict[ExamPhase, float]]
"""Decisions with their phases, and the share of each phase in games."""


class Truth(Protocol):
    """Knows positions of one game, and what their turns lose; it is sent to the processes that make positions."""

    @property
    def game(self) -> Game[Any]:
        """The game."""

    @property
    def judge(self) -> str:
        """Its name in files."""

    @property
    def judged_with(self) -> dict[str, int | float | str]:
        """All that the losses depend on besides the seed."""

    def chosen(self, number: int, seed: int, workers: int) -> Chosen:
        """Decisions of games between players of all strengths, none twice, in an order by chance."""

    def judged(self, one: tuple[int, Decision, ExamPhase], seed: int) -> ExamPosition:
        """Say what the turns of a decision lose, given with its number."""


def drawn(pool: Sequence[tuple[Decision, ExamPhase]], number: int, seed: int) -> Chosen:
    """Draw this many decisions, none twice, in an order by chance, and the share of each phase in the pool.

    Half of the places go to phases by their share, half to all phases alike; what is over goes to
    the most common.
    """
    shares = {
        phase: count / len(pool)
        for phase, count in Counter(phase for _, phase in pool).most_common()
    }
    distinct: dict[ExamPhase, dict[Any, Decision]] = {phase: {} for phase in shares}
    for one, phase in pool:
        distinct[phase].setdefault((one.position, *sorted(one.dice)), one)
    chance, taken, left = Random(f"{seed}/chosen"), list[tuple[Decision, ExamPhase]](), number
    for place, phase in enumerate(reversed(shares)):  # the rarest first
        wanted = (
            round(number * (shares[phase] + 1 / len(shares)) / 2)
            if place < len(shares) - 1
            else left
        )
        mine = list(distinct[phase].values())
        taken += [(one, phase) for one in chance.sample(mine, min(wanted, left, len(mine)))]
        left = number - len(taken)
    chance.shuffle(taken)
    return taken, shares


def examined(
    game: Game[Any],
    decision: Decision,
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


@dataclass(frozen=True, slots=True)
class Making:
    """The folder in which positions are made: files of some positions each, and in the end the file of all."""

    truth: Truth
    folder: Path
    number: int
    seed: int

    @property
    def file(self) -> Path:
        """The file of all."""
        return self.folder / (self.truth.game.name + SUFFIX)

    def run(self, workers: int) -> Iterator[int]:
        """Make what is not there yet; gives how many positions are done.

        Raises `LabPlanError` for another folder.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        taken, shares = self.truth.chosen(self.number, self.seed, workers)
        head = new_head(self.truth, self.seed, shares)
        numbered = [(number, *one) for number, one in enumerate(taken)]
        parts = {
            self.folder / f"part-{begin:05}": numbered[begin : begin + PART]
            for begin in range(0, len(numbered), PART)
        }
        done: dict[Path, list[ExamPosition]] = {
            path: self._read(path, head, part) for path, part in parts.items() if path.exists()
        }
        yield sum(map(len, done.values()))
        missing = [path for path in parts if path not in done]
        make = partial(_part, self.truth, self.seed)
        for path, made in zip(
            missing, in_processes(make, [parts[path] for path in missing], workers), strict=True
        ):
            write_positions(head, made, path)
            done[path] = made
            yield sum(map(len, done.values()))
        write_positions(head, [one for path in parts for one in done[path]], self.file)

    def _read(self, path: Path, head: PositionsHead, part: Sequence[Any]) -> list[ExamPosition]:
        try:
            found, positions, _ = read_positions(path)
        except EvaluatorError as error:
            raise LabPlanError(str(error)) from None
        told, wanted = (
            {**to_builtins(one), **one.judged_with, "judged_with": ""}
            for one in (
                found,
                replace(head, count=found.count, size_bytes=found.size_bytes, sha256=found.sha256),
            )
        )
        different = sorted(
            name for name in {**told, **wanted} if told.get(name) != wanted.get(name)
        )
        write = self.truth.game.format_position
        if [one.position for one in positions] != [
            write(decision.position) for _, decision, _ in part
        ]:
            different.append("number")
        if different:
            raise LabPlanError(
                f"{path} was made otherwise ({', '.join(different)}); give another --out"
            )
        return positions


def new_head(truth: Truth, seed: int, shares: Mapping[ExamPhase, float]) -> PositionsHead:
    """The first line of the files that will be made."""
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


def _part(
    truth: Truth, seed: int, part: Sequence[tuple[int, Decision, ExamPhase]]
) -> list[ExamPosition]:
    return [truth.judged(one, seed) for one in part]
