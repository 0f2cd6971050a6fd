"""The matches of a run for the page: the list of all, the games to play through, and the one to begin with."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Final, Literal

from arena.games.result import Result
from arena.matches.facts import (
    BotLeft,
    BotMissing,
    GameEnded,
    GameStarted,
    MatchOpened,
    TurnPlayed,
    TurnRejected,
)
from arena.pages.boards import pips
from arena.pages.contents import Board, MatchPage, ReplayedGame
from arena.pages.findings import Featured, Incident, IncidentKind
from arena.pages.games import follow
from arena.pages.report.figures import Play
from arena.pages.run_page import page_of_attempt, page_without_record
from arena.records.analysed import Analysis
from arena.records.facts import FixtureSettled
from arena.records.files import match_record
from arena.records.lines import Attempt
from arena.records.replay import Replayed
from arena.records.statistics import Conduct, add_conduct
from arena.records.timeline import Moment, Place
from arena.words import Said

MOST_INCIDENTS: Final = 100
"""The rest of a kind are only counted."""

TURNAROUND: Final = 60
"""Pips that the later winner must have been behind; a side begins with 360 in Bräde and 167 in
backgammon."""
CLOSE: Final = 24
"""Pips that the loser may have left for the finish to be called close: one checker's whole way."""

GamesWanted = int | Literal["all", "forfeits"]
"""The games that can be played through: a number of them, all, or the forfeited ones."""


class ChosenGames:
    """Games that are put into the page: those forfeited first, then all others in the order of play.

    Where there is room for only some of the others, the first forced jan comes before them all.
    """

    def __init__(self, settled: Collection[FixtureSettled], wanted: GamesWanted) -> None:
        every = [
            (fact.fixture, number, game)
            for fact in settled
            for number, game in enumerate(fact.games, 1)
        ]
        forfeited = [one for one in every if one[2].cause]
        if wanted == "all":
            chosen, self._left = every, None
        elif wanted == "forfeits":
            chosen, self._left = forfeited, 0
        else:
            forced = [one for one in every if one[2].ending == "forced_jan"]
            chosen = list(dict.fromkeys([*forced[:1], *forfeited, *every]))[:wanted]
            self._left = wanted - len(chosen)
        self._games: dict[str, set[int]] = defaultdict(set)
        for fixture, number, _ in chosen:
            self._games[fixture].add(number)

    def of_settled(self, fixture: str) -> set[int]:
        """The games of an attempt that counts."""
        return self._games[fixture]

    def of_other(self, attempt: Attempt) -> set[int]:
        """The games of an attempt that is void or under way, as long as there is room."""
        begun = [fact.game for _, fact in attempt.facts if isinstance(fact, GameStarted)]
        if self._left is None:
            return set(begun)
        taken = begun[: self._left]
        self._left -= len(taken)
        return set(taken)


class Incidents:
    """Collects incidents attempt by attempt, the first of each kind."""

    def __init__(self) -> None:
        self._told: dict[IncidentKind, list[Incident]] = {
            "forfeit": [],
            "missing": [],
            "left": [],
            "rejected": [],
        }
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
        for moment in moments:
            kind: IncidentKind
            seat: int
            label: Said | str
            text: Said | str
            match moment.fact:
                case TurnPlayed():
                    continue  # nearly all
                case TurnRejected() as fact:
                    kind, seat, label, text = (
                        "rejected",
                        fact.seat,
                        f"{fact.code}, {fact.clause}",
                        fact.said,
                    )
                case BotLeft() as fact:
                    kind, seat, label, text = "left", fact.seat, Said("cause.left"), fact.reason
                case BotMissing() as fact:
                    kind, seat, label, text = (
                        "missing",
                        fact.seat,
                        Said("cause.missing"),
                        fact.reason,
                    )
                case GameEnded(result=Result(cause=str() as cause, winner=int() as winner)) as fact:
                    points = Said("count.points", {"count": fact.result.points})
                    values = {
                        "turns": fact.turns,
                        "points": points,
                        "name": opened.shown[winner - 1],
                    }
                    kind, seat, label = "forfeit", 3 - winner, Said(f"cause.{cause}")
                    text = Said("incident.forfeit", values)
                case _:
                    continue
            self._counts[kind] += 1
            if self._counts[kind] <= MOST_INCIDENTS:
                place = moment.places[0] if moment.places else Place(0, "")  # no game was open
                entrant, game, at = opened.entrants[seat - 1], place.game, place.label
                found = Incident(
                    kind=kind, link=link, game=game, at=at, entrant=entrant, label=label, text=text
                )
                self._told[kind].append(found)


