"""The progress of a run on standard error: a line for every match, how fast it goes, and a bar on a terminal."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from types import MappingProxyType, TracebackType
from typing import Any, Final, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bar
from rich.text import Text

from arena.cli.shared.language import language, told
from arena.cli.shared.tables import short_name
from arena.records.facts import (
    BotsContained,
    EntrantsAdded,
    FixtureSettled,
    FixtureVoided,
    RoundDrawn,
    TournamentFact,
    TournamentOpened,
)
from arena.records.reasons import forfeit_why, forfeits_in
from arena.records.state import TournamentState, state_of
from arena.server.io.operator_log import Event, console_line, sentence
from arena.server.run.tournament_log import BotThinks, GamesPlayed, Progressed
from arena.tournaments.names import NO_NAMES, listed, shown
from arena.words import Said, joined

LINE_SECONDS: Final = 10.0
"""How long nothing is said off a terminal before a line tells how far a match has come."""
NAME_CELLS: Final = 16
"""Room for a name behind the bar, so that it stays in one line of 80 columns."""
LONG: Final = 8
"""Games or pairs of a match that has a bar of its own: more than M1 knows."""


class Progress:
    """Shows each line of the tournament record as it is written; `facts` are those of an earlier run of the folder."""

    def __init__(
        self,
        console: Console,
        *,
        quiet: bool,
        facts: Sequence[TournamentFact] = (),
        files: Mapping[str, bytes] = MappingProxyType({}),
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`files` are the records of the run, which tell why a game was forfeited."""
        self._files = files
        self._console = console
        self._quiet = quiet
        self._now = now
        self._state: TournamentState | None = None
        self._parts: dict[str, float] = {}
        """What part of each match in play is over, by fixture."""
        clock = (TimeElapsedColumn(), TimeRemainingColumn())
        thinking = TextColumn("{task.fields[thinking]}", markup=False)
        columns = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=16),
            MofNCompleteColumn(),
            *clock,
            thinking,
        )
        is_off = quiet or not console.is_terminal
        self._bar = Bar(
            *columns,
            console=console,
            disable=is_off,
            transient=True,
            get_time=now,
            speed_estimate_period=math.inf,  # a match may take an hour
        )
        self._task = self._bar.add_task(told(Said("progress.matches")), total=None, thinking="")
        self._matches: dict[str, TaskID] = {}
        """The bar of each long match that is being played."""
        self._thoughts: dict[str, BotThinks] = {}
        """The bots that think long about a turn now, by fixture."""
        self._named: set[str] = set()
        """Those that were named for it; each once."""
        self._said_at = now()
        """When the count was told last."""
        if facts and isinstance(facts[0], TournamentOpened):
            self._state = state_of(facts[0], facts)
            self._show_count(self._state)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def show(self, event: Event) -> None:
        """Show an event of the operator's log; if quiet, only warnings and errors."""
        if not self._quiet or event["level"] != "info":
            named = dict(event)
            if "name" in event and event["event"] != "login_refused":  # which tells what was sent
                named["name"] = self._names.get(event["name"], event["name"])
            if "names" in event:
                named["names"] = shown(self._names, event["names"])
            self.tell(
                Text.from_ansi(
                    console_line(event["level"], sentence(named, language()), language())
                )
            )

    def report(self, fact: TournamentFact | Progressed) -> None:
        """One more line of the record, or progress of a match; if quiet, only that bots are not contained."""
        if isinstance(fact, GamesPlayed | BotThinks):
            if self._quiet:
                return
            if isinstance(fact, GamesPlayed):
                self._show_games(fact)
            else:
                self._show_thought(fact)
            return
        if isinstance(fact, TournamentOpened):
            self._state = TournamentState(fact)
            self._show_count(self._state)
        if self._quiet and not isinstance(fact, BotsContained):
            return
        count = self._count(fact)
        if said := _sentence(fact, self._names, self._files):
            self.tell(told(said) + count)

    @property
    def _names(self) -> Mapping[str, str]:
        return NO_NAMES if self._state is None else self._state.names

    @property
    def _people(self) -> Sequence[str]:
        """The persons, who may think long."""
        return () if self._state is None else self._state.opened.people or ()

    def _show_count(self, state: TournamentState, *, refresh: bool = False) -> None:
        """Let the bar of all matches show how many are over; a match in play counts by its games that are."""
        completed = state.over + sum(self._parts.values())
        self._bar.update(self._task, completed=completed, total=state.scheduled, refresh=refresh)

    def _count(self, fact: TournamentFact) -> str:
        """Count a line of the record; returns the end of the match's line, which is shown where there is no bar."""
        if self._state is None:
            return ""
        self._state.take(fact)
        if is_over := isinstance(fact, FixtureSettled | FixtureVoided):
            self._parts.pop(fact.fixture, None)
            if fact.fixture in self._matches:
                self._bar.remove_task(self._matches.pop(fact.fixture))
        self._show_count(
            self._state, refresh=is_over
        )  # else the line that follows draws it as it was
        return self._counted(self._state) if isinstance(fact, FixtureSettled) else ""

    def _counted(self, state: TournamentState) -> str:
        """Return how many matches are over and how long the rest takes, for the end of a line; a terminal has a bar."""
        if self._console.is_terminal:
            return ""
        self._said_at = self._now()
        left = self._bar.tasks[0].time_remaining
        values: dict[str, Any] = {"over": state.over, "all": state.scheduled}
        said = Said("progress.over", values)
        if left:
            said = Said("progress.over_and_left", {**values, "time": str(timedelta(seconds=left))})
        return f"  [{told(said)}]"

    def _show_thought(self, thought: BotThinks) -> None:
        """Name a bot that thinks long, once; the bar tells how long, of the one that thinks longest."""
        self._thoughts.pop(thought.fixture, None)
        if thought.name:
            self._thoughts[thought.fixture] = thought
            if thought.name not in self._named and thought.name not in self._people:
                self._named.add(thought.name)
                name = self._names.get(thought.name, thought.name)
                values = {"name": name, "seconds": thought.seconds, "fixture": thought.fixture}
                self.tell(told(Said("progress.thinks_long", values)))
        words = ""
        if self._thoughts:
            longest = max(self._thoughts.values(), key=lambda one: one.seconds)
            name = short_name(self._names.get(longest.name, longest.name), NAME_CELLS)
            words = told(Said("progress.thinks", {"name": name, "seconds": longest.seconds}))
        self._bar.update(self._task, thinking=words)

    def _show_games(self, played: GamesPlayed) -> None:
        """Show how far a match has come: by a bar of its own if it is long, or by a line now and then."""
        if self._state is None:
            return
        terms = self._state.opened.terms
        fixture = played.fixture
        self._parts[fixture] = played.games / terms.games
        self._show_count(self._state)
        size, unit = (2, "pairs") if terms.form == "pairs" else (1, "games")
        over, number = played.games // size, terms.games // size
        if not self._console.is_terminal:
            if self._now() - self._said_at >= LINE_SECONDS:
                words = told(Said(f"progress.{unit}_over", {"over": over, "count": number}))
                self.tell(f"{fixture}  {words}{self._counted(self._state)}")
        elif number >= LONG:
            if fixture not in self._matches:
                words = told(Said(f"progress.{unit}", {"fixture": fixture}))
                self._matches[fixture] = self._bar.add_task(words, total=number, thinking="")
            self._bar.update(self._matches[fixture], completed=over)

    def tell(self, text: str | Text) -> None:
        """Print a line above the bar; the terminal folds a long one, so that it is copied whole."""
        self._bar.console.print(text, markup=False, soft_wrap=True)


