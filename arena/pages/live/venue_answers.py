"""The answers of the pages of a venue, from its book and from the index of its runs."""

import ipaddress
from collections.abc import Sequence
from typing import Final, TypeVar

from msgspec.structs import replace

from arena.pages.live import venue_index
from arena.pages.live.costly_turns import costly_turns
from arena.pages.live.venue import RunFact, Venue, runs_of
from arena.pages.venue_contents import (
    AgainstBot,
    BotInLadder,
    BotOfVenue,
    CupInVenue,
    CupPage,
    ForfeitsByCause,
    LadderPage,
    LadderTable,
    MatchOfBot,
    RatedBot,
    RatingPoint,
    RunInVenue,
    RunPlace,
    VenuePage,
)
from arena.records.venue_facts import CupLeftOut, DayOpened
from arena.server.io.listening import ListenError, NetAddress
from arena.server.setup.weekly import next_due_ms

T = TypeVar("T")
FIRST_ROWS: Final = 20
"""Rows of each part of a table on the first page."""
MOST_RUNS: Final = 60
"""Days and times in the list of a ladder or a cup; the folder of runs has all."""


class VenueAnswers:
    """What the pages of a venue say. Every method reads the index, so it is called in a thread.

    One that takes a name raises `KeyError` if the venue has nothing of that name.
    """

    def __init__(self, venue: Venue) -> None:
        self._venue = venue

    def _ask(self, question: str, kind: type[T], runs: Sequence[str], **bound: object) -> list[T]:
        """Ask the index about those of these runs that it has."""
        entries = self._venue.runs.entries
        numbers = [entries[run].run for run in runs if run in entries]
        file = self._venue.runs.index.file
        return venue_index.rows_of(file, question, kind, runs=numbers, **bound)

    @property
    def _names(self) -> dict[str, str]:
        return {name: bot.shown for name, bot in self._venue.book.bots.items()}

    def first_page(self, _name: str = "") -> VenuePage:
        """Return the first page."""
        venue = self._venue
        return VenuePage(
            name=venue.book.name,
            names=self._names,
            announcement=venue.book.announcement,
            paused=venue.paused,
            trouble=venue.trouble,
            joining=venue.plan.venue.joining,
            door=self._door(),
            ladders=[self._table(name, FIRST_ROWS) for name in venue.ladders],
            cups=[self._cup(name) for name in venue.cups],
            now=self._played_now(),
            delay_ms=venue.runs.delay_ms,
        )

    def _door(self) -> str:
        """Return the address for bots, as far as the operator's file tells it."""
        plan = self._venue.plan
        try:
            address = plan.listen.where
        except ListenError:
            return ""
        if not isinstance(address, NetAddress) or not address.port:
            return ""
        if not ipaddress.ip_address(address.host).is_unspecified:
            return str(address)
        host, _, _ = next(iter(plan.pages.hosts), "*").partition("/")
        return f"{address.kind}:{host}:{address.port}"

    # Runs

    def _played_now(self) -> list[RunInVenue]:
        """Return the runs that are being played: the latest of each cup and ladder."""
        latest = [self._run(facts[-1]) for facts in self._venue.series]
        return [run for run in latest if run.row and run.row.state == "under way"]

    def _run(self, fact: RunFact) -> RunInVenue:
        """Return a run of the venue as the index has it."""
        if isinstance(fact, CupLeftOut):
            at_ms = fact.due_ms
            return RunInVenue(kind="cup", name=fact.cup, at_ms=at_ms, why_left_out=fact.why)
        row = self._venue.runs.index.row(fact.run)
        run = RunInVenue(kind="cup", name="", at_ms=fact.at_ms, run=fact.run, row=row)
        if isinstance(fact, DayOpened):
            return replace(run, kind="ladder", name=fact.ladder)
        return replace(run, name=fact.cup)

    def _runs(self, facts: Sequence[RunFact]) -> list[RunInVenue]:
        """Return the latest of some runs, the last one first."""
        return [self._run(fact) for fact in reversed(facts[-MOST_RUNS:])]

    def cup_page(self, cup: str) -> CupPage:
        """Return the page of a cup."""
        if cup not in self._venue.cups:
            raise KeyError(cup)
        return CupPage(cup=self._cup(cup), times=self._runs(self._venue.book.cups.get(cup, [])))

    def _cup(self, name: str) -> CupInVenue:
        times = self._runs(self._venue.book.cups.get(name, [])[-1:])
        cup = CupInVenue(cup=name, ladder="", best=0, next_ms=None, last=next(iter(times), None))
        section = self._venue.cups[name]
        if section is None:
            return cup
        now_ms = self._venue.now_ms
        next_ms = next_due_ms(section.day, section.time, section.zone, now_ms)
        return replace(cup, ladder=section.ladder, best=section.best, next_ms=next_ms)

    def place(self, run: str) -> RunPlace:
        """Return where a run stands in the venue."""
        for facts in self._venue.series:
            runs = runs_of(facts)
            if run in runs:
                number = runs.index(run)
                before, after = ["", *runs, ""][number : number + 3 : 2]
                series = self._run(facts[0])
                names = {"venue": self._venue.book.name, "name": series.name}
                return RunPlace(**names, kind=series.kind, before=before, after=after)
        raise KeyError(run)

    # Ladders

    def ladder_page(self, ladder: str) -> LadderPage:
        """Return the page of a ladder."""
        if ladder not in self._venue.ladders:
            raise KeyError(ladder)
        days = self._venue.book.days.get(ladder, [])
        return LadderPage(names=self._names, table=self._table(ladder), days=self._runs(days))

    def _players(self, ladder: str) -> tuple[list[str], list[RatedBot]]:
        """Return the days of a ladder, and its players on the last one."""
        days = runs_of(self._venue.book.days.get(ladder, ()))
        return days, self._ask(venue_index.PLAYERS, RatedBot, days)

    def _table(self, ladder: str, most: int = 1 << 30) -> LadderTable:
        """Return the table of a ladder, with at most this number of rows in each part."""
        days, players = self._players(ladder)
        placed = [player for player in players if player.part == "placed"]
        provisional = [player for player in players if player.part == "provisional"]
        anchors = [player for player in players if player.part == "anchor"]
        return LadderTable(
            ladder=ladder,
            run=next(reversed(days), ""),
            placed=placed[:most],
            provisional=provisional[:most],
            anchors=anchors[:most],
            more=len(placed[most:]) + len(provisional[most:]),
            away=len({player.bot for player in players if player.part == "away"}),
        )

    # Bots

    def bot_page(self, name: str) -> BotOfVenue:
        """Return the page of a bot."""
        bot = self._venue.book.bots[name]
        entrants = [version.entrant for version in bot.versions]
        runs = []
        for facts in self._venue.series:
            runs += runs_of(facts)
        matches = self._ask(venue_index.LAST_MATCHES, MatchOfBot, runs, entrants=entrants)
        return BotOfVenue(
            bot=name,
            names=self._names,
            is_house=bot.is_house,
            joined_ms=bot.joined_ms,
            versions_ms=[version.at_ms for version in bot.versions],
            ban=bot.ban,
            rests_until_ms=bot.rests_until_ms,
            rest_why=bot.rest_why,
            ladders=self._ladders_of(name, entrants),
            matches=[self._with_costly(match) for match in matches],
        )

    def _ladders_of(self, bot: str, entrants: list[str]) -> list[BotInLadder]:
        """Return a bot in each ladder in which it has played."""
        ladders = []
        for ladder in self._venue.ladders:
            days, players = self._players(ladder)
            versions = [player for player in players if player.bot == bot]
            if not versions:
                continue
            versions.sort(key=lambda player: -player.version)
            by_part = {player.part: player for player in versions}
            row = by_part.get("placed") or by_part.get("anchor") or by_part.get("provisional")
            in_ladder = BotInLadder(
                ladder=ladder,
                row=row or max(versions, key=lambda player: player.seen_ms),
                versions=versions,
                course=_until_now(
                    self._ask(venue_index.COURSE, RatingPoint, days, bot=bot), versions
                ),
                against=self._ask(venue_index.AGAINST, AgainstBot, days, entrants=entrants),
                forfeits=self._ask(venue_index.FORFEITS, ForfeitsByCause, days, entrants=entrants),
            )
            ladders.append(in_ladder)
        return ladders

    def _with_costly(self, match: MatchOfBot) -> MatchOfBot:
        folder = self._venue.runs.folder / match.run
        return replace(match, costly=costly_turns(folder, match.fixture, match.entrant))


def _until_now(course: Sequence[RatingPoint], versions: Sequence[RatedBot]) -> list[RatingPoint]:
    """End the course of each version that plays with its rating as the table has it.

    The matches of others move a rating, so the last point that was noted is older.
    """
    ends = {}
    for rated in versions:
        if rated.matches and rated.part != "old":
            ends[rated.version] = RatingPoint(
                at_ms=rated.seen_ms, version=rated.version, elo=rated.elo, error=rated.error
            )
    points = []
    for point in course:
        end = ends.get(point.version)
        if end is None or point.at_ms < end.at_ms:
            points.append(point)
    return sorted([*points, *ends.values()], key=lambda point: point.at_ms)
