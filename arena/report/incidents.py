"""Incidents in the matches of a run, each with its place in the page."""

from __future__ import annotations

from collections import Counter
from typing import Final

from arena.matches.facts import (
    BotLeft,
    BotMissing,
    BotReturned,
    DiceCalled,
    GameEnded,
    GameStarted,
    MatchResumed,
    TurnPlayed,
    TurnRejected,
)
from arena.plural import counted
from arena.records.reading import Attempt
from arena.report.contents import Incident, IncidentKind
from arena.report.words import spaced

MOST_INCIDENTS: Final = 100
"""How many of a kind are listed; the rest are only counted."""


class Incidents:
    """Collects incidents attempt by attempt, the first of each kind."""

    def __init__(self, entrants: dict[str, int]) -> None:
        """`entrants` are the numbers of the entrants in the page."""
        self._entrants = entrants
        self._told: dict[IncidentKind, list[Incident]] = {"forfeit": [], "missing": [], "left": [], "rejected": []}
        self._counts: Counter[IncidentKind] = Counter()

    @property
    def told(self) -> list[Incident]:
        """The listed incidents, the gravest kind first."""
        return [incident for kind in self._told.values() for incident in kind]

    @property
    def left_out(self) -> int:
        """How many more there are."""
        return self._counts.total() - len(self.told)

    def take(self, attempt: Attempt, link: str) -> None:
        """Take the next attempt at a match, and its part of the page's address."""
        names = attempt.opened.entrants
        places = _Places()
        for _, fact in attempt.facts:
            match fact:
                case GameStarted():
                    places.begin(fact.game)
                case TurnPlayed():
                    places.play(fact.game)
                case DiceCalled():
                    places.pause(fact.game)
                case BotReturned() | MatchResumed():
                    places.pause_all()
                case TurnRejected():
                    label = f"{fact.code}, {fact.clause}"
                    place = fact.game, places.pause(fact.game)
                    self._note("rejected", link, place, names[fact.seat - 1], label, fact.message)
                case BotLeft():
                    place = places.pause_all()
                    self._note("left", link, place, names[fact.seat - 1], "lost connection", fact.reason)
                case BotMissing():
                    place = places.pause_all()
                    self._note("missing", link, place, names[fact.seat - 1], "never came", fact.reason)
                case GameEnded():
                    places.end(fact.game)
                    result = fact.result
                    if result.cause is not None and result.winner is not None:
                        points = counted(result.points, "point")
                        text = f"turns played: {fact.turns}; {points} for {attempt.opened.shown[result.winner - 1]}"
                        label = spaced(result.cause)
                        self._note("forfeit", link, (fact.game, "end"), names[2 - result.winner], label, text)
                case _:
                    pass

    def _note(self, kind: IncidentKind, link: str, place: tuple[int, str], entrant: str, label: str, text: str) -> None:
        self._counts[kind] += 1
        if self._counts[kind] <= MOST_INCIDENTS:
            game, at = place
            number = self._entrants[entrant]
            self._told[kind].append(
                Incident(kind=kind, link=link, game=game, at=at, entrant=number, label=label, text=text)
            )


class _Places:
    """The page's labels for what happens between turns: 17a, 17b, ... before turn 17 (assets/steps.js)."""

    def __init__(self) -> None:
        self._turns: dict[int, int] = {}
        """The next turn in each open game."""
        self._letters: Counter[int] = Counter()
        """The number of events in each open game since its last turn."""

    def begin(self, game: int) -> None:
        self._turns[game] = 1

    def end(self, game: int) -> None:
        self._turns.pop(game, None)
        self._letters.pop(game, None)

    def play(self, game: int) -> None:
        self._turns[game] += 1
        self._letters[game] = 0

    def pause(self, game: int) -> str:
        """Count an event in a game that is not a turn; returns its label."""
        letter = self._letters[game]
        self._letters[game] += 1
        return f"{self._turns[game]}{'z' * (letter // 26)}{chr(ord('a') + letter % 26)}"

    def pause_all(self) -> tuple[int, str]:
        """Count an event in all games; returns the first open game and the label there, or 0 and an empty label."""
        labels = [(game, self.pause(game)) for game in self._turns]
        return labels[0] if labels else (0, "")
