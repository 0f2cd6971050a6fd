"""The book of a day of a ladder: what follows from its lines, taken one by one.

The running day, a resumed one, verification and pages ask the same book. Time enters by the
`at_ms` of lines alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final

from msgspec import UNSET

from arena.games.result import Result
from arena.matches.facts import Terms
from arena.records.ladder_draws import BITS, digest_of_free, drawn_number
from arena.records.ladder_facts import (
    EdgesTaken,
    EntrantCame,
    EntrantWent,
    LadderFact,
    LadderOpened,
    PairDrawn,
    PairingKey,
)
from arena.tournaments import TournamentError
from arena.tournaments.formats.interface import Rated
from arena.tournaments.formats.ladder_format import Ladder
from arena.tournaments.ladder_players import LEAST_ANCHORS, Edge, Player, unit_edge
from arena.tournaments.results import FixtureResult
from arena.tournaments.schedule import Fixture, parse_fixture
from arena.tournaments.statistics.units import Unit, units_of
from arena.words import Said

if TYPE_CHECKING:
    from arena.tournaments.formats.ladder import Chances
    from arena.tournaments.statistics.ladder_ratings import LadderRatings

FORFEITS: Final = 3
"""Forfeited matches in a row after which an entrant rests."""
REST_MS: Final = 3_600_000
"""The first rest; each further one in a row is twice as long."""


@dataclass(slots=True, kw_only=True)
class PlayerToday:
    """A version of a bot, as it stands in the day."""

    identity: Player
    is_there: bool = False
    """True between a line of its coming and one of its going."""
    last_coming: EntrantCame | None = None
    """The line of its last coming; None if it never came on this day."""
    matches: int = 0
    """Matches of the day that were settled."""
    forfeits: int = 0
    """How many of them it forfeited, whole or in part."""
    forfeited: list[str] = field(default_factory=list)
    """Those that it forfeited in a row."""
    rests_until_ms: int = 0

    def note_match(self, result: FixtureResult, at_ms: int) -> None:
        """Count a match; after three forfeits in a row it rests an hour.

        After that rest each further forfeit is enough for one twice as long. A match that it
        forfeits during its rest was in play before, and makes the rest no longer.
        """
        self.matches += 1
        if not _has_forfeited(result.games, result.seat_of(self.identity.entrant)):
            self.forfeited.clear()
            return
        self.forfeits += 1
        if at_ms < self.rests_until_ms:
            return
        self.forfeited.append(result.fixture)
        times = len(self.forfeited) - FORFEITS
        if times >= 0:
            self.rests_until_ms = at_ms + REST_MS * 2**times


class LadderBook:
    """A day of a ladder, line by line."""

    def __init__(self, schedule: Ladder, terms: Terms, run: str, opened: LadderOpened) -> None:
        """Open the book with the second line of a day. Raises `TournamentError`."""
        # numpy is loaded for a ladder alone: most commands never need it.
        from arena.tournaments.formats.ladder import LadderDay

        _check_players(opened)
        self.opened = opened
        self._ladder = schedule
        self._games_in_unit = 2 if terms.form == "pairs" else terms.games
        self._run = run
        self.players = {player.entrant: PlayerToday(identity=player) for player in opened.players}
        """By entrant, in the order of their numbers."""
        self.pairings = 0
        """Pairings that were drawn."""
        self.taken_edges: EdgesTaken | None = None
        """The line that took the edges of the day before, if it is written."""
        self.key: bytes | None = None
        """The key of the day, once it is revealed."""
        ratings = self._fitted(opened.edges)
        self._day = LadderDay(ratings, opened.players, seats=schedule.seats)

    # Lines

    def apply(self, fact: LadderFact) -> None:
        """Take the next line of the day. Raises `TournamentError`."""
        match fact:
            case EntrantCame():
                self._come(fact)
            case EntrantWent():
                self._player(fact.entrant).is_there = False
            case PairDrawn():
                fixture = parse_fixture(fact.fixture)
                for entrant in fixture.entrants:
                    self._player(entrant)
                self.pairings += 1
                self._day.begin(fixture.id, *self._numbers(fixture), fact.at_ms)
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
        identity = fact.player
        if identity.entrant not in self.players:
            if identity.parent:
                self._player(identity.parent)
            self.players[identity.entrant] = PlayerToday(identity=identity)
            self._day.add(identity)
        player = self.players[identity.entrant]
        player.is_there = True
        player.last_coming = fact
        self._day.arrive(self.ratings.numbers[identity.entrant], fact.at_ms)

    def decide(self, result: FixtureResult, at_ms: int) -> None:
        """Count a match that was settled, or is void for good."""
        if not result.voided:
            for entrant in (result.first, result.second):
                self.players[entrant].note_match(result, at_ms)
        size = self._games_in_unit
        for number, unit in enumerate(units_of(result, size)):
            games = result.games[number * size : (number + 1) * size]
            self._count(unit, games)
        self._day.end(result.fixture, at_ms)

    def _count(self, unit: Unit, games: Sequence[Result]) -> None:
        """Count a unit in the ratings."""
        numbers = self.ratings.numbers
        counted = unit_edge(
            numbers[unit.first],
            numbers[unit.second],
            score_of(unit),
            forfeits=(_has_forfeited(games, 1), _has_forfeited(games, 2)),
        )
        self._day.count(counted)

    # Who plays

    @property
    def in_play(self) -> int:
        """Matches that are drawn and not decided."""
        return len(self._day.in_play)

    def is_playing(self, entrant: str) -> bool:
        """Return whether a match of an entrant is drawn and not decided."""
        return self.ratings.numbers[entrant] in chain(*self._day.in_play.values())

    def free(self, now_ms: int) -> list[str]:
        """Return the entrants that can be paired now, in order."""
        free = []
        playing = self._day.playing.tolist()
        for (entrant, player), matches in zip(self.players.items(), playing, strict=True):
            coming = player.last_coming
            if coming is None or not player.is_there or player.rests_until_ms > now_ms:
                continue
            if matches < coming.at_once:
                free.append(entrant)
        return sorted(free)

    def wakes_ms(self, now_ms: int) -> int | None:
        """Return when the next rest is over; None if no entrant that is there rests."""
        there = [player for player in self.players.values() if player.is_there]
        ends = [player.rests_until_ms for player in there if player.rests_until_ms > now_ms]
        return min(ends, default=None)

    def draw(self, key: bytes, head: str, now_ms: int) -> PairDrawn | None:
        """Return the line of the next pairing; None if no two of those that are free may meet.

        `head` is the SHA-256 of all lines before it.
        """
        free = self.free(now_ms)
        chances = self._chances(free, now_ms)
        if chances is None:
            return None
        free_sha256 = digest_of_free(free)
        number = drawn_number(key, head, len(free), free_sha256)
        opponent = chances.opponent(number / 2**BITS)
        entrants = list(self.players)
        first, second = entrants[chances.bot], entrants[opponent]
        if number % 2:
            first, second = second, first
        return PairDrawn(
            at_ms=now_ms,
            fixture=self.fixture_of(first, second).id,
            free=len(free),
            free_sha256=free_sha256,
            number=number,
            probability=chances.probability(opponent),
        )

    def draws(self, drawn: PairDrawn) -> bool:
        """Return whether the number of a line draws its fixture with its probability.

        The number is below 2**53. Its lowest bit says which of the two has seat 1. Machines round
        differently, so number and probability may differ a little from what this one draws.
        """
        bot, opponent = self._numbers(parse_fixture(drawn.fixture))
        if drawn.number % 2:
            bot, opponent = opponent, bot
        chances = self._chances(self.free(drawn.at_ms), drawn.at_ms, recorded=bot)
        if chances is None or chances.bot != bot:
            return False
        return chances.agree(opponent, drawn.number / 2**BITS, drawn.probability)

    def _chances(
        self,
        free: Iterable[str],
        now_ms: int,
        *,
        recorded: int | None = None,
    ) -> Chances | None:
        """Return who is to play next."""
        numbers = [self.ratings.numbers[entrant] for entrant in free]
        return self._day.chances(numbers, now_ms, recorded=recorded)

    @property
    def is_full(self) -> bool:
        """True if no more matches may be drawn on this day."""
        return self.pairings >= self._ladder.most_matches

    def fixture_of(self, first: str, second: str) -> Fixture:
        """Return the fixture of the next pairing: its round is the number of the pairing."""
        return Fixture(round=self.pairings + 1, first=first, second=second, run=self._run)

    def _numbers(self, fixture: Fixture) -> tuple[int, int]:
        """Return the numbers of the two players of a fixture."""
        return self.ratings.numbers[fixture.first], self.ratings.numbers[fixture.second]

    # Ratings

    @property
    def ratings(self) -> LadderRatings:
        """The ratings of all players now."""
        return self._day.ratings

    @property
    def edges(self) -> list[Edge]:
        """All counted edges, as a line has them."""
        return self.ratings.edges()

    def _fitted(self, edges: Iterable[Edge]) -> LadderRatings:
        """Return the ratings of all players with these edges."""
        from arena.tournaments.statistics.ladder_ratings import LadderRatings

        players = [player.identity for player in self.players.values()]
        return LadderRatings(players, edges, anchors_mean_elo=self.opened.anchors_mean_elo)

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
        return int(self.ratings.units[self.ratings.numbers[entrant]])


def _check_players(opened: LadderOpened) -> None:
    """Raise `TournamentError` if the ratings of these players cannot be fitted."""
    problems = []
    anchors = 0
    entrants: set[str] = set()
    for player in opened.players:
        if player.entrant in entrants:
            problems.append(Said("record.ladder_known_twice"))
        if player.parent and player.parent not in entrants:
            problems.append(Said("record.ladder_stranger", {"name": player.parent}))
        entrants.add(player.entrant)
        anchors += player.is_anchor and player.constant_elo is UNSET
    if anchors < LEAST_ANCHORS:
        problems.append(Said("ladder.few_anchors", {"count": LEAST_ANCHORS}))
    if has_strangers(opened.edges, len(opened.players)):
        problems.append(Said("record.ladder_edges_of_strangers"))
    if problems:
        raise TournamentError(problems)


def has_strangers(edges: Iterable[Edge], players: int) -> bool:
    """Return whether an edge has a number beyond those of the players, or its numbers turned."""
    return any(not edge.first < edge.second < players for edge in edges)


def edges_since(earlier: Iterable[Edge], later: Iterable[Edge]) -> list[Edge]:
    """Return the edges that were counted between two moments of a day.

    Scores are whole or half, so that the differences are exact.
    """
    edges_before = {edge[:2]: edge for edge in earlier}
    edges = []
    for edge in later:
        before = edges_before.get(edge[:2], Edge(edge.first, edge.second))
        counts = [count - old for count, old in zip(edge[2:], before[2:], strict=True)]
        if any(counts):
            edges.append(Edge._make([*edge[:2], *counts]))
    return edges


def _has_forfeited(games: Sequence[Result], seat: int) -> bool:
    """Return whether the bot at this seat has forfeited one of these games."""
    return any(game.cause is not None and game.winner != seat for game in games)


def score_of(unit: Unit) -> float:
    """Return the score of a unit by its points: won 1, even 0.5, lost 0."""
    if unit.points == 0:
        return 0.5
    return float(unit.points > 0)
