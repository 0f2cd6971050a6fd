"""The matches of a run for the page: the list of all, the games to play through, the first one."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from arena.games.result import Result
from arena.matches.facts import (
    BotLeft,
    BotMissing,
    GameEnded,
    GameStarted,
    MatchFact,
    MatchOpened,
    TurnPlayed,
    TurnRejected,
)
from arena.pages.boards import pips
from arena.pages.contents import Board, MatchPage, ReplayedGame
from arena.pages.findings import Featured, Incident, IncidentKind
from arena.pages.games import follow
from arena.pages.report.figures import PlayFigures
from arena.pages.run_page import page_of_attempt, page_without_record
from arena.records.analysed import Analysis
from arena.records.facts import FixtureSettled
from arena.records.files import match_record
from arena.records.lines import Attempt
from arena.records.replay import Replayed
from arena.records.statistics import Conduct, add_conduct
from arena.records.timeline import Moment, Place
from arena.tournaments.standings import Standings
from arena.words import Said

MOST_INCIDENTS: Final = 100
"""The rest of a kind are only counted."""

TURNAROUND: Final = 60
"""Pips that the later winner must have been behind; a side begins with 360 in Bräde and 167 in
backgammon."""
CLOSE: Final = 24
"""The most pips of the loser at the end of a close finish: one checker's whole way."""

GamesWanted = int | Literal["all", "forfeits"]
"""The games that can be played through: a number of them, all, or the forfeited ones."""


class _SettledGame(NamedTuple):
    """A game of a match that is settled."""

    fixture: str
    number: int
    result: Result


class ChosenGames:
    """Games that are put into the page: forfeited ones first, then all others in the order of play.

    Where there is room for only some of the others, the first forced jan comes before them all.
    """

    def __init__(self, settled: Collection[FixtureSettled], wanted: GamesWanted) -> None:
        played = []
        for fact in settled:
            for number, ended in enumerate(fact.games, 1):
                played.append(_SettledGame(fact.fixture, number, ended))
        forfeited = [game for game in played if game.result.cause]
        self._room: int | None
        """The number of games for which there is still room; None if there is room for all."""
        if wanted == "all":
            chosen = played
            self._room = None
        elif wanted == "forfeits":
            chosen = forfeited
            self._room = 0
        else:
            forced = [game for game in played if game.result.ending == "forced_jan"]
            by_rank = dict.fromkeys([*forced[:1], *forfeited, *played])
            chosen = list(by_rank)[:wanted]
            self._room = wanted - len(chosen)
        self._games: dict[str, set[int]] = defaultdict(set)
        for game in chosen:
            self._games[game.fixture].add(game.number)

    def of_attempt(self, attempt: Attempt, *, is_settled: bool) -> set[int]:
        """Return the games of an attempt; `is_settled` is true for the one that counts.

        Of one that is void or under way there are games as long as there is room.
        """
        if is_settled:
            return self.of_settled(attempt.opened.match)
        started = [fact.game for _, fact in attempt.facts if isinstance(fact, GameStarted)]
        if self._room is not None:
            started = started[: self._room]
            self._room -= len(started)
        return set(started)

    def of_settled(self, fixture: str) -> set[int]:
        """Return the games of an attempt that counts."""
        return self._games[fixture]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Report:
    """A fact as an incident, without its place in the page."""

    kind: IncidentKind
    seat: int
    label: Said | str
    text: Said | str


