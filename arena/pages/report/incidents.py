"""Incidents in the matches of a run, each with its place in the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from arena.matches.facts import BotLeft, BotMissing, GameEnded, MatchOpened, TurnRejected
from arena.pages.findings import Incident, IncidentKind
from arena.records.timeline import Moment, Place
from arena.words import Said

MOST_INCIDENTS: Final = 100
"""How many of a kind are listed; the rest are only counted."""


NOWHERE: Final = Place(0, "")
"""The place of what happened while no game was open."""


class Incidents:
    """Collects incidents attempt by attempt, the first of each kind."""

    def __init__(self) -> None:
        self._told: dict[IncidentKind, list[Incident]] = {"forfeit": [], "missing": [], "left": [], "rejected": []}
        self._counts: Counter[IncidentKind] = Counter()

    @property
    def told(self) -> list[Incident]:
        """The listed incidents, the gravest kind first."""
        return [incident for kind in self._told.values() for incident in kind]

    @property
    def left_out(self) -> int:
        """Number of incidents that are left out."""
        return self._counts.total() - len(self.told)

    def take(self, moments: Iterable[Moment], opened: MatchOpened, link: str) -> None:
        """Take the moments of the next attempt at a match, and its part of the page's address."""
        names = opened.entrants
        for moment in moments:
            place = moment.places[0] if moment.places else NOWHERE
            match moment.fact:
                case TurnRejected() as fact:
                    self._note(
                        "rejected",
                        link,
                        place,
                        names[fact.seat - 1],
                        f"{fact.code}, {fact.clause}",
                        fact.said,
                    )
                case BotLeft() as fact:
                    self._note("left", link, place, names[fact.seat - 1], Said("cause.left"), fact.reason)
                case BotMissing() as fact:
                    self._note("missing", link, place, names[fact.seat - 1], Said("cause.missing"), fact.reason)
                case GameEnded() as fact:
                    cause, winner = fact.result.cause, fact.result.winner
                    if cause is not None and winner is not None:
                        points = Said("count.points", {"count": fact.result.points})
                        values = {"turns": fact.turns, "points": points, "name": opened.shown[winner - 1]}
                        text = Said("incident.forfeit", values)
                        self._note("forfeit", link, place, names[2 - winner], Said(f"cause.{cause}"), text)
                case _:
                    pass

    def _note(
        self, kind: IncidentKind, link: str, place: Place, entrant: str, label: Said | str, text: Said | str
    ) -> None:
        self._counts[kind] += 1
        if self._counts[kind] <= MOST_INCIDENTS:
            found = Incident(
                kind=kind, link=link, game=place.game, at=place.label, entrant=entrant, label=label, text=text
            )
            self._told[kind].append(found)
