"""The types of the fields of messages, with their limits."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta

PROTOCOL: Final = 1
"""The version both sides name in `hello` and `login`."""

WISHES: Final = frozenset({"legal", "call", "break"})
"""The wishes that a bot may have in `Login.wants`; any other is refused."""

MAX_WINDOW: Final = 256
"""The largest number of unanswered turns a bot may ask for."""

MAX_MATCHES: Final = 8
"""The most matches of a ladder that a bot may play at once."""

DIGEST_BYTES: Final = 32
"""Bytes of a SHA-256 digest, of a dice seed, and the most a bot may add as entropy."""

MAX_INT: Final = 2**53
"""Integers lie within plus and minus this, so that every language's numbers hold them exactly."""

WholeNumber: TypeAlias = Annotated[int, Meta(ge=-MAX_INT, le=MAX_INT)]

Move: TypeAlias = Annotated[
    Sequence[WholeNumber | str],
    Meta(
        min_length=2,
        max_length=2,
        description="[from, to]: points 1-24, 0 = bar, 25 = off; in Brandubh two squares",
    ),
]
"""One checker from one place to another; in Brandubh from square to square ("d1", "d3")."""

Handle: TypeAlias = Annotated[
    int,
    Meta(ge=0, le=MAX_INT, description="small number of an open game on this connection"),
]
TurnNumber: TypeAlias = Annotated[
    int,
    Meta(ge=0, le=MAX_INT, description="number of the turn within its game"),
]
Milliseconds: TypeAlias = Annotated[int, Meta(description="whole milliseconds")]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=MAX_INT)]
LineCount: TypeAlias = Annotated[int, Meta(ge=1, le=MAX_INT)]
"""How many lines of a record, from its first."""
Outcome: TypeAlias = Literal["won", "lost", "drawn", "void"]
"""The outcome of a game or a match for the bot that is told."""
Seat: TypeAlias = Annotated[Literal[1, 2], Meta(description="seat at the table")]
Score: TypeAlias = Annotated[
    Sequence[int],
    Meta(min_length=2, max_length=2, description="mine, opponent's"),
]
Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64)]
Kind: TypeAlias = Literal["person", "agent"]
"""The kind of a bot that is no plain program: a person, or an agent (a language model)."""
Secret: TypeAlias = Annotated[
    str,
    Meta(max_length=256, description="secret, never shown or logged"),
]
Binary: TypeAlias = Annotated[bytes, Meta(description="msgpack bin")]
Digest: TypeAlias = Annotated[
    bytes,
    Meta(min_length=DIGEST_BYTES, max_length=DIGEST_BYTES, description="msgpack bin, 32 bytes"),
]
Signature: TypeAlias = Annotated[
    bytes,
    Meta(min_length=64, max_length=64, description="msgpack bin, 64 bytes"),
]
Entropy: TypeAlias = Annotated[
    bytes,
    Meta(max_length=DIGEST_BYTES, description="msgpack bin, at most 32 bytes"),
]
Wishes: TypeAlias = Annotated[
    tuple[str, ...],
    Meta(max_length=16, extra_json_schema={"items": {"enum": sorted(WISHES)}}),
]
