"""What the index keeps of a day of a ladder: its players, and their ratings over time."""

from dataclasses import asdict
from typing import Final, TypeAlias

from msgspec.structs import replace

from arena.pages.venue_contents import RatedBot
from arena.records.facts import FixtureSettled, TournamentFact
from arena.records.ladder_day import LadderBook, PlayerToday
from arena.records.state import TournamentState
from arena.tournaments.schedule import parse_fixture

STEP_MS: Final = 300_000
"""A rating is noted at most once in this time for each entrant."""
Point: TypeAlias = tuple[str, int, int, float, float]
"""The rating of a version at a time: bot, version, time, rating, error."""


class DayCourse:
    """Notes how ratings move while the lines of a day are read."""

    def __init__(self) -> None:
        self._points: list[Point] = []
        self._seen_ms: dict[str, int] = {}
        """When each entrant has played last."""
        self._due_ms: dict[str, int] = {}

    def hear(self, state: TournamentState, fact: TournamentFact) -> None:
        """Note what a line has changed, after the state has taken it."""
        book = state.book
        if book is None or not isinstance(fact, FixtureSettled):
            return
        for entrant in parse_fixture(fact.fixture).entrants:
            self._seen_ms[entrant] = fact.at_ms
            if fact.at_ms < self._due_ms.get(entrant, 0):
                continue
            self._due_ms[entrant] = fact.at_ms + STEP_MS
            version = book.players[entrant].identity
            [rated] = book.rated([entrant]).values()
            point = (version.bot, version.version, fact.at_ms, rated.elo, rated.error)
            self._points.append(point)

    def take_points(self) -> list[Point]:
        """Return the points that were noted since this was called last."""
        points = self._points
        self._points = []
        return points

    def players(self, book: LadderBook, latest_ms: int) -> list[RatedBot]:
        """Return all players of a day; `latest_ms` is the time of its last line."""
        rated = []
        for entrant, player in book.players.items():
            seen_ms = self._seen_ms.get(entrant, 0)
            if player.is_there:
                seen_ms = latest_ms
            rated.append(_rated(book, entrant, player, seen_ms))
        return rated


def _rated(book: LadderBook, entrant: str, player: PlayerToday, seen_ms: int) -> RatedBot:
    [shown] = book.rated([entrant]).values()
    rated = RatedBot(
        **asdict(shown),
        entrant=entrant,
        bot=player.identity.bot,
        is_frozen=player.identity.is_frozen,
        is_there=player.is_there,
        seen_ms=seen_ms,
        rests_until_ms=player.rests_until_ms,
    )
    parent = player.identity.parent
    if not parent:
        return rated
    ratings = book.ratings
    return replace(
        rated,
        parent=book.players[parent].identity.version,
        gain=round(ratings.elo(entrant) - ratings.elo(parent), 2),
        gain_error=round(ratings.error_of_difference(entrant, parent), 2),
    )
