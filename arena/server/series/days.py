"""A day of a ladder in a venue: its run, and the bots of the venue as its members."""

import dataclasses
from collections.abc import Collection, Container, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from arena.records.files import TOURNAMENT_FILE, TOURNAMENT_RECORD
from arena.records.ladder_facts import EntrantCame, LadderOpened, WhyGone
from arena.records.venue_facts import DayOpened, VersionSeen
from arena.server.io.operator_log import Show
from arena.server.run.ladder_roster import Presence
from arena.server.run.ladder_run import OpenDay
from arena.server.run.tournament import Run, play_in
from arena.server.run.tournament_log import Report
from arena.server.series.accounts import Accounts
from arena.server.series.house_build import house_fingerprint
from arena.server.series.venue_log import VenueLog
from arena.server.setup.account import Account
from arena.server.setup.bot_section import BotSection
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import parse_plan
from arena.server.setup.venue_file import LadderSection
from arena.server.venue.venue import Venue
from arena.tournaments.ladder_players import Player

_LADDER_OPENED: Final = b'{"event":"ladder_opened"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Resident:
    """A house bot as one day has it, with the build that it has when the day is opened."""

    version: VersionSeen
    section: BotSection
    """Its id is the name of the version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What all days of a venue share."""

    venue: Venue
    runs: Path
    directory: Path
    """Where commands of house bots run."""
    log: VenueLog
    accounts: Accounts
    show: Show
    in_cups: dict[str, Collection[str]] = field(default_factory=dict)
    """The bots from elsewhere that play in each cup that is played now."""

    def is_in_cup(self, bot: str) -> bool:
        """Return whether a bot plays in a cup, and in no ladder meanwhile."""
        return any(bot in bots for bots in self.in_cups.values())

    def open_run(self, folder: RunFolder, text: str) -> Run:
        """Open the folder of a run with its tournament file. Raises `OSError` and `SaidError`."""
        folder.open(text)
        try:
            folder.remember(self.directory)
        except OSError:
            folder.close()
            raise
        return Run(
            plan=parse_plan(text),
            id=folder.path.name,
            folder=folder,
            directory=self.directory,
            report=lambda _: None,
            show=self.show,
        )

    def residents(self, ladder: LadderSection) -> list[Resident]:
        """Return the house bots of a ladder; a build that is new is written down.

        Raises `OSError`.
        """
        residents: list[Resident] = []
        for section in self.accounts.plan.anchors_of(ladder):
            fingerprint = house_fingerprint(section, self.directory)
            version = self.accounts.show_version(section.entrant, fingerprint)
            of_run = replace(section, id=version.entrant, matches_at_once=ladder.seats)
            residents.append(Resident(version=version, section=of_run))
        return residents

    def parent_of(self, version: VersionSeen, entrants: Container[str]) -> str:
        """Return the nearest earlier version of a bot that is among these; empty if none is."""
        versions = self.log.book.bots[version.bot].versions
        number = version.parent
        while number is not UNSET:
            parent = versions[number - 1]
            if parent.entrant in entrants:
                return parent.entrant
            number = parent.parent
        return ""

    def player(self, version: VersionSeen, entrants: Container[str]) -> Player:
        """Return a version that is new in a ladder that knows these entrants."""
        bot = self.log.book.bots[version.bot]
        return Player(
            entrant=version.entrant,
            bot=bot.name,
            version=version.number,
            name="" if bot.shown == bot.name else bot.shown,
            parent=self.parent_of(version, entrants),
            is_house=bot.is_house,
        )


def date_of(at_ms: int) -> str:
    """Return the date of a time in UTC, as 2026-11-27."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).date().isoformat()


def free_run_id(first_id: str, run_ids: Container[str]) -> str:
    """Return an id that no run has had: the first one, or the first one with a number."""
    run_id = first_id
    number = 1
    while run_id in run_ids:
        number += 1
        run_id = f"{first_id}-{number}"
    return run_id


def frozen_plan(folder: RunFolder) -> str:
    """Return the tournament file in a run folder. Raises `RecordError`."""
    return folder.files[TOURNAMENT_FILE].decode(errors="replace")  # then it is no TOML


class Day:
    """A day of a ladder, from the line of the venue that opens it to its seal.

    It is the `Members` of its run.
    """

    def __init__(
        self,
        around: Surroundings,
        opened: DayOpened,
        residents: Sequence[Resident] = (),
        opening: LadderOpened | None = None,
        text: str = "",
    ) -> None:
        """`opening` and `text`, its tournament file, are for a day that is not on record yet."""
        self._around = around
        self.residents = residents
        self._text = text
        self.date = date_of(opened.at_ms)
        self.folder = RunFolder(around.runs / opened.run)
        self.run = OpenDay(opening, self)

    # Its record

    @property
    def is_on_record(self) -> bool:
        """True if its record says what it began with."""
        return _LADDER_OPENED in self.folder.files.get(TOURNAMENT_RECORD, b"")

    async def play(self, report: Report) -> None:
        """Play it until it is closed and sealed, or go on with it."""
        text = self._text
        if self.folder.is_begun:
            text = frozen_plan(self.folder)
        with closing(self.folder):
            run = self._around.open_run(self.folder, text)
            run = dataclasses.replace(run, report=report, day=self.run)
            await play_in(self._around.venue, run)

    # Its members

    def house(self) -> Iterable[tuple[BotSection, Presence]]:
        """Return the house bots; one that may not play now goes on with its matches in play."""
        present = set()
        for resident in self.residents:
            version, section = resident.version, resident.section
            present.add(version.entrant)
            why_away = self._why_away(version.bot)
            yield section, why_away or self._coming(version, section.matches_at_once)
        for entrant, player in self.run.book.players.items():
            is_in_play = player.identity.is_house and self.run.book.is_playing(entrant)
            if is_in_play and entrant not in present:
                # its program is there no more: its matches are void
                yield BotSection(name=player.identity.bot, id=entrant), "replaced"

    def accounts(self) -> Iterable[Account]:
        """Return the accounts of the bots that have joined the venue."""
        for player in self._around.accounts.players.values():
            yield player.account

    def presence(self, account: Account) -> Presence:
        """Return the version that a bot has logged in as, or why it is not paired."""
        name = account.name
        why_away = self._why_away(name)
        if why_away == "banned":
            return why_away
        if account.connection is None or account.login is None:
            return "left"
        version = self._around.accounts.version_of(name)
        if self._around.is_in_cup(name):
            why_away = "elsewhere"
        return why_away or self._coming(version, account.login.matches)

    def _why_away(self, name: str) -> WhyGone | None:
        """Return why the operator does not let a bot play; None if it may."""
        bot = self._around.log.book.bots[name]
        if bot.ban is not None:
            return "banned"
        if not bot.may_play(self._around.log.now_ms()):
            return "rests"
        return None

    def _coming(self, version: VersionSeen, at_once: int) -> Presence:
        """Return the line of the coming of a version; the record gives it its time.

        A version of long ago that has come back plays from the next day on.
        """
        players = self.run.book.players
        if version.entrant in players:
            player = players[version.entrant].identity
            if player.constant_elo is not UNSET:
                return "replaced"
        else:
            player = self._around.player(version, players)
        return EntrantCame(
            at_ms=0,
            player=player,
            fingerprint=version.fingerprint,
            at_once=at_once,
        )
