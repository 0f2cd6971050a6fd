"""The lines of `venue.jsonl`: the bots of a venue, its invites, its operator's acts, its runs.

The file is append-only. It is not public as it stands, because it has the hashes of secrets.
"""

from collections.abc import Sequence
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from arena.matches.facts import Digest, Fact

LONGEST_REASON: Final = 200
"""Characters of what the operator says of a ban or a rest, and to everybody."""

Reason: TypeAlias = Annotated[str, Meta(max_length=LONGEST_REASON)]
VersionNumber: TypeAlias = Annotated[int, Meta(ge=1)]


class VenueOpened(Fact, frozen=True, kw_only=True, tag="venue_opened"):
    """The first line."""

    format: Literal["brade-venue-1"] = "brade-venue-1"
    name: str


class ArenaStarted(Fact, frozen=True, kw_only=True, tag="arena_started"):
    """A referee serves the venue from now on."""

    version: str
    """The version of its program."""


class InviteMade(Fact, frozen=True, kw_only=True, tag="invite_made"):
    """The operator has made an invite, for one bot."""

    invite_sha256: Digest
    until_ms: int
    """It cannot be used from this time on."""


class BotJoined(Fact, frozen=True, kw_only=True, tag="bot_joined"):
    """A bot has an account from now on; a house bot, which the arena starts, has no token."""

    bot: str
    """Its id, which never changes."""
    shown: str
    """Its name on screens."""
    token_sha256: Digest | UnsetType = UNSET
    invite_sha256: Digest | UnsetType = UNSET
    """The invite that is used up by this; left out if none was needed."""


class VersionSeen(Fact, frozen=True, kw_only=True, tag="version_seen"):
    """A bot has shown another fingerprint than the last time.

    If it had it before, the line says that the old version is back.
    """

    bot: str
    number: VersionNumber
    """Counts the versions of the bot."""
    fingerprint: Annotated[str, Meta(max_length=256)]
    parent: VersionNumber | UnsetType = UNSET
    """The version that played before it when it was new; left out for the first."""

    @property
    def entrant(self) -> str:
        """Its name as an entrant of a run: `anna-2`."""
        return f"{self.bot}-{self.number}"


class BotBanned(Fact, frozen=True, kw_only=True, tag="bot_banned"):
    """The operator lets a bot play no more."""

    bot: str
    why: Reason


class BotUnbanned(Fact, frozen=True, kw_only=True, tag="bot_unbanned"):
    """The operator lets a banned bot play again."""

    bot: str


class BotRests(Fact, frozen=True, kw_only=True, tag="bot_rests"):
    """The operator pairs a bot with none until this time; a time that is over ends a rest."""

    bot: str
    until_ms: int
    why: Reason


class Announced(Fact, frozen=True, kw_only=True, tag="announced"):
    """The operator says something to everybody; an empty text takes back what was said before."""

    text: Reason


class FileChanged(Fact, frozen=True, kw_only=True, tag="file_changed"):
    """The operator's file was read again, and these fields have changed."""

    changes: Sequence[str]


class DayOpened(Fact, frozen=True, kw_only=True, tag="day_opened"):
    """A day of a ladder begins; it is a run."""

    ladder: str
    run: str


class CupBegun(Fact, frozen=True, kw_only=True, tag="cup_begun"):
    """A cup begins; it is a run."""

    cup: str
    run: str


class CupLeftOut(Fact, frozen=True, kw_only=True, tag="cup_left_out"):
    """A cup was not played this time."""

    cup: str
    due_ms: int
    """When it was to begin."""
    why: Literal["too_late", "too_few"]
    """No referee could begin it within an hour, or fewer than two bots were present."""


VenueFact: TypeAlias = (
    VenueOpened
    | ArenaStarted
    | InviteMade
    | BotJoined
    | VersionSeen
    | BotBanned
    | BotUnbanned
    | BotRests
    | Announced
    | FileChanged
    | DayOpened
    | CupBegun
    | CupLeftOut
)
"""A line of `venue.jsonl`."""
