"""An examination of bots: their answers to positions, kept in a file on request."""

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import trio

from arena.analysis.examination import PositionSet
from arena.conformance.examining import examine
from arena.conformance.play import PlayedSituation
from arena.server.io.clock import RunningClock
from arena.server.io.disk import read_lines, write_inside
from arena.server.setup.tournament_file import Plan
from arena.services.errors import FailedError, InterruptedWorkError, RefusedError
from arena.services.one_bot import launched_bot
from arena.services.progress import Advance, Tell
from arena.words import Said, quoted
from arena.words.system_errors import system_reason

EVERY = 100
"""The number of answers between two writes of the file."""


class KeptAnswersError(RefusedError):
    """The file of answers cannot be used for this examination."""


class BrokenOffError(FailedError):
    """The bot has not answered every position."""


class ExamInterruptedError(InterruptedWorkError):
    """The examination was stopped by hand; it can go on from the kept answers."""


class Kept(msgspec.Struct, forbid_unknown_fields=True):
    """Content of the file of answers."""

    positions: str
    """The SHA-256 of the positions."""
    answers: dict[str, list[int]] = {}
    """The place of the turn played in every position so far, by the command of the bot."""


@dataclass(slots=True)
class Examining:
    """One examination of one bot or two. Raises `KeptAnswersError`."""

    positions: PositionSet
    plan: Plan
    file: Path | None
    """Where answers are kept."""
    kept: Kept = field(init=False)

    def __post_init__(self) -> None:
        self.kept = Kept(positions=self.positions.sha256)
        if self.file is not None:
            self.kept = self._read(self.file)

    def answers(self, line: str, name: str, tell: Tell) -> list[int]:
        """Return the turn that the bot plays in each position.

        Raises `BrokenOffError`, `ExamInterruptedError`, and `BotCommandError`.
        """
        answers = self.kept.answers.setdefault(line, [])
        total = len(self.positions.questions)
        if len(answers) == total:
            return answers
        played = self._ask(line, answers, tell)
        self._keep()
        progress: dict[str, Any] = {"number": len(answers), "total": total}
        if played is None:
            again = Said("exam.goes_on")
            if self.file is None:
                again = Said("exam.save_to_go_on")
            raise ExamInterruptedError(Said("exam.interrupted", {**progress, "again": again}))
        if played.deviation is not None:
            reason = {
                "name": name,
                "why": quoted(str(played.deviation)),
                "words": "".join(f"\n  {text}" for text in played.last_words),
            }
            raise BrokenOffError(Said("exam.broken_off", progress | reason))
        return answers

    def _ask(self, line: str, answers: list[int], tell: Tell) -> PlayedSituation | None:
        """Add the missing answers; return None if the user stops it."""
        total = len(self.positions.questions)

        def take(place: int) -> None:
            answers.append(place)
            tell(Advance(len(answers), total))
            if len(answers) % EVERY == 0:
                self._keep()

        host = launched_bot((line,), self.plan, "examined")
        tell(Advance(len(answers), total))
        patience_s = self.plan.limits.startup_ms / 1000
        run = partial(
            examine,
            self.positions,
            len(answers),
            host,
            clock=self.plan.clock,
            patience_s=patience_s,
            take=take,
        )
        played = None
        try:
            played = trio.run(run, clock=RunningClock())
        except* KeyboardInterrupt:
            pass
        return played

    def _keep(self) -> None:
        if self.file is not None:
            line = msgspec.json.encode(self.kept) + b"\n"
            write_inside(self.file.parent, self.file.name, line, mode=0o640)

    def _read(self, file: Path) -> Kept:
        """Read the answers that were kept."""
        words: dict[str, Any] = {"file": str(file), "folder": str(file.parent)}
        if not file.parent.is_dir():
            raise KeptAnswersError(Said("exam.no_folder", words))
        if not file.exists():
            return self.kept
        try:
            kept = msgspec.json.decode(read_lines(file), type=Kept)
        except OSError as error:
            words["reason"] = system_reason(error)
            raise KeptAnswersError(Said("exam.unreadable", words)) from error
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            words["reason"] = quoted(str(error))
            raise KeptAnswersError(Said("exam.no_answers", words)) from error
        if kept.positions != self.positions.sha256:
            raise KeptAnswersError(Said("exam.other_positions", words))
        if not all(map(self._are_possible, kept.answers.values())):
            raise KeptAnswersError(Said("exam.unknown_answer", words))
        return kept

    def _are_possible(self, answers: list[int]) -> bool:
        """Return whether answers are places of turns in the first positions."""
        questions = self.positions.questions[: len(answers)]
        if len(answers) > len(questions):
            return False
        for question, place in zip(questions, answers, strict=True):
            if not 0 <= place < len(question.losses):
                return False
        return True


def losses_of(positions: PositionSet, answers: list[int]) -> list[int]:
    """Return the loss of each answer, in thousandths of a point."""
    pairs = zip(positions.questions, answers, strict=True)
    return [question.losses[place] for question, place in pairs]
