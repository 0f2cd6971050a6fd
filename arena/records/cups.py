"""Cups of a venue: who plays in one by the ratings of its ladder, and who has won it."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from arena.records.facts import TournamentEnded, TournamentFact
from arena.records.ladder_day import LadderBook
from arena.records.lines import opened_in
from arena.records.state import names_of


def cup_field(
    book: LadderBook,
    remote: Iterable[str],
    house: Iterable[str],
    *,
    best: int,
    now_ms: int,
) -> list[str]:
    """Return the entrants of a cup: the best of those from elsewhere, best first.

    Programs of the house have the places that they leave free. An entrant that the ladder lets
    rest, since it has forfeited too often, does not play.
    """
    guests = _best_first(book, remote, now_ms)[:best]
    if len(guests) < 2:
        return guests
    free_places = best - len(guests)
    hosts = _best_first(book, house, now_ms)[:free_places]
    return _best_first(book, [*guests, *hosts], now_ms)


def _best_first(book: LadderBook, entrants: Iterable[str], now_ms: int) -> list[str]:
    """Return those that do not rest by their ratings; those without one come last."""
    rated: list[tuple[float, str]] = []
    unrated: list[str] = []
    for entrant in entrants:
        player = book.players.get(entrant)
        if player is None:
            unrated.append(entrant)
        elif player.rests_until_ms <= now_ms:
            rated.append((-book.ratings.elo(entrant), entrant))
    return [entrant for _, entrant in sorted(rated)] + sorted(unrated)


@dataclass(frozen=True, slots=True, kw_only=True)
class CupWinner:
    """A bot that has won a cup."""

    entrant: str
    """Its version."""
    name: str
    """Its display name."""


def cup_winners(facts: Collection[TournamentFact]) -> list[CupWinner]:
    """Return who has won a cup by its record: several if they share the first place.

    Empty while it is played, and if no match of it counts. Raises `RecordError` for the record of
    something else.
    """
    lines = list(facts)
    names = names_of(opened_in(lines))
    winners: list[CupWinner] = []
    for fact in lines:
        if isinstance(fact, TournamentEnded):
            first = [row.entrant for row in fact.standings if row.place == 1]
            has_counted = any(row.match_points for row in fact.standings)
            if has_counted:
                winners = [CupWinner(entrant=entrant, name=names[entrant]) for entrant in first]
    return winners
