"""Progress of a run on standard error: a line for each match, and a bar on a terminal."""

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

from arena.cli.shared.language import language, translate
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
from arena.tournaments.names import NO_NAMES, join_names, shown
from arena.words import Said, joined

LINE_SECONDS: Final = 10.0
"""Seconds without a line, off a terminal, before a line reports the games of a match."""
NAME_CELLS: Final = 16
"""Cells for a name behind the bar, so that the bar fits in a line of 80 columns."""
LONG: Final = 8
"""Games or pairs from which a match has a bar of its own: more than a match of M1 has."""


class Progress:
    """Shows each line of the tournament record as it is written.

    `facts` are the lines from before, if the run is resumed.
    """

    def __init__(
        self,
        console: Console,
        *,
        quiet: bool,
        facts: Sequence[TournamentFact] = (),
        files: Mapping[str, bytes] = MappingProxyType({}),
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`files` are the records of the run, which hold the reason of a forfeit."""
        self._files = files
        self._console = console
        self._quiet = quiet
        self._now = now
        self._state: TournamentState | None = None
        self._parts: dict[str, float] = {}
        """Share of each match in play that is over, by fixture."""
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
        self._task = self._bar.add_task(
            translate(Said("progress.matches")), total=None, thinking=""
        )
        self._matches: dict[str, TaskID] = {}
        """Bar of each long match in play, by fixture."""
        self._thoughts: dict[str, BotThinks] = {}
        """Bots that think long about a turn now, by fixture."""
        self._named: set[str] = set()
        """Bots for which a line was printed; each gets one."""
        self._counted_at = now()
        """Time at which the count was printed last."""
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
        if self._quiet and event["level"] == "info":
            return
        named = dict(event)
        if "name" in event and event["event"] != "login_refused":  # which tells what was sent
            named["name"] = self._names.get(event["name"], event["name"])
        if "names" in event:
            named["names"] = shown(self._names, event["names"])
        words = sentence(named, language())
        self.tell(Text.from_ansi(console_line(event["level"], words, language())))

    def report(self, fact: TournamentFact | Progressed) -> None:
        """Show a line of the record, or progress of a match; if quiet, only missing containment."""
        if isinstance(fact, GamesPlayed | BotThinks):
            if not self._quiet:
                self._show_match(fact)
            return
        if isinstance(fact, TournamentOpened):
            self._state = TournamentState(fact)
            self._show_count(self._state)
        if self._quiet and not isinstance(fact, BotsContained):
            return
        count = self._count(fact)
        words = _sentence(fact, self._names, self._files)
        if words is not None:
            self.tell(translate(words) + count)

    def _show_match(self, progress: GamesPlayed | BotThinks) -> None:
        if isinstance(progress, GamesPlayed):
            self._show_games(progress)
        else:
            self._show_thought(progress)

    @property
    def _names(self) -> Mapping[str, str]:
        if self._state is None:
            return NO_NAMES
        return self._state.names

    def _show_count(self, state: TournamentState, *, refresh: bool = False) -> None:
        """Show in the bar of all matches how many are over; a match in play counts in part."""
        completed = state.over + sum(self._parts.values())
        self._bar.update(self._task, completed=completed, total=state.scheduled, refresh=refresh)

    def _count(self, fact: TournamentFact) -> str:
        """Count a line of the record; return the count to append to it where there is no bar."""
        if self._state is None:
            return ""
        self._state.apply(fact)
        is_over = False
        if isinstance(fact, FixtureSettled | FixtureVoided):
            is_over = True
            self._parts.pop(fact.fixture, None)
            if fact.fixture in self._matches:
                self._bar.remove_task(self._matches.pop(fact.fixture))
        # without a refresh, the line that follows would draw the old bar
        self._show_count(self._state, refresh=is_over)
        if not isinstance(fact, FixtureSettled):
            return ""
        return self._count_line(self._state)

    def _count_line(self, state: TournamentState) -> str:
        """Return how many matches are over and the time that remains; empty on a terminal."""
        if self._console.is_terminal:
            return ""
        self._counted_at = self._now()
        counts = {"over": state.over, "all": state.scheduled}
        words = Said("progress.over", counts)
        seconds = self._bar.tasks[0].time_remaining
        if seconds:
            time_left = str(timedelta(seconds=seconds))
            words = Said("progress.over_and_left", {**counts, "time": time_left})
        return f"  [{translate(words)}]"

    def _show_thought(self, thought: BotThinks) -> None:
        """Print a line about a bot that thinks long, once; show the longest thinker in the bar."""
        self._thoughts.pop(thought.fixture, None)
        if thought.name:
            self._thoughts[thought.fixture] = thought
            self._name_thinker(thought)
        words = ""
        if self._thoughts:
            longest = max(self._thoughts.values(), key=lambda thinker: thinker.seconds)
            name = short_name(self._names.get(longest.name, longest.name), NAME_CELLS)
            words = translate(Said("progress.thinks", {"name": name, "seconds": longest.seconds}))
        self._bar.update(self._task, thinking=words)

    def _name_thinker(self, thought: BotThinks) -> None:
        if thought.name in self._named or thought.may_be_long:
            return
        self._named.add(thought.name)
        thinker = {
            "name": self._names.get(thought.name, thought.name),
            "seconds": thought.seconds,
            "fixture": thought.fixture,
        }
        self.tell(translate(Said("progress.thinks_long", thinker)))

    def _show_games(self, played: GamesPlayed) -> None:
        """Show how far a match has come: by a bar if it is long, or by a line now and then."""
        if self._state is None:
            return
        terms = self._state.opened.terms
        fixture = played.fixture
        self._parts[fixture] = played.games / terms.games
        self._show_count(self._state)
        size, unit = 1, "games"
        if terms.form == "pairs":
            size, unit = 2, "pairs"
        over, number = played.games // size, terms.games // size
        if self._console.is_terminal:
            if number >= LONG:
                self._show_bar(fixture, unit, over, number)
        elif self._now() - self._counted_at >= LINE_SECONDS:
            words = translate(Said(f"progress.{unit}_over", {"over": over, "count": number}))
            self.tell(f"{fixture}  {words}{self._count_line(self._state)}")

    def _show_bar(self, fixture: str, unit: str, over: int, number: int) -> None:
        """Show the bar of one match: how many of its games or pairs are over."""
        if fixture not in self._matches:
            words = translate(Said(f"progress.{unit}", {"fixture": fixture}))
            self._matches[fixture] = self._bar.add_task(words, total=number, thinking="")
        self._bar.update(self._matches[fixture], completed=over)

    def tell(self, text: str | Text) -> None:
        """Print a line above the bar; it is not wrapped, so that it can be copied whole."""
        self._bar.console.print(text, markup=False, soft_wrap=True)


def _sentence(
    fact: TournamentFact,
    names: Mapping[str, str],
    files: Mapping[str, bytes],
) -> Said | None:
    """Put a line of the record into words, by display `names`; None for uninteresting lines."""
    match fact:
        case FixtureSettled():
            return _settled_match_words(fact, names, files)
        case FixtureVoided():
            void = {
                "fixture": fact.fixture,
                "attempt": fact.attempt,
                "reason": fact.reason,
            }
            return Said("progress.void", void)
        case EntrantsAdded():
            return Said("progress.newcomers", {"names": join_names(shown(names, fact.entrants))})
        case BotsContained():
            return _uncontained_words(fact, names)
        case RoundDrawn():
            draw: dict[str, Any] = {"round": fact.round, "count": len(fact.fixtures)}
            if not fact.byes:
                return Said("progress.round", draw)
            draw["names"] = join_names(shown(names, fact.byes))
            return Said("progress.round_with_byes", draw)
    return None


def _settled_match_words(
    fact: FixtureSettled, names: Mapping[str, str], files: Mapping[str, bytes]
) -> Said:
    settled: dict[str, Any] = {
        "fixture": fact.fixture,
        "score": f"{fact.score[0]}:{fact.score[1]}",
        "decision": fact.decision,
    }
    forfeits = []
    for forfeit in forfeits_in([fact]):
        loss = {
            "why": forfeit_why(forfeit, files),
            "count": forfeit.games,
            "name": names.get(forfeit.entrant, forfeit.entrant),
        }
        forfeits.append(Said("progress.forfeit", loss))
    if not forfeits:
        return Said("progress.settled", settled)
    return Said("progress.settled_with_forfeits", {**settled, "forfeits": joined(forfeits)})


def _uncontained_words(fact: BotsContained, names: Mapping[str, str]) -> Said | None:
    uncontained = []
    for containment in ("none", "landlock", "landlock_filter"):
        bots = [names.get(name, name) for name, kind in fact.bots.items() if kind == containment]
        if bots:
            uncontained.append(Said(f"uncontained.{containment}", {"bots": join_names(bots)}))
    if not uncontained:
        return None
    return joined(uncontained)