class Matches:
    """Goes through the records of a run match by match, and keeps what the page needs."""

    def __init__(
        self,
        entrants: Iterable[str],
        counted: Collection[str],
        choice: ChosenGames,
        *,
        is_audited: bool,
    ) -> None:
        self._counted = counted
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
        self.play = Play()

    def take(
        self,
        fixture: str,
        attempts: Sequence[Attempt],
        settled: FixtureSettled | None,
        analysis: Analysis | None = None,
    ) -> None:
        """Take the next match, with every attempt at it, how it was settled, if it was, and its analysis, if any."""
        is_counted = fixture in self._counted
        if not attempts:
            self.pages.append(page_without_record(fixture, settled, is_counted=is_counted))
        places: dict[int, str] = {}
        pages = []
        for attempt in attempts:
            number = attempt.opened.attempt
            is_settled = settled is not None and number == settled.attempt
            wanted = (
                self._choice.of_settled(fixture) if is_settled else self._choice.of_other(attempt)
            )
            followed = follow(attempt, wanted, analysis, is_audited=self._is_audited)
            if followed.replayed is not None:
                self.replayed.setdefault(match_record(fixture), []).append(followed.replayed)
            page = page_of_attempt(
                attempt,
                followed.book,
                len(attempts),
                settled,
                is_counted=is_counted,
                shown=followed.games,
                broken=followed.broken,
            )
            places[number] = page.link
            self.incidents.take(followed.moments, attempt.opened, page.link)
            if settled is not None and is_settled and is_counted:
                add_conduct(self.conduct, settled, attempt)
            last = attempt.facts[-1][1] if attempt.facts else attempt.opened
            self.latest_ms = max(self.latest_ms, last.at_ms)
            self.versions |= {
                name: version
                for name, version in zip(page.entrants, page.versions, strict=True)
                if version
            }
            pages.append(page)
        self.pages += sorted(pages, key=lambda page: page.link != page.fixture)
        if analysis is not None:
            self.play.take(analysis, places, is_annulled=settled is not None and not is_counted)


def most_remarkable(matches: Sequence[MatchPage], board: Board) -> Featured | None:
    """The game to look at first: a forced jan, else the biggest turnaround, the closest finish, the longest game.

    Only games that were decided over the board and can be played through are looked at; of equals
    the first.
    """
    decided = [
        (match, game, game.ended.result)
        for match in matches
        if not (match.void or match.broken)
        for game in match.shown
        if game.ended is not None
        and game.ended.result.winner
        and not game.ended.result.cause
        and game.steps
    ]
    if not decided:
        return None
    for match, game, result in decided:
        if result.ending == "forced_jan":
            return _featured(match, game, Said("featured.forced_jan"))
    if board.kind == "tables":
        courses = [
            (match, game, result, _pips_left(game, result, board))
            for match, game, result in decided
        ]
        match, game, _, left = max(courses, key=lambda one: _turnaround(one[3]))
        if _turnaround(left) >= TURNAROUND:
            return _featured(match, game, Said("featured.turnaround", {"pips": _turnaround(left)}))
        finished = [
            one for one in courses if one[2].ending in ("bearing_off", "gammon", "backgammon")
        ]
        if finished:
            match, game, _, left = min(finished, key=lambda one: one[3][-1][1])
            if left[-1][1] <= CLOSE:
                return _featured(match, game, Said("featured.finish", {"count": left[-1][1]}))
    match, game, _ = max(decided, key=lambda one: len(one[1].steps))
    return _featured(match, game, Said("featured.longest", {"turns": len(game.steps)}))


def _featured(match: MatchPage, game: ReplayedGame, why: Said) -> Featured:
    return Featured(link=match.link, game=game.number, why=why)


def _pips_left(game: ReplayedGame, result: Result, board: Board) -> list[tuple[int, int]]:
    """Return the pips of the winner and of the loser at the start and after each turn."""
    positions = [game.start, *(step.position for step in game.steps if step.position)]
    sides = [pips(position, board) for position in positions]
    return sides if result.winner == 1 else [(one, other) for other, one in sides]


def _turnaround(left: Sequence[tuple[int, int]]) -> int:
    """Return how many pips the winner was behind when it was furthest behind."""
    return max(winner - loser for winner, loser in left)
