"""Cups of a venue: who plays in one by the ratings of its ladder."""

from collections.abc import Iterable

from arena.records.ladder_day import LadderBook


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
