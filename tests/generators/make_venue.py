"""Writes the folder of a venue as `arena serve` leaves it, to look at its pages and to measure them.

    python -m tests.generators.make_venue FOLDER --days 30 --matches 200

A day of its ladder has bots that come, new versions, forfeits and a rest; pairings are drawn by the
book of the ladder. Saturdays have a cup. Only the last matches of a day have records of their own,
copies of a few that were played at random; the last day is still being played. The dice are those
of the copies, so `arena verify` would refuse them; the pages do not verify.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from arena.records.facts import (
    FixtureIssued,
    RoundDrawn,
    TournamentFact,
    TournamentOpened,
)
from arena.records.files import (
    MATCHES,
    TOURNAMENT_FILE,
    TOURNAMENT_RECORD,
    VENUE_RECORD,
    match_record,
)
from arena.records.ladder_day import LadderBook
from arena.records.ladder_draws import commitment_of_key
from arena.records.ladder_facts import (
    EarlierDay,
    EntrantCame,
    LadderOpened,
    PairingKey,
)
from arena.records.lines_of_play import ended_fact
from arena.records.state import TournamentState
from arena.records.venue_facts import (
    Announced,
    ArenaStarted,
    BotBanned,
    BotJoined,
    CupBegun,
    CupLeftOut,
    DayOpened,
    InviteMade,
    VenueFact,
    VenueOpened,
    VersionSeen,
)
from arena.server.setup.venue_file import VENUE_FILE, default_text
from arena.tournaments.formats.ladder_format import Ladder
from arena.tournaments.formats.swiss import SwissMonrad
from arena.tournaments.ladder_players import Player
from arena.tournaments.schedule import Fixture, parse_fixture
from tests.fixtures.copied_matches import TERMS, Copied, copied_matches, settled_copy
from tests.fixtures.small_run import closed, file_of, lines, opened_tournament

DAY_MS: Final = 86_400_000
MATCH_MS: Final = 20_000
ERROR: Final = 25.0
KEY: Final = bytes(range(32))
ANCHORS: Final = ("random", "greedy", "lookahead", "neural")
STRENGTHS: Final = {"random": -420.0, "greedy": -60.0, "lookahead": 130.0, "neural": 350.0}
NAMES: Final = {
    "anna": "Anna Andersson",
    "bo": "Bo",
    "tjuven": "Tjuven",
    "cia": "Cia från Åmål",
    "regal-skeppet": "Regalskeppet Vasa",
    "wasabot": "wasabot",
    "slow-and-steady-wins-brade": "Slow and steady wins the brädespel, says its author",
    "gosta": "Gösta",
    "monk": "The Monk",
    "q": "Q",
}
"""Bots of others by id, with their display names."""


@dataclass(slots=True, kw_only=True)
class Build:
    """A version of a bot, with the strength that its results are drawn from."""

    bot: str
    number: int
    elo: float
    is_house: bool = False

    @property
    def entrant(self) -> str:
        return f"{self.bot}-{self.number}"


@dataclass
class RunOnDisk:
    """A run that is written line by line."""

    folder: Path
    header: TournamentOpened
    facts: list[TournamentFact] = field(default_factory=list)
    matches: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.state = TournamentState(self.header)
        self.facts.append(self.header)

    def add(self, fact: TournamentFact) -> None:
        self.state.apply(fact)
        self.facts.append(fact)

    def write(self, *, is_over: bool, records: int) -> str:
        """Write the run with the records of its last matches; return the hash of its record."""
        (self.folder / MATCHES).mkdir(parents=True)
        (self.folder / TOURNAMENT_FILE).write_bytes(file_of(opened_tournament()))
        for fixture in list(self.matches)[-records:]:
            (self.folder / match_record(fixture)).write_bytes(self.matches[fixture])
        record = closed(b"", self.facts) if is_over else lines(self.facts)
        (self.folder / TOURNAMENT_RECORD).write_bytes(record)
        return hashlib.sha256(record).hexdigest()


class VenueMaker:
    """Makes the days of a venue, one after the other."""

    def __init__(self, folder: Path, *, bots: int, matches: int, first_ms: int) -> None:
        self.folder = folder
        self.matches = matches
        self.first_ms = first_ms
        self.chance = random.Random(46)
        self.copies = copied_matches()
        self.forfeited = {1: Copied(90, forfeits=1), 2: Copied(91, forfeits=2)}
        self.log: list[VenueFact] = []
        self.builds: dict[str, Build] = {}
        self.known: list[Player] = []
        self.before: tuple[EarlierDay, LadderBook] | None = None
        self.unreliable = "tjuven"
        names = dict(NAMES)
        for number in range(len(names), bots):
            names[f"bot{number}x"] = f"Bot {number}"
        self.waiting = list(names.items())[: max(bots, 1)]

    def begin(self) -> None:
        start_ms = self.first_ms - 60_000
        self.log += [
            VenueOpened(at_ms=start_ms, name="Brädklubben i Uppsala"),
            ArenaStarted(at_ms=start_ms, version="1.0"),
        ]
        for bot in ANCHORS:
            self.log.append(BotJoined(at_ms=start_ms, bot=bot, shown=bot))
            self._see(bot, STRENGTHS[bot], start_ms, is_house=True)
        (self.folder / VENUE_FILE).write_text(default_text().replace('"Bräde"', '"Klubben"') + CUP)

    def _join(self, bot: str, shown: str, at_ms: int) -> None:
        invite = hashlib.sha256(f"invite {bot}".encode()).hexdigest()
        token = hashlib.sha256(f"token {bot}".encode()).hexdigest()
        self.log += [
            InviteMade(at_ms=at_ms - 1000, invite_sha256=invite, until_ms=at_ms + 7 * DAY_MS),
            BotJoined(at_ms=at_ms, bot=bot, shown=shown, token_sha256=token, invite_sha256=invite),
        ]
        self._see(bot, self.chance.gauss(60, 220), at_ms)

    def _see(self, bot: str, elo: float, at_ms: int, *, is_house: bool = False) -> None:
        """Let a bot have a new version from now on."""
        before = self.builds.get(bot)
        number = 1 if before is None else before.number + 1
        self.builds[bot] = Build(bot=bot, number=number, elo=elo, is_house=is_house)
        seen = VersionSeen(at_ms=at_ms, bot=bot, number=number, fingerprint=f"{bot} {number}")
        if before is not None:
            seen = msgspec.structs.replace(seen, parent=before.number)
        self.log.append(seen)

    # A day

    def day(self, number: int, *, is_last: bool) -> None:
        """Play a day."""
        at_ms = self.first_ms + number * DAY_MS
        date = datetime.fromtimestamp(at_ms / 1000, UTC).date()
        if self.waiting and number % 2 == 0:
            for bot, shown in self.waiting[:3]:
                self._join(bot, shown, at_ms - 5000)
            self.waiting = self.waiting[3:]
        if number and number % 4 == 0:
            played = {player.bot for player in self.known} - set(ANCHORS)
            bot = self.chance.choice(sorted(played))
            better = self.builds[bot].elo + self.chance.gauss(40, 50)
            self._see(bot, better, at_ms - 4000)
        run = f"vasa-{date}"
        self.log.append(DayOpened(at_ms=at_ms, ladder="vasa", run=run))
        header = msgspec.structs.replace(
            opened_tournament(TERMS, entrants=()),
            at_ms=at_ms,
            name=f"vasa {date}",
            run=run,
            schedule=Ladder(seats=3),
        )
        on_disk = RunOnDisk(self.folder / "runs" / run, header)
        self._open(on_disk, at_ms)
        book = on_disk.state.book
        assert book is not None
        shown = {fact.bot: fact.shown for fact in self.log if isinstance(fact, BotJoined)}
        for build in self.builds.values():
            player = Player(
                entrant=build.entrant,
                bot=build.bot,
                version=build.number,
                name=shown[build.bot],
                parent=f"{build.bot}-{build.number - 1}" if build.number > 1 else "",
                is_house=build.is_house,
            )
            if build.entrant in book.players:
                player = book.players[build.entrant].identity
            at_once = 8 if build.is_house else 1
            on_disk.add(EntrantCame(at_ms=at_ms + 10, player=player, at_once=at_once))
        count = self.matches // 2 if is_last else self.matches
        pause_ms = (DAY_MS // 2) // max(1, self.matches)
        now_ms = at_ms + 20
        for _ in range(count):
            now_ms += pause_ms
            fixture = self._drawn(on_disk, book, now_ms)
            if fixture is not None:
                self._settle(on_disk, fixture, now_ms + MATCH_MS)
        if is_last:
            for _ in range(3):
                fixture = self._drawn(on_disk, book, now_ms + MATCH_MS + 1)
                if fixture is not None:
                    copy = self.copies[1][self.chance.randrange(len(self.copies[1]))]
                    text = copy.record_of(fixture).split(b"\n")
                    half = len(text) // 2
                    on_disk.matches[fixture.id] = b"\n".join(text[:half]) + b"\n"
            on_disk.write(is_over=False, records=80)
            return
        end_ms = at_ms + DAY_MS + 1000
        on_disk.add(PairingKey(at_ms=end_ms, key=KEY.hex()))
        table = on_disk.state.standings()
        on_disk.add(ended_fact(table, end_ms, on_disk.state.rated))
        digest = on_disk.write(is_over=True, records=40)
        self.before = (EarlierDay(run=run, lines=len(on_disk.facts), sha256=digest), book)
        self._remember(book)
        if date.weekday() == 5:
            self._cup(str(date), at_ms + 19 * 3_600_000)

    def _open(self, on_disk: RunOnDisk, at_ms: int) -> None:
        opened = LadderOpened(
            at_ms=at_ms,
            key_commitment=commitment_of_key(KEY),
            players=self.known or self._anchors(),
            edges=[],
        )
        if self.before is not None:
            earlier, book = self.before
            opened = msgspec.structs.replace(opened, before=earlier, edges=book.edges)
        on_disk.add(opened)

    def _anchors(self) -> list[Player]:
        return [
            Player(entrant=f"{bot}-1", bot=bot, version=1, is_house=True, is_anchor=True)
            for bot in ANCHORS
        ]

    def _remember(self, book: LadderBook) -> None:
        """Note who is known to the next day: a version freezes once its child has a small error."""
        replaced = set()
        for entrant, player in book.players.items():
            if player.identity.parent and book.ratings.error(entrant) <= ERROR:
                replaced.add(player.identity.parent)
        self.known = []
        for entrant, player in book.players.items():
            known = player.identity
            if entrant in replaced:
                known = msgspec.structs.replace(known, is_frozen=True)
            self.known.append(known)

    def _drawn(self, on_disk: RunOnDisk, book: LadderBook, now_ms: int) -> Fixture | None:
        """Draw the next match, and issue it."""
        drawn = book.draw(KEY, self.chance.randbytes(32).hex(), now_ms)
        if drawn is None:
            return None
        fixture = parse_fixture(drawn.fixture)
        on_disk.add(drawn)
        on_disk.add(
            FixtureIssued(
                at_ms=now_ms,
                fixture=fixture.id,
                attempt=1,
                dice_commitment=self.copies[1][0].commitment,
            )
        )
        return fixture

    def _settle(self, on_disk: RunOnDisk, fixture: Fixture, now_ms: int) -> None:
        copy = self._played(fixture)
        settled, record = settled_copy(on_disk.state, fixture, copy, now_ms)
        on_disk.matches[fixture.id] = record
        on_disk.add(settled)

    def _played(self, fixture: Fixture) -> Copied:
        """Return the match whose result this one gets."""
        builds = {build.entrant: build for build in self.builds.values()}
        for seat, entrant in enumerate((fixture.first, fixture.second), 1):
            odds = 0.4 if entrant.startswith(self.unreliable) else 0.004
            if self.chance.random() < odds:
                return self.forfeited[seat]
        lead = builds[fixture.first].elo - builds[fixture.second].elo
        chance = 1 / (1 + 10 ** (-lead / 400))
        winner = 1 if self.chance.random() < chance else 2
        if self.copies[0] and self.chance.random() < 0.1:
            winner = 0
        return self.chance.choice(self.copies[winner])

    # Cups

    def _cup(self, date: str, at_ms: int) -> None:
        """Play a cup of the best, by a Swiss system."""
        run = f"saturday-{date}"
        assert self.before is not None
        _, book = self.before
        best = sorted(
            (build.entrant for build in self.builds.values()),
            key=lambda entrant: -book.ratings.elo(entrant),
        )[:8]
        if len(best) < 4:
            return
        self.log.append(CupBegun(at_ms=at_ms, cup="saturday", run=run))
        shown = {fact.bot: fact.shown for fact in self.log if isinstance(fact, BotJoined)}
        header = msgspec.structs.replace(
            opened_tournament(TERMS, entrants=best),
            at_ms=at_ms,
            name=f"saturday {date}",
            run=run,
            names={entrant: shown[entrant.rpartition("-")[0]] for entrant in best},
            schedule=SwissMonrad(rounds=3),
        )
        on_disk = RunOnDisk(self.folder / "runs" / run, header)
        now_ms = at_ms
        while (drawn := on_disk.state.next_round()) is not None:
            names = [fixture.id for fixture in drawn.fixtures]
            fact = RoundDrawn(at_ms=now_ms, round=drawn.number, fixtures=names, byes=drawn.byes)
            on_disk.add(fact)
            for name in names:
                fixture = parse_fixture(name)
                commitment = self.copies[1][0].commitment
                on_disk.add(
                    FixtureIssued(at_ms=now_ms, fixture=name, attempt=1, dice_commitment=commitment)
                )
                now_ms += MATCH_MS
                copy = self._played(fixture)
                settled, record = settled_copy(on_disk.state, fixture, copy, now_ms)
                on_disk.matches[name] = record
                on_disk.add(settled)
        on_disk.add(ended_fact(on_disk.state.standings(), now_ms, {}))
        on_disk.write(is_over=True, records=100)

    def end(self) -> None:
        """Write the log of the venue."""
        last_ms = max(fact.at_ms for fact in self.log)
        self.log += [
            CupLeftOut(at_ms=last_ms, cup="sunday", due_ms=last_ms - DAY_MS, why="too_few"),
            BotBanned(at_ms=last_ms, bot=self.unreliable, why="It floods the door."),
            Announced(at_ms=last_ms, text="The cup begins at 20:00. Welcome, all of you!"),
        ]
        self.log.sort(key=lambda fact: fact.at_ms)
        (self.folder / VENUE_RECORD).write_bytes(lines(self.log))


CUP: Final = """
[[cup]]
name = "saturday"
ladder = "vasa"
day = "saturday"
time = "20:00"
zone = "Europe/Stockholm"
best = 8
format = "swiss-monrad-1"
rounds = 3

