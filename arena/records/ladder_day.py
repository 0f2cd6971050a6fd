"""The book of a day of a ladder: what follows from its lines, taken one by one.

The running day, a resumed one, verification and pages ask the same book. Time enters by the
`at_ms` of lines alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from msgspec import UNSET, convert
from msgspec.structs import astuple

from arena.games.result import Result
from arena.matches.facts import Terms
from arena.records.ladder_facts import (
    CountedEdge,
    EdgesTaken,
    EntrantCame,
    EntrantRests,
    EntrantWent,
    KnownPlayer,
    LadderFact,
    LadderOpened,
    PairDrawn,
    PairingKey,
)
from arena.tournaments import TournamentError
from arena.tournaments.formats.interface import Rated
from arena.tournaments.formats.ladder_format import LEAST_ANCHORS, Ladder
from arena.tournaments.results import FixtureResult
from arena.tournaments.schedule import Fixture, parse_fixture
from arena.tournaments.statistics.units import Unit, units_of
from arena.words import Said

if TYPE_CHECKING:
    from arena.tournaments.statistics.ladder_ratings import Edge, LadderRatings, Player

FORFEITS: Final = 3
"""Forfeited matches in a row after which an entrant rests."""
REST_MS: Final = 3_600_000
"""The first rest; each further one in a row is twice as long."""
MOST_NUMBERS: Final = 1 << 53
"""Numbers by which a pairing is drawn."""


@dataclass(slots=True, kw_only=True)
class PlayerToday:
    """A version of a bot, as it stands in the day."""

    identity: KnownPlayer
    is_there: bool = False
    """True between a line of its coming and one of its going."""
    last_coming: EntrantCame | None = None
    """The line of its last coming; None if it never came on this day."""
    in_play: set[str] = field(default_factory=set)
    """Fixtures that are drawn and not decided."""
    matches: int = 0
    """Matches of the day that were settled."""
    forfeits: int = 0
    """How many of them it forfeited, whole or in part."""
    forfeited: list[str] = field(default_factory=list)
    """Those that it forfeited in a row."""
    rested: int = 0
    """Forfeits in a row when it was last told to rest."""
    rests_until_ms: int = 0

    def is_free(self, now_ms: int) -> bool:
        """Return whether it can play one match more."""
        if self.last_coming is None or not self.is_there or self.rests_until_ms > now_ms:
            return False
        return len(self.in_play) < self.last_coming.at_once


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """A fixture that was drawn, with its entrants in the order of their seats."""

    fixture: Fixture
    probability: float
    """Of the opponent for the entrant whose turn it was."""


class LadderBook:
    """A day of a ladder, line by line."""

    def __init__(self, schedule: Ladder, terms: Terms, run: str, opened: LadderOpened) -> None:
        """Open the book with the second line of a day. Raises `TournamentError`."""
        self.opened = opened
        self._ladder = schedule
        self._games_in_unit = 2 if terms.form == "pairs" else terms.games
        self._run = run
        self.players: dict[str, PlayerToday] = {}
        """By entrant, in the order of their numbers in edges."""
        self.pairings = 0
        """Pairings that were drawn."""
        self.in_play = 0
        """Matches that are drawn and not decided."""
        self.taken_edges: EdgesTaken | None = None
        """The line that took the edges of the day before, if it is written."""
        self.key: bytes | None = None
        """The key of the day, once it is revealed."""
        # numpy is loaded for a ladder alone: most commands never need it.
        from arena.tournaments.formats.ladder import LadderDay

        _check_players(opened)
        for identity in opened.players:
            self.players[identity.entrant] = PlayerToday(identity=identity)
        self._day = LadderDay(self._fitted(opened.edges), seats=schedule.seats)

    # Lines

    def apply(self, fact: LadderFact) -> None:
        """Take the next line of the day. Raises `TournamentError`."""
        match fact:
            case EntrantCame():
                self._come(fact)
            case EntrantWent():
                self._player(fact.entrant).is_there = False
                self._day.leave(fact.entrant)
            case PairDrawn():
                self._pair(parse_fixture(fact.fixture), fact.at_ms)
            case EntrantRests():
                player = self._player(fact.entrant)
                player.rested = fact.forfeits
                player.rests_until_ms = fact.until_ms
            case EdgesTaken():
                self.taken_edges = fact
                self._day.ratings = self._fitted([*self.edges, *fact.edges])
            case PairingKey():
                self.key = bytes.fromhex(fact.key)
                self.ratings.fit(is_exact=True)
            case LadderOpened():
                raise TournamentError([Said("record.ladder_order")])

    def _player(self, entrant: str) -> PlayerToday:
        """Return a player of the day. Raises `TournamentError`."""
        player = self.players.get(entrant)
        if player is None:
            raise TournamentError([Said("record.ladder_stranger", {"name": entrant})])
        return player

    def _come(self, fact: EntrantCame) -> None:
        """Note that an entrant has come. Raises `TournamentError`."""
        player = self.players.get(fact.entrant)
        if player is None:
            identity = KnownPlayer(
                entrant=fact.entrant,
                bot=fact.bot,
                version=fact.version,
                name=fact.name,
                parent=fact.parent,
                is_house=fact.is_house,
            )
            if identity.parent:
                self._player(identity.parent)
            player = PlayerToday(identity=identity)
            self.players[fact.entrant] = player
            self._day.add(_rated_player(identity))
        player.is_there = True
        player.last_coming = fact
        self._day.arrive(fact.entrant, fact.at_ms)

    def _pair(self, fixture: Fixture, at_ms: int) -> None:
        self.pairings += 1
        self.in_play += 1
        for entrant in fixture.entrants:
            self._player(entrant).in_play.add(fixture.id)
        self._day.begin(fixture.first, fixture.second, at_ms)

    def decide(self, result: FixtureResult, at_ms: int) -> None:
        """Count a match that was settled, or is void for good."""
        self.in_play -= 1
        for entrant in (result.first, result.second):
            player = self._player(entrant)
            player.in_play.discard(result.fixture)
            if not result.voided:
                _note_match(player, result, result.seat_of(entrant), at_ms)
        size = self._games_in_unit
        for number, unit in enumerate(units_of(result, size)):
            games = result.games[number * size : (number + 1) * size]
            self._count(unit, games)
        self._day.end(result.first, result.second, at_ms)

    def _count(self, unit: Unit, games: Sequence[Result]) -> None:
        """Count a unit in the ratings."""
        forfeits_by = []
        for seat, entrant in enumerate((unit.first, unit.second), 1):
            if has_forfeited(games, seat):
                forfeits_by.append(entrant)
        self._day.count(unit.first, unit.second, score_of(unit), forfeits_by=forfeits_by)

    @property
    def ratings(self) -> LadderRatings:
        """The ratings of all players now."""
        return self._day.ratings

    # Who plays

    def free(self, now_ms: int) -> list[str]:
        """Return the entrants that can be paired now, in order."""
        return sorted(name for name, player in self.players.items() if player.is_free(now_ms))

    def wakes_ms(self, now_ms: int) -> int | None:
        """Return when the next rest is over; None if no entrant that is there rests."""
        there = [player for player in self.players.values() if player.is_there]
        ends = [player.rests_until_ms for player in there if player.rests_until_ms > now_ms]
        return min(ends, default=None)

    def due_rests(self, at_ms: int) -> list[EntrantRests]:
        """Return the lines by which those rest that have forfeited too often in a row.

        An entrant rests an hour, and after its rest one forfeit is enough to rest twice as long.
        """
        rests: list[EntrantRests] = []
        for entrant, player in self.players.items():
            forfeits = len(player.forfeited)
            if forfeits < max(FORFEITS, player.rested + 1):
                continue
            times = forfeits - FORFEITS
            line = EntrantRests(
                at_ms=at_ms,
                entrant=entrant,
                forfeits=forfeits,
                until_ms=at_ms + REST_MS * 2**times,
            )
            rests.append(line)
        return rests

    def draw(self, number: int, now_ms: int) -> Pairing | None:
        """Return the pairing of those that are free by a drawn number; None if none may meet now.

        The number is below 2**53. Its lowest bit says which of the two has seat 1.
        """
        drawn = self._day.draw(frozenset(self.free(now_ms)), now_ms, number / MOST_NUMBERS)
        if drawn is None:
            return None
        first, second = drawn.bot, drawn.opponent
        if number % 2:
            first, second = second, first
        return Pairing(fixture=self.fixture_of(first, second), probability=drawn.probability)

    def draws(self, fixture: Fixture, number: int, probability: float, now_ms: int) -> bool:
        """Return whether this number draws this fixture with this probability.

        Machines round differently, so all may differ a little from what this one draws.
        """
        bot, opponent = fixture.first, fixture.second
        if number % 2:
            bot, opponent = opponent, bot
        return self._day.agrees(
            bot,
            opponent,
            probability,
            free=frozenset(self.free(now_ms)),
            at_ms=now_ms,
            number=number / MOST_NUMBERS,
        )

    @property
    def is_full(self) -> bool:
        """True if no more matches may be drawn on this day."""
        return self.pairings >= self._ladder.most_matches

    def fixture_of(self, first: str, second: str) -> Fixture:
        """Return the fixture of the next pairing: its round is the number of the pairing."""
        return Fixture(
            round=self.pairings + 1,
            first=first,
            second=second,
            run=self._run,
        )

    # Ratings

    @property
    def edges(self) -> list[CountedEdge]:
        """All counted edges, as a line has them."""
        numbers = {name: number for number, name in enumerate(self.players)}
        return [_numbered(edge, numbers) for edge in self.ratings.edges()]

    def _fitted(self, edges: Iterable[CountedEdge]) -> LadderRatings:
        """Return the ratings of all players with these edges."""
        from arena.tournaments.statistics.ladder_ratings import LadderRatings

        names = list(self.players)
        return LadderRatings(
            [_rated_player(player.identity) for player in self.players.values()],
            [_named(edge, names) for edge in edges],
            anchors_mean_elo=self.opened.anchors_mean_elo,
        )

    def rated(self, entrants: Iterable[str]) -> dict[str, Rated]:
        """Return the present ratings of these entrants, to 0.01 Elo as lines have them."""
        rated = {}
        for entrant in entrants:
            player = self.players[entrant]
            rated[entrant] = Rated(
                elo=round(self.ratings.elo(entrant), 2) + 0.0,
                error=round(self.ratings.error(entrant), 2),
                units=self.units(entrant),
                version=player.identity.version,
                matches=player.matches,
                forfeits=player.forfeits,
                is_house=player.identity.is_house,
                is_anchor=player.identity.is_anchor,
            )
        return rated

    def units(self, entrant: str) -> int:
        """Return how many units of an entrant count, on all days."""
        place = self.ratings.places[entrant]
        if place < 0:
            return 0
        return int(self.ratings.units[place])


def _check_players(opened: LadderOpened) -> None:
    """Raise `TournamentError` if the ratings of these players cannot be fitted."""
    names = [player.entrant for player in opened.players]
    movers = [player for player in opened.players if player.constant_elo is UNSET]
    problems = []
    if len(set(names)) < len(names):
        problems.append(Said("record.ladder_known_twice"))
    if sum(player.is_anchor for player in movers) < LEAST_ANCHORS:
        problems.append(Said("ladder.few_anchors", {"count": LEAST_ANCHORS}))
    strangers = {player.parent for player in movers if player.parent} - set(names)
    problems += [Said("record.ladder_stranger", {"name": name}) for name in sorted(strangers)]
    if edges_name_strangers(opened.edges, len(names)):
        problems.append(Said("record.ladder_edges_of_strangers"))
    if problems:
        raise TournamentError(problems)


def edges_name_strangers(edges: Iterable[CountedEdge], players: int) -> bool:
    """Return whether an edge has a number beyond those of the players."""
    return any(max(edge[:2]) >= players for edge in edges)


def _rated_player(identity: KnownPlayer) -> Player:
    """Return a player as the ratings know it."""
    from arena.tournaments.statistics.ladder_ratings import Player

    return Player(
        name=identity.entrant,
        owner=identity.bot,
        is_anchor=identity.is_anchor,
        parent=identity.parent or None,
        constant_elo=None if identity.constant_elo is UNSET else identity.constant_elo,
    )


def _named(edge: CountedEdge, names: Sequence[str]) -> Edge:
    """Return an edge of a line with the names of its players."""
    from arena.tournaments.statistics.ladder_ratings import Edge

    first, second, units, score, squares, first_forfeits, second_forfeits = edge
    return Edge(
        first=names[first],
        second=names[second],
        units=units,
        score=score,
        squares=squares,
        first_forfeits=first_forfeits,
        second_forfeits=second_forfeits,
    )


def _numbered(edge: Edge, numbers: Mapping[str, int]) -> CountedEdge:
    """Return an edge as a line has it, with the numbers of its players."""
    first, second, *counts = astuple(edge)
    numbered: CountedEdge = convert((numbers[first], numbers[second], *counts), CountedEdge)
    return numbered


def edges_since(earlier: Iterable[CountedEdge], later: Iterable[CountedEdge]) -> list[CountedEdge]:
    """Return the edges that were counted between two moments of a day.

    Scores are whole or half, so that the differences are exact.
    """
    counts_before = {edge[:2]: edge[2:] for edge in earlier}
    edges: list[CountedEdge] = []
    for first, second, *counts in later:
        before = counts_before.get((first, second), (0, 0.0, 0.0, 0, 0))
        added = [count - old for count, old in zip(counts, before, strict=True)]
        if any(added):
            edges.append(convert((first, second, *added), CountedEdge))
    return edges


def has_forfeited(games: Sequence[Result], seat: int) -> bool:
    """Return whether the bot at this seat has forfeited one of these games."""
    return any(game.cause is not None and game.winner != seat for game in games)


def _note_match(player: PlayerToday, result: FixtureResult, seat: int, at_ms: int) -> None:
    """Note whether a player has forfeited a match, whole or in part.

    A match that it forfeits during its rest was in play before, and makes the rest no longer.
    """
    player.matches += 1
    if not has_forfeited(result.games, seat):
        player.forfeited.clear()
        player.rested = 0
        return
    player.forfeits += 1
    if at_ms >= player.rests_until_ms:
        player.forfeited.append(result.fixture)


def score_of(unit: Unit) -> float:
    """Return the score of a unit by its points: won 1, even 0.5, lost 0."""
    if unit.points == 0:
        return 0.5
    return float(unit.points > 0)
