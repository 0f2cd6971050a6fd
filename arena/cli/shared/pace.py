"""How fast the matches of a run are played, and how long the rest will take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

from arena.records.facts import FixtureIssued, FixtureSettled, FixtureVoided, TournamentFact
from arena.records.state import TournamentState

RECOUNT_SECONDS: Final = 1.0
"""How long a count of the remaining matches is reused; there may be thousands."""


class Pace:
    """How fast matches have been decided since the first was begun, and how long the rest will take.

    A match that is being played counts by its games that are over. The rest takes at least as long as the busiest
    entrant needs for its own matches: one slow bot delays the end, however fast the others are. What an earlier run of
    the folder has played counts for the rest, but not for the pace. All times are seconds.
    """

    def __init__(
        self, state: TournamentState, now: Callable[[], float], at_once: Mapping[str, int] | None = None
    ) -> None:
        """The caller updates `state`; `at_once` has how many matches each entrant plays at once, if known."""
        self._state = state
        self._now = now
        self._at_once = at_once
        self._begun: float | None = None
        self._before = float(state.over)
        """How many matches were played before this run began to."""
        self._issued: dict[str, float] = {}
        """When each match that is being played was begun or gone on with, by fixture."""
        self._games: dict[str, int] = {}
        """How many games of each of them are over."""
        self._gone_on: dict[str, float] = {}
        """What part of a match was played before this run went on with it."""
        self._played: Counter[str] = Counter()
        """How many matches each entrant has completed."""
        self._spent: dict[str, float] = {}
        """How long these took altogether."""
        self._left: Counter[str] = Counter()
        self._counted: float | None = None

    def take(self, fact: TournamentFact) -> None:
        """Take a line of the record, which the state has taken already."""
        if isinstance(fact, FixtureIssued):
            self._begin()
            self._issued[fact.fixture] = self._now()
        elif isinstance(fact, FixtureSettled | FixtureVoided):
            self._games.pop(fact.fixture, None)
            begun = self._issued.pop(fact.fixture, None)
            part = 1 - self._gone_on.pop(fact.fixture, 0)
            if begun is not None and part > 0 and isinstance(fact, FixtureSettled):
                whole = (self._now() - begun) / part
                for name in self._entrants(fact.fixture):
                    self._played[name] += 1
                    self._spent[name] = self._spent.get(name, 0) + whole

    def take_games(self, fixture: str, games: int) -> None:
        """How many games of a match are over."""
        if fixture not in self._issued:  # an earlier run has begun it
            self._begin()
            self._issued[fixture] = self._now()
            self._gone_on[fixture] = games / self._games_of_a_match
            self._before += self._gone_on[fixture]
        self._games[fixture] = games

    def describe(self) -> str:
        """Say both: "12.5 matches a minute, about 3 min left"; empty before there is a pace."""
        over = self._state.over + sum(map(self._part, self._games))
        played = over - self._before
        seconds = self._now() - self._begun if self._begun is not None else 0
        if played <= 0 or seconds <= 0:
            return ""
        rate, unit = played / seconds * 60, "matches"
        if self._state.opened.terms.form == "pairs":
            rate, unit = rate * self._games_of_a_match / 2, "pairs"
        told = f"{rate:.3g} {unit} a minute" if rate < 1000 else f"{rate:,.0f} {unit} a minute"
        left = self._state.scheduled - over
        if left <= 0:
            return told
        return f"{told}, about {format_seconds(max(left * seconds / played, self._longest_chain()))} left"

    @property
    def _games_of_a_match(self) -> int:
        return self._state.opened.terms.games

    def _part(self, fixture: str) -> float:
        """What part of a match is played."""
        return self._games.get(fixture, 0) / self._games_of_a_match

    def _begin(self) -> None:
        """The first match of this run is begun."""
        if self._begun is None:
            self._begun = self._now()
            self._before = float(self._state.over)

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
        done: dict[str, float] = {}
        for fixture, begun in self._issued.items():
            part = self._part(fixture) - self._gone_on.get(fixture, 0)
            for name in self._entrants(fixture):
                running[name] = max(running.get(name, 0), (now - begun) / part if part > 0 else now - begun)
                done[name] = done.get(name, 0) + self._part(fixture)
        chains = (
            (left - done.get(name, 0)) * max(self._mean(name), running.get(name, 0)) / self._at_once.get(name, 1)
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
