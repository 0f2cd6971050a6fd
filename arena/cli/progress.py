"""The progress of a run on standard error: a line for every match, how fast it goes, and a bar on a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from arena.cli.common import printable
from arena.records.facts import (
    EntrantsAdded,
    EntrantWithdrawn,
    FixtureIssued,
    FixtureSettled,
    FixtureVoided,
    RoundDrawn,
    TournamentFact,
    TournamentOpened,
)
from arena.records.state import TournamentState, state_of


class Pace:
    """How fast matches are decided since the first was begun, and how long it will take to the end.

    What an earlier run of the same folder has decided counts for the end, but not for the pace. `now` gives seconds.
    """

    def __init__(self, state: TournamentState, now: Callable[[], float]) -> None:
        self._state = state
        self._now = now
        self._begun: float | None = None
        self._before = state.over

    def begin(self) -> None:
        """A match begins; only the first counts."""
        if self._begun is None:
            self._begun = self._now()
            self._before = self._state.over

    def describe(self) -> str:
        """Say both: "12.5 matches a minute, about 3 min left"; empty before there is a pace."""
        played = self._state.over - self._before
        seconds = self._now() - self._begun if self._begun is not None else 0
        if played <= 0 or seconds <= 0:
            return ""
        rate = f"{played / seconds * 60:.3g} matches a minute"
        left = self._state.scheduled - self._state.over
        return f"{rate}, about {format_seconds(left * seconds / played)} left" if left else rate


class Progress:
    """Shows each line of the tournament record as it is written; `facts` are those of an earlier run of the folder."""

    def __init__(
        self,
        console: Console,
        *,
        quiet: bool,
        facts: Sequence[TournamentFact] = (),
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._console = console
        self._quiet = quiet
        self._now = now
        self._state: TournamentState | None = None
        self._pace: Pace | None = None
        columns = (
            TextColumn("matches"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[pace]}"),
        )
        self._bar = Bar(*columns, console=console, disable=quiet or not console.is_terminal, transient=True)
        self._task = self._bar.add_task("matches", total=None, pace="")
        if facts and isinstance(facts[0], TournamentOpened):
            self._follow(state_of(facts[0], facts))

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bar.stop()

    def report(self, fact: TournamentFact | str) -> None:
        """One more line of the record, or a word for the operator."""
        if self._quiet:
            return
        if isinstance(fact, str):
            self._say(printable(fact))
            return
        if isinstance(fact, TournamentOpened):
            self._follow(TournamentState(fact))
        count = self._count(fact)
        if sentence := _sentence(fact):
            self._say(sentence + count)

    def _follow(self, state: TournamentState) -> None:
        self._state, self._pace = state, Pace(state, self._now)
        self._bar.update(self._task, completed=state.over, total=state.scheduled)

    def _count(self, fact: TournamentFact) -> str:
        """Count a line of the record; gives what the end of a match's line says where there is no bar."""
        if self._state is None or self._pace is None:
            return ""
        self._state.take(fact)
        if isinstance(fact, FixtureIssued):
            self._pace.begin()
        pace = self._pace.describe()
        self._bar.update(self._task, completed=self._state.over, total=self._state.scheduled, pace=pace)
        if not isinstance(fact, FixtureSettled) or self._console.is_terminal:
            return ""
        count = f"{self._state.over} of {self._state.scheduled}"
        return f"  [{count}, {pace}]" if pace else f"  [{count}]"

    def _say(self, text: str) -> None:
        self._bar.console.print(text, markup=False, soft_wrap=True)


def _sentence(fact: TournamentFact) -> str:
    """What people are told of a line of the record; nothing of some."""
    match fact:
        case FixtureSettled():
            causes = sorted({game.cause for game in fact.games if game.cause is not None})
            hint = f"; FORFEITS: {', '.join(causes)} (see evidence/ and bots/ of the run, and arena show)"
            return f"{fact.fixture}  {fact.score[0]}:{fact.score[1]}  {fact.decision}{hint if causes else ''}"
        case FixtureVoided():
            hint = "what bots said is in bots/ of the run"
            return f"{fact.fixture}  attempt {fact.attempt} is void: {fact.reason} ({hint})"
        case EntrantWithdrawn():
            return f"{fact.entrant} is withdrawn after {fact.strikes} strikes"
        case EntrantsAdded():
            return f"newcomers: {', '.join(fact.entrants)}; what is missing is played"
        case RoundDrawn():
            byes = f"; a bye for {', '.join(fact.byes)}" if fact.byes else ""
            matches = "1 match" if len(fact.fixtures) == 1 else f"{len(fact.fixtures)} matches"
            return f"round {fact.round} is drawn: {matches}{byes}"
    return ""


def format_seconds(seconds: float) -> str:
    """A time as people say it: "40 s", "3 min", "2 h 5 min"."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