[[cup]]
name = "sunday"
ladder = "vasa"
day = "sunday"
time = "18:00"
zone = "Europe/Stockholm"
best = 4
"""


def write_venue(
    folder: Path, *, days: int, matches: int, bots: int, first_ms: int
) -> Mapping[str, Build]:
    """Write a venue, and return the newest version of each bot."""
    folder.mkdir(parents=True)
    maker = VenueMaker(folder, bots=bots, matches=matches, first_ms=first_ms)
    maker.begin()
    for number in range(days):
        maker.day(number, is_last=number == days - 1)
    maker.end()
    return maker.builds


def main(words: Sequence[str]) -> None:
    """Write the folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="a new folder")
    parser.add_argument("--days", type=int, default=10, metavar="N", help="the last is today")
    parser.add_argument("--matches", type=int, default=200, metavar="N", help="of a day")
    parser.add_argument(
        "--bots", type=int, default=10, metavar="N", help="besides four of the house"
    )
    options = parser.parse_args(words)
    if options.folder.exists():
        sys.exit(f"{options.folder} exists; give a new folder")
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    first = today - timedelta(days=options.days - 1)
    write_venue(
        options.folder,
        days=options.days,
        matches=options.matches,
        bots=options.bots,
        first_ms=int(first.timestamp() * 1000),
    )
    print(f"{options.days} days of {options.matches} matches in {options.folder}")


if __name__ == "__main__":
    main(sys.argv[1:])