class Incidents:
    """Collects incidents attempt by attempt, the first of each kind."""

    def __init__(self) -> None:
        self._listed: dict[IncidentKind, list[Incident]] = {
            "forfeit": [],
            "missing": [],
            "left": [],
            "rejected": [],
        }
        self._counts: Counter[IncidentKind] = Counter()

    @property
    def listed(self) -> list[Incident]:
        """The listed incidents, the gravest kind first."""
        listed = []
        for incidents in self._listed.values():
            listed += incidents
        return listed

    @property
    def left_out(self) -> int:
        """Number of incidents that are left out."""
        return self._counts.total() - len(self.listed)

    def add(
        self,
        moments: Iterable[Moment],
        opened: MatchOpened,
        link: str,
    ) -> None:
        """Add the moments of the next attempt at a match, and its part of the page's address."""
        for moment in moments:
            report = _report_of(moment.fact, opened)
            if report is None:
                continue
            self._counts[report.kind] += 1
            if self._counts[report.kind] > MOST_INCIDENTS:
                continue
            place = Place(0, "")
            if moment.places:  # a game was open
                place = moment.places[0]
            incident = Incident(
                kind=report.kind,
                link=link,
                game=place.game,
                at=place.label,
                entrant=opened.entrants[report.seat - 1],
                label=report.label,
                text=report.text,
            )
            self._listed[report.kind].append(incident)


def _report_of(fact: MatchFact, opened: MatchOpened) -> _Report | None:
    """Return a fact as an incident; None if it is none."""
    match fact:
        case TurnPlayed():  # nearly all
            return None
        case TurnRejected():
            label = f"{fact.code}, {fact.clause}"
            return _Report(
                kind="rejected",
                seat=fact.seat,
                label=label,
                text=fact.said,
            )
        case BotLeft():
            return _Report(
                kind="left",
                seat=fact.seat,
                label=Said("cause.left"),
                text=fact.reason,
            )
        case BotMissing():
            return _Report(
                kind="missing", seat=fact.seat, label=Said("cause.missing"), text=fact.reason
            )
        case GameEnded(result=Result(cause=str() as cause, winner=int() as winner)):
            parts = {
                "turns": fact.turns,
                "points": Said("count.points", {"count": fact.result.points}),
                "name": opened.shown[winner - 1],
            }
            return _Report(
                kind="forfeit",
                seat=3 - winner,
                label=Said(f"cause.{cause}"),
                text=Said("incident.forfeit", parts),
            )
    return None


class Matches:
    """Goes through the records of a run match by match, and keeps their contents for the page."""

    def __init__(
        self,
        entrants: Iterable[str],
        table: Standings,
        choice: ChosenGames,
        *,
        is_audited: bool,
    ) -> None:
        self._counted = table.counted
        self._best_game = table.best_game
        self._choice = choice
        self._is_audited = is_audited
        self.replayed: dict[str, list[Replayed]] = {}
        """The attempts that were replayed, by the name of their record."""
        self.conduct = {name: Conduct() for name in entrants}
        """Of each entrant, in the matches that count."""
        self.pages: list[MatchPage] = []
        self.versions: dict[str, str] = {}
        """The version of each entrant's bot, as it was told at its last login."""
        self.latest_ms = 0
        self.incidents = Incidents()
        self.play = PlayFigures()

    def add(
        self,
        fixture: str,
        attempts: Sequence[Attempt],
        settled: FixtureSettled | None,
        analysis: Analysis | None = None,
    ) -> None:
        """Add the next match, with every attempt at it.

        `settled` and `analysis` are None for a match that is not settled or not analysed.
        """
        is_counted = fixture in self._counted
        if not attempts:
            self.pages.append(page_without_record(fixture, settled, is_counted=is_counted))
        pages = [
            self._page_of(fixture, attempt, len(attempts), settled, analysis)
            for attempt in attempts
        ]
        self.pages += sorted(pages, key=lambda page: page.link != page.fixture)
        if analysis is not None:
            links = {page.attempt: page.link for page in pages}
            is_annulled = settled is not None and not is_counted
            self.play.add(analysis, links, is_annulled=is_annulled)

    def _page_of(
        self,
        fixture: str,
        attempt: Attempt,
        attempts: int,
        settled: FixtureSettled | None,
        analysis: Analysis | None,
    ) -> MatchPage:
        """Go through one attempt of the match; return its page."""
        is_counted = fixture in self._counted
        is_settled = settled is not None and attempt.opened.attempt == settled.attempt
        wanted = self._choice.of_attempt(attempt, is_settled=is_settled)
        followed = follow(attempt, wanted, analysis, is_audited=self._is_audited)
        if followed.replayed is not None:
            self.replayed.setdefault(match_record(fixture), []).append(followed.replayed)
        page = page_of_attempt(
            attempt,
            followed.book,
            attempts,
            settled,
            is_counted=is_counted,
            best_game=self._best_game,
            shown=followed.games,
            broken=followed.broken,
        )
        self.incidents.add(followed.moments, attempt.opened, page.link)
        if settled is not None and is_settled and is_counted:
            add_conduct(self.conduct, settled, attempt)
        self.latest_ms = max(self.latest_ms, attempt.opened.at_ms)
        if attempt.facts:
            _, last = attempt.facts[-1]
            self.latest_ms = max(self.latest_ms, last.at_ms)
        for name, version in zip(page.entrants, page.versions, strict=True):
            if version:
                self.versions[name] = version
        return page


