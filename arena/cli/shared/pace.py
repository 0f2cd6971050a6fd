"""How fast the matches of a run are played, and how long the rest will take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

from arena.records.facts import FixtureIssued, FixtureSettled, TournamentFact
from arena.records.state import TournamentState

RECOUNT_SECONDS: Final = 1.0
"""How long a count of the remaining matches is reused; there may be thousands."""


class Pace:
    """How fast matches have been decided since the first was begun, and how long the rest will take.

    The rest takes at least as long as the busiest entrant needs for its own matches: one slow bot delays the end,
    however fast the others are. Matches decided by an earlier run of the folder count for the rest, but not for the
    pace. All times are seconds.
    """

    def __init__(
        self, state: TournamentState, now: Callable[[], float], at_once: Mapping[str, int] | None = None
    ) -> None:
        """The caller updates `state`; `at_once` has how many matches each entrant plays at once, if known."""
        self._state = state
        self._now = now
        self._at_once = at_once
        self._begun: float | None = None
        self._before = state.over
        self._issued: dict[str, float] = {}
        """When each match under way was begun, by fixture."""
        self._played: Counter[str] = Counter()
        """How many matches each entrant has completed."""
        self._spent: dict[str, float] = {}
        """How long these took altogether."""
        self._left: Counter[str] = Counter()
        self._counted: float | None = None

    def take(self, fact: TournamentFact) -> None:
        """Take a line of the record, which the state has taken already."""
        if isinstance(fact, FixtureIssued):
            if self._begun is None:
                self._begun = self._now()
                self._before = self._state.over
            self._issued.setdefault(fact.fixture, self._now())
        elif isinstance(fact, FixtureSettled) and fact.fixture in self._issued:
            seconds = self._now() - self._issued.pop(fact.fixture)
            for name in self._entrants(fact.fixture):
                self._played[name] += 1
                self._spent[name] = self._spent.get(name, 0) + seconds

    def describe(self) -> str:
        """Describe both: "12.5 matches a minute, about 3 min left"; empty before there is a pace."""
        played = self._state.over - self._before
        seconds = self._now() - self._begun if self._begun is not None else 0
        if played <= 0 or seconds <= 0:
            return ""
        rate = f"{played / seconds * 60:.3g} matches a minute"
        left = self._state.scheduled - self._state.over
        if not left:
            return rate
        return f"{rate}, about {format_seconds(max(left * seconds / played, self._longest_chain()))} left"

    def _longest_chain(self) -> float:
        """The longest time that an entrant needs for its remaining matches, one after the other; 0 if none plays so."""
        if self._at_once is None:
            return 0
        now = self._now()
        if self._counted is None or now - self._counted >= RECOUNT_SECONDS:
            fixtures = self._state.left_to_play()
            self._left = Counter(name for fixture in fixtures for name in (fixture.first, fixture.second))
            self._counted = now
        running: dict[str, float] = {}
        for fixture, begun in self._issued.items():
            for name in self._entrants(fixture):
                running[name] = max(running.get(name, 0), now - begun)
        chains = (
            left * max(self._mean(name), running.get(name, 0)) / self._at_once.get(name, 1)
            for name, left in self._left.items()
        )
        return max(chains, default=0)

    def _mean(self, name: str) -> float:
        """The mean time of an entrant's matches; 0 before one was played."""
        return self._spent[name] / self._played[name] if self._played[name] else 0

    def _entrants(self, fixture: str) -> tuple[str, str]:
        known = self._state.fixtures[fixture]
        return known.first, known.second


def format_seconds(seconds: float) -> str:
    """Format a time for people: "40 s", "3 min", "2 h 5 min"."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
