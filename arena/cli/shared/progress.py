"""The progress of a run on standard error: a line for every match, how fast it goes, and a bar on a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.text import Text

from arena.cli.shared.output import printable
from arena.cli.shared.pace import Pace
from arena.records.facts import (
    BotsContained,
    EntrantsAdded,
    FixtureSettled,
    FixtureVoided,
    RoundDrawn,
    TournamentFact,
    TournamentOpened,
)
from arena.records.state import TournamentState, state_of
from arena.server.io.operator_events import sentence
from arena.server.io.operator_log import Event, console_line
from arena.tournaments.names import NO_NAMES, shown

_LOOK_UP: Final = "see evidence/ and bots/ of the run, and arena show"
"""Where an operator finds out why; bots/ has the output of launched bots, evidence/ the last frames of any."""


class Progress:
    """Shows each line of the tournament record as it is written; `facts` are those of an earlier run of the folder."""

    def __init__(
        self,
        console: Console,
        *,
        quiet: bool,
        facts: Sequence[TournamentFact] = (),
        at_once: Mapping[str, int] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`at_once` has how many matches each entrant plays at once; None if there is no such limit."""
        self._console = console
        self._quiet = quiet
        self._at_once = at_once
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

    def show(self, event: Event) -> None:
        """Show an event of the operator's log; if quiet, only warnings and errors."""
        if not self._quiet or event["level"] != "info":
            named = dict(event)
            if "name" in event:
                named["name"] = self._names.get(event["name"], event["name"])
            self._say(Text.from_ansi(console_line(event["level"], printable(sentence(named)))))

    def report(self, fact: TournamentFact) -> None:
        """One more line of the record; if quiet, only that bots are not contained."""
        if isinstance(fact, TournamentOpened):
            self._follow(TournamentState(fact))
        if self._quiet:
            if isinstance(fact, BotsContained) and (told := _sentence(fact, self._names)):
                self._say(told)
            return
        count = self._count(fact)
        if told := _sentence(fact, self._names):
            self._say(told + count)

    @property
    def _names(self) -> Mapping[str, str]:
        """What entrants are called, as far as they are known."""
        return NO_NAMES if self._state is None else self._state.names

    def _follow(self, state: TournamentState) -> None:
        self._state, self._pace = state, Pace(state, self._now, self._at_once)
        self._bar.update(self._task, completed=state.over, total=state.scheduled)

    def _count(self, fact: TournamentFact) -> str:
        """Count a line of the record; returns the end of the match's line, which is shown where there is no bar."""
        if self._state is None or self._pace is None:
            return ""
        self._state.take(fact)
        self._pace.take(fact)
        pace = self._pace.describe()
        self._bar.update(self._task, completed=self._state.over, total=self._state.scheduled, pace=pace)
        if not isinstance(fact, FixtureSettled) or self._console.is_terminal:
            return ""
        count = f"{self._state.over} of {self._state.scheduled}"
        return f"  [{count}, {pace}]" if pace else f"  [{count}]"

    def _say(self, text: str | Text) -> None:
        self._bar.console.print(text, markup=False, soft_wrap=True)


def _sentence(fact: TournamentFact, names: Mapping[str, str]) -> str:
    """What people are told of a line of the record; nothing of some. Entrants are called by their display `names`."""
    match fact:
        case FixtureSettled():
            causes = sorted({game.cause for game in fact.games if game.cause is not None})
            hint = f"; FORFEITS: {', '.join(causes)} ({_LOOK_UP})"
            return f"{fact.fixture}  {fact.score[0]}:{fact.score[1]}  {fact.decision}{hint if causes else ''}"
        case FixtureVoided():
            return f"{fact.fixture}  attempt {fact.attempt} is void: {fact.reason} ({_LOOK_UP})"
        case EntrantsAdded():
            return f"newcomers: {', '.join(shown(names, fact.entrants))}; what is missing is played"
        case BotsContained():
            return _uncontained(fact, names)
        case RoundDrawn():
            byes = f"; a bye for {', '.join(shown(names, fact.byes))}" if fact.byes else ""
            matches = "1 match" if len(fact.fixtures) == 1 else f"{len(fact.fixtures)} matches"
            return f"round {fact.round} is drawn: {matches}{byes}"
    return ""


def _uncontained(fact: BotsContained, names: Mapping[str, str]) -> str:
    """Which bots no sandbox contains."""
    told = {"none": "NO SANDBOX for {}: they can do what you can", "landlock": "NO SANDBOX but Landlock for {}"}
    bots = {way: [names.get(name, name) for name, found in fact.bots.items() if found == way] for way in told}
    return "; ".join(words.format(", ".join(bots[way])) for way, words in told.items() if bots[way])