@dataclass(frozen=True, slots=True, kw_only=True)
class _DecidedGame:
    """A game that was decided over the board and can be played through."""

    match: MatchPage
    game: ReplayedGame
    result: Result

    def featured(self, why: Said) -> Featured:
        """Return it as the game to look at first."""
        return Featured(
            link=self.match.link,
            game=self.game.number,
            why=why,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Race:
    """The pips over a decided game of tables."""

    decided: _DecidedGame
    turnaround: int
    """Pips that the winner was behind when it was furthest behind."""
    to_go: int
    """Pips of the loser at the end."""


def most_remarkable(matches: Sequence[MatchPage], board: Board) -> Featured | None:
    """Choose the game to look at first; of equals the first.

    It is a forced jan, else the biggest turnaround, the closest finish, or the longest game. Only
    games that were decided over the board and can be played through are looked at.
    """
    games = _decided_games(matches)
    if not games:
        return None
    for decided in games:
        if decided.result.ending == "forced_jan":
            return decided.featured(Said("featured.forced_jan"))
    if board.kind == "tables":
        race = _remarkable_race([_race_of(decided, board) for decided in games])
        if race is not None:
            return race
    longest = max(games, key=lambda decided: len(decided.game.steps))
    return longest.featured(Said("featured.longest", {"turns": len(longest.game.steps)}))


def _decided_games(matches: Sequence[MatchPage]) -> list[_DecidedGame]:
    """Return the games that were won over the board, and are shown."""
    games = []
    for match in matches:
        if match.void or match.broken:
            continue
        for game in match.shown:
            if game.ended is None or not game.steps:
                continue
            ended = game.ended.result
            if ended.winner and not ended.cause:
                games.append(_DecidedGame(match=match, game=game, result=ended))
    return games


def _remarkable_race(races: Sequence[_Race]) -> Featured | None:
    """Choose the biggest turnaround or else the closest finish; None if neither is remarkable."""
    turned = max(races, key=lambda race: race.turnaround)
    if turned.turnaround >= TURNAROUND:
        why = Said("featured.turnaround", {"pips": turned.turnaround})
        return turned.decided.featured(why)
    endings = ("bearing_off", "gammon", "backgammon")
    finished = [race for race in races if race.decided.result.ending in endings]
    if not finished:
        return None
    closest = min(finished, key=lambda race: race.to_go)
    if closest.to_go > CLOSE:
        return None
    return closest.decided.featured(Said("featured.finish", {"count": closest.to_go}))


def _race_of(decided: _DecidedGame, board: Board) -> _Race:
    """Return how far the winner was behind at worst, and what the loser had still to go."""
    game = decided.game
    positions = [game.start]
    positions += [step.position for step in game.steps if step.position]
    deficits = []
    loser = 0
    for position in positions:
        winner, loser = pips(position, board)
        if decided.result.winner == 2:
            winner, loser = loser, winner
        deficits.append(winner - loser)
    return _Race(decided=decided, turnaround=max(deficits), to_go=loser)
