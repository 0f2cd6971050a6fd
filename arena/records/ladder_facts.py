"""The facts that a day of a ladder adds to the tournament record."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from arena.matches.facts import Digest, Fact
from arena.tournaments.schedule import RUN_ID

RunId: TypeAlias = Annotated[str, msgspec.Meta(pattern=f"^{RUN_ID}$")]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
CountedEdge: TypeAlias = tuple[Count, Count, Count, float, float, Count, Count]
"""The counted units of two players.

The numbers of both, units that were played to their end, the sums of the scores of the first and of
their squares, and units that the first and the second have forfeited. The number of a player is its
place in `LadderOpened.players`; those who come first during the day follow in their order.
"""
MATCHES_AT_ONCE = 256
"""The most matches that a player may play at the same time."""


class EarlierDay(msgspec.Struct, frozen=True, kw_only=True):
    """A moment in the record of the day before, from which the edges were taken."""

    run: RunId
    lines: Count
    """Lines of its record up to that moment."""
    sha256: Digest
    """Of these lines."""


class KnownPlayer(msgspec.Struct, frozen=True, kw_only=True):
    """A version of a bot that the ladder knows when a day begins."""

    entrant: str
    bot: str
    version: Annotated[int, msgspec.Meta(ge=1)]
    name: str | UnsetType = UNSET
    """The display name of the bot; left out if it is called by its id."""
    parent: str | UnsetType = UNSET
    """The entrant from which its rating starts."""
    is_house: bool = False
    is_anchor: bool = False
    is_frozen: bool = False
    """True if another version has taken its place; it may come back."""
    constant_elo: float | UnsetType = UNSET
    """The rating that it keeps, if it was frozen long ago; then it does not play on this day."""


class LadderOpened(Fact, frozen=True, kw_only=True, tag="ladder_opened"):
    """The second line of a day: who is known, and the edges that were counted up to now."""

    ladder: str
    day: Annotated[str, msgspec.Meta(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
    key_commitment: Digest
    """SHA-256 of the key from which the numbers of all pairings are made."""
    before: EarlierDay | UnsetType = UNSET
    """The moment at which the edges were taken; left out on the first day."""
    anchors_mean_elo: float = 0.0
    """The mean of the anchors' ratings, which is fixed."""
    players: Sequence[KnownPlayer]
    edges: Sequence[CountedEdge]


class EdgesTaken(Fact, frozen=True, kw_only=True, tag="edges_taken"):
    """The day before is sealed: the edges that came while it drained count from here on."""

    run: RunId
    lines: Count
    sha256: Digest
    """Of its whole record, the closing line included."""
    edges: Sequence[CountedEdge]


class EntrantCame(Fact, frozen=True, kw_only=True, tag="entrant_came"):
    """A version of a bot can be paired from here on, for the first time or again."""

    entrant: str
    bot: str
    version: Annotated[int, msgspec.Meta(ge=1)]
    name: str | UnsetType = UNSET
    parent: str | UnsetType = UNSET
    fingerprint: str = ""
    at_once: Annotated[int, msgspec.Meta(ge=1, le=MATCHES_AT_ONCE)] = 1
    """Matches that it plays at the same time."""
    is_house: bool = False


WhyGone: TypeAlias = Literal[
    "left", "elsewhere", "rests", "banned", "replaced", "drained", "restarted"
]
"""Why an entrant is not paired.

`left`: it lost its connection. `elsewhere`: it plays in another run of the venue. `rests` and
`banned`: the operator says so. `replaced`: a newer version has come. `drained`: the day ends.
`restarted`: the arena was started again.
"""


class EntrantWent(Fact, frozen=True, kw_only=True, tag="entrant_went"):
    """An entrant is not paired from here on; its matches in play go on."""

    entrant: str
    why: WhyGone


class PairDrawn(Fact, frozen=True, kw_only=True, tag="pair_drawn"):
    """Two entrants were drawn to meet."""

    fixture: str
    free: Annotated[int, msgspec.Meta(ge=2)]
    """Number of entrants that could play."""
    free_sha256: Digest
    """Of their sorted ids, a line feed after each."""
    number: Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]
    """The first 53 bits of an HMAC-SHA256 with the key of the day (docs/trust.md)."""
    probability: float
    """Of this opponent for the entrant whose turn it was."""


class EntrantRests(Fact, frozen=True, kw_only=True, tag="entrant_rests"):
    """An entrant forfeited three matches in a row, and is not paired until then."""

    entrant: str
    forfeits: int
    """Matches that it has forfeited in a row."""
    until_ms: int


class PairingKey(Fact, frozen=True, kw_only=True, tag="pairing_key"):
    """The day has drained, and its key is revealed: every pairing can be repeated."""

    key: Digest


LadderFact: TypeAlias = (
    LadderOpened | EdgesTaken | EntrantCame | EntrantWent | PairDrawn | EntrantRests | PairingKey
)
