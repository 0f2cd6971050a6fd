"""The state of a venue as its log tells it: bots and versions, invites, bans and rests.

The book takes the lines one by one. The referee, the pages and the verification use the same book.
"""

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from msgspec import UNSET

from arena.records.files import VENUE_RECORD
from arena.records.lines import LineReader, RecordError
from arena.records.venue_facts import (
    Announced,
    BotBanned,
    BotJoined,
    BotRests,
    BotUnbanned,
    CupBegun,
    CupLeftOut,
    DayOpened,
    InviteMade,
    VenueFact,
    VenueOpened,
    VersionSeen,
)
from arena.tournaments.looks import looks_of
from arena.tournaments.names import display_problems, entrant_problems
from arena.words import Said

BOT_NAME_CHARS: Final = 26
"""The longest id of a bot: with `-` and five digits it is the name of an entrant."""
OLD_MS: Final = 90 * 86_400_000
"""A version that was replaced this long ago keeps its rating."""
_LIKE_A_VERSION: Final = re.compile("(.*)-[0-9]+")

venue_lines: LineReader[VenueFact] = LineReader(VenueFact)


@dataclass(slots=True, kw_only=True)
class VenueBot:
    """A bot of the venue."""

    name: str
    shown: str
    joined_ms: int
    token_sha256: str | None
    """None for a house bot, which the arena starts."""
    versions: list[VersionSeen] = field(default_factory=list)
    changes: list[VersionSeen] = field(default_factory=list)
    """Each change of its version, also back to one that it had before, the oldest first."""
    ban: str | None = None
    """Why it is banned; None if it is not."""
    rests_until_ms: int = 0
    """The end of the last rest that the operator gave it."""
    rest_why: str = ""

    @property
    def is_house(self) -> bool:
        """True if the arena starts it."""
        return self.token_sha256 is None

    def version_of(self, fingerprint: str) -> VersionSeen | None:
        """Return the version with this fingerprint; None if it was never seen."""
        for version in self.versions:
            if version.fingerprint == fingerprint:
                return version
        return None

    @property
    def current(self) -> VersionSeen | None:
        """The version that it has shown last; None if it never logged in."""
        if not self.changes:
            return None
        return self.changes[-1]

    def show_version(self, version: VersionSeen) -> None:
        """Note that this is its version from now on."""
        if version.number > len(self.versions):
            self.versions.append(version)
        self.changes.append(version)

    def replaced_ms(self, at_ms: int) -> dict[str, int]:
        """Return when the versions were replaced that were no longer its own before a time."""
        replaced_ms: dict[str, int] = {}
        for version, following in pairwise(self.changes):
            if following.at_ms < at_ms:
                replaced_ms[version.entrant] = following.at_ms
                replaced_ms.pop(following.entrant, None)
        return replaced_ms

    def may_play(self, now_ms: int) -> bool:
        """Return whether the operator lets it play now."""
        return self.ban is None and self.rests_until_ms <= now_ms


@dataclass(slots=True, kw_only=True)
class Invite:
    """A code by which one bot may join."""

    until_ms: int
    bot: str | None = None
    """The bot that has used it."""

    def problem(self, now_ms: int) -> Said | None:
        """Say why it cannot be used now; None if it can."""
        if self.bot is not None:
            return Said("door.invite_used")
        if self.until_ms <= now_ms:
            return Said("door.invite_expired")
        return None