def _sentence(
    fact: TournamentFact, names: Mapping[str, str], files: Mapping[str, bytes]
) -> Said | None:
    """Put a line of the record into words, by display `names`; None for lines of no interest to people."""
    match fact:
        case FixtureSettled():
            values: dict[str, Any] = {
                "fixture": fact.fixture,
                "score": f"{fact.score[0]}:{fact.score[1]}",
                "decision": fact.decision,
            }
            forfeits = [
                Said(
                    "progress.forfeit",
                    {
                        "why": forfeit_why(one, files),
                        "count": one.games,
                        "name": names.get(one.entrant, one.entrant),
                    },
                )
                for one in forfeits_in([fact])
            ]
            if not forfeits:
                return Said("progress.settled", values)
            return Said("progress.settled_with_forfeits", {**values, "forfeits": joined(forfeits)})
        case FixtureVoided():
            values = {"fixture": fact.fixture, "attempt": fact.attempt, "reason": fact.reason}
            return Said("progress.void", values)
        case EntrantsAdded():
            return Said("progress.newcomers", {"names": listed(shown(names, fact.entrants))})
        case BotsContained():
            return _uncontained(fact, names)
        case RoundDrawn():
            values = {"round": fact.round, "count": len(fact.fixtures)}
            if fact.byes:
                return Said(
                    "progress.round_with_byes", {**values, "names": listed(shown(names, fact.byes))}
                )
            return Said("progress.round", values)
    return None


def _uncontained(fact: BotsContained, names: Mapping[str, str]) -> Said | None:
    uncontained = []
    for way in ("none", "landlock", "landlock_filter"):
        bots = [names.get(name, name) for name, how in fact.bots.items() if how == way]
        if bots:
            uncontained.append(Said(f"uncontained.{way}", {"bots": listed(bots)}))
    return joined(uncontained) if uncontained else None
