"""The progress of a run on standard error: a line for every match, and a bar on a terminal."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from arena.records.facts import (
    EntrantWithdrawn,
    FixtureSettled,
    FixtureVoided,
    TournamentFact,
    TournamentOpened,
)
from arena.records.table import schedule_of


class Progress:
    """Shows each line of the tournament record as it is written."""

    def __init__(self, console: Console, *, quiet: bool) -> None:
        self._console = console
        self._quiet = quiet
        columns = (TextColumn("matches"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
        self._bar = Bar(*columns, console=console, disable=quiet or not console.is_terminal, transient=True)
        self._task = self._bar.add_task("matches", total=None)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bar.stop()

    def report(self, fact: TournamentFact | str) -> None:
        """One more line of the record, or a word for the operator."""
        if self._quiet:
            return
        if isinstance(fact, TournamentOpened):
            self._bar.update(self._task, total=len(schedule_of(fact)))
        elif isinstance(fact, FixtureSettled):
            self._bar.advance(self._task)
            causes = sorted({game.cause for game in fact.games if game.cause is not None})
            forfeits = (
                f"; FORFEITS: {', '.join(causes)} (see evidence/ and bots/ of the run, and arena show)"
                if causes
                else ""
            )
            self._say(f"{fact.fixture}  {fact.score[0]}:{fact.score[1]}  {fact.decision}{forfeits}")
        elif isinstance(fact, FixtureVoided):
            self._say(f"{fact.fixture}  attempt {fact.attempt} is void: {fact.reason}")
        elif isinstance(fact, EntrantWithdrawn):
            self._say(f"{fact.entrant} is withdrawn after {fact.strikes} strikes")
        elif isinstance(fact, str):
            self._say(fact)

    def _say(self, text: str) -> None:
        self._bar.console.print(text, markup=False, soft_wrap=True)
