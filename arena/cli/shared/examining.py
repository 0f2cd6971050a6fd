"""Examining a bot: its answers to a file of positions, kept on the way if they shall be."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from arena.cli.shared.output import CHECK_FAILED, INTERRUPTED, fail, messages
from arena.cli.shared.tables import name_cell
from arena.server.io.disk import read_lines, write_inside
from arena.services.one_bot import launched_bot

if TYPE_CHECKING:
    from arena.analysis.examination import PositionSet
    from arena.server.setup.tournament_file import Plan

EVERY = 100
"""Answers between two times at which they are kept."""


class Kept(msgspec.Struct, forbid_unknown_fields=True):
    """Content of a file of `--save`."""

    positions: str
    """The SHA-256 of the positions."""
    answers: dict[str, list[int]] = {}
    """The place of the turn played in every position so far, by the command of the bot."""


@dataclass(slots=True)
class Examining:
    """One examination of one bot or two."""

    asked: PositionSet
    plan: Plan
    file: Path | None
    """Where answers are kept."""
    kept: Kept = field(init=False)

    def __post_init__(self) -> None:
        self.kept = self._read()

    def answers(self, line: str, name: str) -> list[int]:
        """Return the turn that the bot plays in each position; ends the command if it does not answer them all."""
        import trio

        from arena.conformance.examining import examine
        from arena.server.io.clock import RunningClock

        answers = self.kept.answers.setdefault(line, [])
        total = len(self.asked.questions)
        if len(answers) == total:
            return answers
        host = launched_bot((line,), self.plan, "examined")
        console = messages()
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        found, is_interrupted = None, False
        with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
            task = bar.add_task(name_cell(name), total=total, completed=len(answers))

            def take(place: int) -> None:
                answers.append(place)
                bar.advance(task)
                if len(answers) % EVERY == 0:
                    self._keep()

            run = partial(
                examine,
                self.asked,
                len(answers),
                host,
                clock=self.plan.clock,
                patience_s=self.plan.limits.startup_ms / 1000,
                take=take,
            )
            try:
                found = trio.run(run, clock=RunningClock())
            except* KeyboardInterrupt:
                is_interrupted = True
        self._keep()
        if is_interrupted or found is None:
            again = "give --save FILE to be able to go on" if self.file is None else "the same command goes on"
            fail(f"interrupted after {len(answers)} of {total} positions; {again}", code=INTERRUPTED)
        if found.deviation is not None:
            words = "".join(f"\n  {text}" for text in found.last_words)
            fail(
                f"{name} was examined as far as position {len(answers)} of {total}: the bot {found.deviation}; "
                f"`arena check` tells more{words}",
                code=CHECK_FAILED,
            )
        return answers

    def _keep(self) -> None:
        if self.file is not None:
            write_inside(self.file.parent, self.file.name, msgspec.json.encode(self.kept) + b"\n", mode=0o640)

    def _read(self) -> Kept:
        """Read the answers that were kept; ends the command if they are of another examination."""
        if self.file is not None and not self.file.parent.is_dir():
            fail(f"--save {self.file}: there is no folder {self.file.parent}; make it, or give another file")
        if self.file is None or not self.file.exists():
            return Kept(positions=self.asked.sha256)
        try:
            kept = msgspec.json.decode(read_lines(self.file), type=Kept)
        except OSError as error:
            fail(f"--save {self.file} cannot be read: {error.strerror}; give another file")
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            fail(f"{self.file} does not hold answers of an examination ({error}); give --save another file")
        if kept.positions != self.asked.sha256:
            fail(f"{self.file} holds answers to other positions; give --save another file")
        for answers in kept.answers.values():
            sizes = [len(question.losses) for question in self.asked.questions]
            if len(answers) > len(sizes) or not all(0 <= place < size for place, size in zip(answers, sizes)):  # noqa: B905 - answers may be fewer
                fail(f"{self.file} has an answer that no position has; give --save another file")
        return kept


def losses_of(asked: PositionSet, answers: list[int]) -> list[int]:
    """Return the loss of each answer, in thousandths of a point."""
    return [question.losses[place] for question, place in zip(asked.questions, answers, strict=True)]
