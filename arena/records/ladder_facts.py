"""The facts that a day of a ladder adds to the tournament record."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from arena.matches.facts import Digest, Fact
from arena.tournaments.ladder_players import Count, Edge, Player
from arena.tournaments.schedule import RUN_ID

RunId: TypeAlias = Annotated[str, msgspec.Meta(pattern=f"^{RUN_ID}$")]
MATCHES_AT_ONCE = 256
"""The most matches that a player may play at the same time."""


class EarlierDay(msgspec.Struct, frozen=True, kw_only=True):
    """A moment in the record of the day before, from which the edges were taken."""

    run: RunId
    lines: Count
    """Lines of its record up to that moment."""
    sha256: Digest
    """Of these lines."""


class LadderOpened(Fact, frozen=True, kw_only=True, tag="ladder_opened"):
    """The second line of a day: who is known, and the edges that were counted up to now."""

    key_commitment: Digest
    """SHA-256 of the key from which the numbers of all pairings are made."""
    before: EarlierDay | UnsetType = UNSET
    """The moment at which the edges were taken; left out on the first day."""
    anchors_mean_elo: float = 0.0
    """The mean of the anchors' ratings, which is fixed."""
    players: Sequence[Player]
    """In the order of their numbers; those who come first during the day follow in their order."""
    edges: Sequence[Edge] = ()


class EdgesTaken(Fact, frozen=True, kw_only=True, tag="edges_taken"):
    """The day before is sealed: the edges that came while it drained count from here on."""

    before: EarlierDay
    """Its whole record, the closing line included."""
    edges: Sequence[Edge]


class EntrantCame(Fact, frozen=True, kw_only=True, tag="entrant_came"):
    """A version of a bot can be paired from here on, for the first time or again."""

    player: Player
    fingerprint: str = ""
    at_once: Annotated[int, msgspec.Meta(ge=1, le=MATCHES_AT_ONCE)] = 1
    """Matches that it plays at the same time."""


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


class PairingKey(Fact, frozen=True, kw_only=True, tag="pairing_key"):
    """The day has drained, and its key is revealed: every pairing can be repeated."""

    key: Digest


LadderFact: TypeAlias = (
    LadderOpened | EdgesTaken | EntrantCame | EntrantWent | PairDrawn | PairingKey
)
