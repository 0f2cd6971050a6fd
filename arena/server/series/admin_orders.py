"""What `arena admin` and a running referee say to each other: a line of JSON each way."""

from collections.abc import Sequence
from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec import Meta

from arena.records.venue_facts import Reason
from arena.words import Said

ADDRESS_FILE: Final = "orders.address"
"""The file in the folder of the venue that names the socket: paths of sockets are short."""
LONGEST_ORDER_BYTES: Final = 4096
MOST_MINUTES: Final = 60 * 24 * 366
"""The longest rest."""


class Order(msgspec.Struct, frozen=True, kw_only=True, tag_field="order"):
    """An act of the operator."""


class MakeInvite(Order, frozen=True, kw_only=True, tag="invite"):
    """Make an invite for one bot."""

    days: Annotated[int, Meta(ge=1, le=365)] | None = None
    """How long it can be used; as long as the file says by default."""


class GiveRest(Order, frozen=True, kw_only=True, tag="rest"):
    """Pair a bot with none for a time."""

    bot: str
    minutes: Annotated[int, Meta(ge=0, le=MOST_MINUTES)]
    """0 ends its rest."""
    why: Reason = ""


class Ban(Order, frozen=True, kw_only=True, tag="ban"):
    """Let a bot play no more, or again."""

    bot: str
    why: Reason = ""
    lift: bool = False


class Announce(Order, frozen=True, kw_only=True, tag="announce"):
    """Say something to everybody; an empty text takes it back."""

    text: Reason


class Reload(Order, frozen=True, kw_only=True, tag="reload"):
    """Read the operator's file and the certificate again."""


AnyOrder: TypeAlias = MakeInvite | GiveRest | Ban | Announce | Reload


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of the referee."""

    is_done: bool
    sentences: Sequence[Said]
    """What was done, or why nothing was."""
    invite: str = ""
    """The code of a new invite, which is told only here."""
