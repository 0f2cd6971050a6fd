"""The contents of the pages of a venue: values in JSON (contents.py has those of a run).

An entrant of a day is a version of a bot, `anna-2`. Ratings and errors are in Elo.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from arena.pages.contents import RunInList
from arena.records.venue_facts import Announced
from arena.words import Said

RunKind = Literal["ladder", "cup"]
Names: TypeAlias = Mapping[str, str]
"""The display names of all bots of the venue, by id."""


class RatedBot(msgspec.Struct, frozen=True, kw_only=True):
    """A version of a bot, as its ladder rates it; the index keeps it for each day."""

    entrant: str
    bot: str
    version: int
    elo: float
    error: float
    units: int
    """Units that count, on all days."""
    matches: int
    """Matches on all days; in the index, on this day."""
    forfeits: int
    """How many of them it forfeited, whole or in part."""
    is_house: bool
    is_anchor: bool
    is_frozen: bool
    """True if a later version has taken its place."""
    is_there: bool
    """True if the bot can be paired today."""
    seen_ms: int
    """When it was there last; 0 if it never was."""
    rests_until_ms: int
    """When the rest after its forfeits in a row is over; 0 if it never had to rest."""
    parent: int = 0
    """The version from which its rating started; 0 for none."""
    gain: float | None = None
    """Its rating less that of its parent."""
    gain_error: float | None = None
    part: str = ""
    """The part of the table in which it stands: `placed`, `provisional`, `anchor`; in none it is
    `away` or `old`."""
    place: int = 0
    """Its place in the table; 0 for anchors and provisional versions, which have none."""


class LadderTable(msgspec.Struct, frozen=True, kw_only=True):
    """The table of a ladder, in three parts."""

    ladder: str
    run: str
    """The latest day, a run; empty before the first."""
    placed: Sequence[RatedBot]
    provisional: Sequence[RatedBot]
    """Versions whose error is still too large for a place."""
    anchors: Sequence[RatedBot]
    """Programs of the house whose mean rating is fixed."""
    more: int
    """Further bots that are not in this answer."""
    away: int
    """Bots that left the table because they were not there for a month."""


class RunInVenue(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A day of a ladder, or a cup that was played or left out."""

    kind: RunKind
    name: str
    """The name of the ladder or the cup."""
    at_ms: int
    """When it began, or was due."""
    run: str = ""
    """Its folder; empty if the cup was left out."""
    why_left_out: str = ""
    """`too_late` or `too_few`."""
    row: RunInList | None = None
    """None while its record was not read yet, and for a cup that was left out."""


class CupInVenue(msgspec.Struct, frozen=True, kw_only=True):
    """A cup: when it comes, and how it ended last."""

    cup: str
    ladder: str
    best: int
    """The most bots that play."""
    next_ms: int | None
    """None if it comes no more."""
    last: RunInVenue | None


class VenuePage(msgspec.Struct, frozen=True, kw_only=True):
    """The first page of a venue."""

    name: str
    names: Names
    announcement: Announced | None
    """What the operator says."""
    paused: Said | None
    """Why no match begins; None while matches begin."""
    trouble: Said | str
    """The reason if the log of the venue cannot be read, or no further."""
    joining: Literal["open", "invite", "closed"]
    door: str
    """The address for bots; `*` stands for the name under which the reader knows the venue. Empty
    if it is not known."""
    ladders: Sequence[LadderTable]
    cups: Sequence[CupInVenue]
    now: Sequence[RunInVenue]
    """The runs that are being played, cups first."""
    delay_ms: int


class LadderPage(msgspec.Struct, frozen=True, kw_only=True):
    """A ladder with its days."""

    names: Names
    table: LadderTable
    days: Sequence[RunInVenue]
    """The latest first."""


class CupPage(msgspec.Struct, frozen=True, kw_only=True):
    """A cup with every time it was due."""

    cup: CupInVenue
    times: Sequence[RunInVenue]
    """The latest first."""


class RunPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run stands in its venue."""

    venue: str
    kind: RunKind
    name: str
    before: str
    """The run before it, of the same ladder or cup; empty if it is the first."""
    after: str


class RatingPoint(msgspec.Struct, frozen=True, kw_only=True):
    """The rating of a version at a time."""

    at_ms: int
    version: int
    elo: float
    error: float


class AgainstBot(msgspec.Struct, frozen=True, kw_only=True):
    """The matches of a bot against another one, on all days."""

    opponent: str
    matches: int
    won: int
    drawn: int
    lost: int
    points_for: int
    points_against: int


class ForfeitsByCause(msgspec.Struct, frozen=True, kw_only=True):
    """Games that a bot has forfeited."""

    cause: str
    games: int


class CostlyTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A turn of a match that cost much, by the word of the analysis."""

    game: int
    turn: int
    loss: float
    """In thousandths of a point."""
    mark: str
    played: str


class MatchOfBot(msgspec.Struct, frozen=True, kw_only=True):
    """A match of a bot, seen from it."""

    run: str
    fixture: str
    entrant: str
    opponent: str
    """The other bot."""
    outcome: Literal["won", "drawn", "lost"]
    points_for: int
    points_against: int
    settled_ms: int
    costly: Sequence[CostlyTurn] | None = None
    """Its costliest turns, the worst first; None if the match is not analysed."""


class BotInLadder(msgspec.Struct, frozen=True, kw_only=True):
    """A bot in one ladder."""

    ladder: str
    row: RatedBot
    """The version that has its place, or else the newest."""
    versions: Sequence[RatedBot]
    """The latest first."""
    course: Sequence[RatingPoint]
    against: Sequence[AgainstBot]
    forfeits: Sequence[ForfeitsByCause]


class BotOfVenue(msgspec.Struct, frozen=True, kw_only=True):
    """A bot of a venue, with its history."""

    bot: str
    names: Names
    is_house: bool
    joined_ms: int
    versions_ms: Sequence[int]
    """When each version logged in first."""
    ban: str | None
    """Why the operator has banned it; None if it is not banned."""
    rests_until_ms: int
    """The end of the last rest that the operator gave it."""
    rest_why: str
    ladders: Sequence[BotInLadder]
    matches: Sequence[MatchOfBot]
    """The latest first, of ladders and cups."""