class VenueBook:
    """What follows from the lines of `venue.jsonl` so far."""

    def __init__(self) -> None:
        self.name = ""
        self.bots: dict[str, VenueBot] = {}
        """In the order in which they joined."""
        self.invites: dict[str, Invite] = {}
        """By the SHA-256 of their codes."""
        self.announcement: Announced | None = None
        """What the operator says to everybody; None if nothing."""
        self.days: dict[str, list[DayOpened]] = {}
        """The days of each ladder, the oldest first."""
        self.cups: dict[str, list[CupBegun | CupLeftOut]] = {}
        """The times at which each cup was due, the oldest first."""
        self._name_by_looks: dict[str, str] = {}
        """Every id and display name with the bot that has it, by their looks."""

    def apply(self, fact: VenueFact) -> None:
        """Take the next line. Raises `KeyError` for a bot or an invite that never was."""
        match fact:  # a table of the lines
            case VenueOpened():
                self.name = fact.name
            case InviteMade():
                self.invites[fact.invite_sha256] = Invite(until_ms=fact.until_ms)
            case BotJoined():
                self._join(fact)
            case VersionSeen():
                self.bots[fact.bot].show_version(fact)
            case BotBanned():
                self.bots[fact.bot].ban = fact.why
            case BotUnbanned():
                self.bots[fact.bot].ban = None
            case BotRests():
                bot = self.bots[fact.bot]
                bot.rests_until_ms = fact.until_ms
                bot.rest_why = fact.why
            case Announced():
                self.announcement = fact if fact.text else None
            case DayOpened() | CupBegun() | CupLeftOut():
                self._note_run(fact)

    def _note_run(self, fact: DayOpened | CupBegun | CupLeftOut) -> None:
        if isinstance(fact, DayOpened):
            self.days.setdefault(fact.ladder, []).append(fact)
        else:
            self.cups.setdefault(fact.cup, []).append(fact)

    def _join(self, fact: BotJoined) -> None:
        if fact.invite_sha256 is not UNSET:
            self.invites[fact.invite_sha256].bot = fact.bot
        self.bots[fact.bot] = VenueBot(
            name=fact.bot,
            shown=fact.shown,
            joined_ms=fact.at_ms,
            token_sha256=fact.token_sha256 or None,
        )
        for name in (fact.bot, fact.shown):
            self._name_by_looks.setdefault(looks_of(name), fact.bot)

    def old_versions(self, at_ms: int) -> set[str]:
        """Return the versions that another one of the bot had replaced long before a time.

        Lines of that very millisecond do not count: they may come before or after what asks.
        """
        old = set()
        for bot in self.bots.values():
            for entrant, replaced_ms in bot.replaced_ms(at_ms).items():
                if replaced_ms < at_ms - OLD_MS:
                    old.add(entrant)
        return old

    def name_problems(self, name: str, shown: str) -> list[Said]:
        """Return what is wrong with the id and the display name of a new bot, a sentence each.

        They may not look like a name that is there.
        """
        problems = bot_name_problems(name)
        if not problems:
            problems = display_problems({name: shown})
        if problems:
            return problems
        for new_name in dict.fromkeys((name, shown)):
            rival = self._rival_of(new_name)
            if rival is not None:
                return [Said("door.name_taken", {"name": repr(new_name), "rival": rival})]
        return []

    def _rival_of(self, name: str) -> str | None:
        """Return the bot that a name looks like, or looks like a version of; None if it is new."""
        looks = looks_of(name)
        bot_and_number = _LIKE_A_VERSION.fullmatch(looks)
        if bot_and_number is not None and bot_and_number[1] in self._name_by_looks:
            return self._name_by_looks[bot_and_number[1]]
        return self._name_by_looks.get(looks)


def bot_name_problems(name: str) -> list[Said]:
    """Return what is wrong with the id of a bot; its versions must be names of entrants."""
    problems = list(entrant_problems([name], BOT_NAME_CHARS))
    if not problems and _LIKE_A_VERSION.fullmatch(name):
        problems.append(Said("name.like_a_version", {"name": repr(name)}))
    return problems


def book_of(record: bytes) -> VenueBook:
    """Return the book of a whole log. Raises `RecordError`."""
    book = VenueBook()
    for where, fact in venue_lines.read(VENUE_RECORD, record):
        take_line(book, where, fact)
    return book


def take_line(book: VenueBook, where: str, fact: VenueFact) -> None:
    """Let a book take a line that was read. Raises `RecordError` if it does not follow."""
    is_first = not book.name
    if isinstance(fact, VenueOpened) != is_first:
        raise RecordError(where, Said("record.no_venue_opened"))
    try:
        book.apply(fact)
    except KeyError as error:
        raise RecordError(where, Said("record.unknown_in_venue", {"name": str(error)})) from error
