"""The two ends of a connection as machines without input or output: who may send what when.

The laws:

1. Bytes come in through `receive`, bytes to write come out of `send`; the machine itself never
   reads, writes, waits or looks at a clock.
2. How the stream is cut does not matter: the same bytes in any pieces give the same messages.
3. The peer's mistake is a value, never an exception: `receive` returns the messages before it, and
   then `fault` holds the `ProtocolError`. From then on nothing more is received, and nothing may be
   sent except one last `error` or `bye`.
4. A frame that is too long is refused as soon as its four bytes of length have arrived.
5. Our own mistake is an exception, `LocalProtocolError`, and changes nothing.
6. Both ends follow the same table below; only `welcome` opens the connection, `login` does not.
   In the place of `login` there may be a `join`; its answer, `joined`, ends the connection.
7. After `bye`, a fatal `error` or `close` no message is received. After these nothing is sent
   either; but the side that has heard `bye` may still answer earlier messages.
8. The open end of a bot skips messages of a type it does not know: a newer arena may have more of
   them.

```
          hello            login             welcome
  HELLO ---------> LOGIN ---------> WELCOME ---------> OPEN  (any number of the other messages)
    |                |                 |                |
    |                | join            |                |
    |                +----> JOINING --joined--> CLOSED  |
    |                |                 |                |
    |    bye, fatal error: CLOSED      |     a mistake of the peer: FAULTED --error, bye--> CLOSED
    |                                  |     bye of the peer: LEFT --fatal error, bye--> CLOSED
```
"""

import struct
from enum import Enum, auto
from typing import Final, Generic, TypeVar, get_args

from protocol.codec import HEADER_BYTES, TO_ARENA, TO_BOT, Direction, decode, encode, type_name
from protocol.errors import (
    ErrorCode,
    InvalidMessageError,
    LocalProtocolError,
    ProtocolError,
    UnknownTypeError,
    UnreadableFrameError,
)
from protocol.fields import PROTOCOL
from protocol.greetings import Hello, Join, Joined, Login, Welcome
from protocol.messages import Bye, Error, FromArena, FromBot, Message

LOGIN_FRAME_BYTES: Final = 4 * 1024
"""The longest payload a bot may send before its welcome: a login or a join needs no more."""

BOT_FRAME_BYTES: Final = 64 * 1024
"""The longest payload a bot may send afterwards: room for a long `info`."""

ARENA_FRAME_BYTES: Final = 256 * 1024
"""The longest payload the arena may send: room for every legal turn of a rich position."""

_LENGTH: Final = struct.Struct(">I")
"""The 4 bytes before every payload."""

_TLS: Final = 0x1603
"""A handshake record of TLS begins with these bytes."""


class State(Enum):
    """The state of a connection; the same for both ends."""

    HELLO = auto()
    LOGIN = auto()
    WELCOME = auto()
    JOINING = auto()
    OPEN = auto()
    LEFT = auto()
    FAULTED = auto()
    CLOSED = auto()


_GREETINGS: Final = (Hello, Login, Join, Welcome, Joined)
_OTHERS: Final = tuple(cls for cls in get_args(Message) if cls not in (*_GREETINGS, Error, Bye))
"""The messages of matches, and signs of life."""

# The one table: the messages allowed in a state, from the side that can send them, and the state
# that follows. A fatal error closes in every state; any other error changes nothing, as the table
# says.
_TRANSITIONS: Final[dict[State, dict[type[Message], State]]] = {
    State.HELLO: {Hello: State.LOGIN, Error: State.HELLO, Bye: State.CLOSED},
    State.LOGIN: {
        Login: State.WELCOME,
        Join: State.JOINING,
        Error: State.LOGIN,
        Bye: State.CLOSED,
    },
    State.JOINING: {Joined: State.CLOSED, Error: State.JOINING, Bye: State.CLOSED},
    State.WELCOME: {Welcome: State.OPEN, Error: State.WELCOME, Bye: State.CLOSED},
    State.OPEN: {**dict.fromkeys(_OTHERS, State.OPEN), Error: State.OPEN, Bye: State.CLOSED},
    State.LEFT: {
        **dict.fromkeys((Welcome, *_OTHERS), State.LEFT),
        Joined: State.CLOSED,
        Error: State.LEFT,
        Bye: State.CLOSED,
    },
    State.FAULTED: {Error: State.CLOSED, Bye: State.CLOSED},
    State.CLOSED: {},
}


def _one_way(direction: Direction) -> dict[State, dict[type[Message], State]]:
    """Return the part of the table for the messages of one direction."""
    classes = set(direction.types.values())
    table = {}
    for state, row in _TRANSITIONS.items():
        table[state] = {cls: after for cls, after in row.items() if cls in classes}
    return table


_SAID_BY_BOT: Final = _one_way(TO_ARENA)
_SAID_BY_ARENA: Final = _one_way(TO_BOT)

_Received = TypeVar("_Received")
_Sent = TypeVar("_Sent")


class _Connection(Generic[_Received, _Sent]):
    """The common part of both ends; each end defines its incoming direction and its limits.

    `_incoming_caps` and `_outgoing_caps` are payload bytes: before `welcome`, and after it.
    """

    _incoming: Direction
    _heard: dict[State, dict[type[Message], State]]
    _said: dict[State, dict[type[Message], State]]
    _incoming_caps: tuple[int, int]
    _outgoing_caps: tuple[int, int]
    _skips_unknown = False

    def __init__(self) -> None:
        self.fault: ProtocolError | None = None
        """The mistake of the peer, if it made one; `receive` has returned earlier messages."""
        self._buffer = bytearray()
        """The beginning of an incomplete frame."""
        self._awaited_bytes = HEADER_BYTES
        """How many of its bytes must have arrived before it is examined again: its length, then all
        of it."""
        self._enter(State.HELLO)

    def _enter(self, state: State) -> None:
        """Cache what the state allows, so that the common message costs no look-up by state."""
        is_open = state is State.OPEN
        self.state = state
        self.is_mute = state is State.CLOSED or state is State.FAULTED
        """True if nothing can be sent any more but one last word after a fault."""
        self.is_closed = self.is_mute or state is State.LEFT
        """True if no message can come any more: after `bye`, fatal `error`, `close` or a fault."""
        self._hears = self._heard[state]
        if self.is_closed:
            self._hears = {}
        self._says = self._said[state]
        self._incoming_cap = self._incoming_caps[is_open]
        self._longest_frame = HEADER_BYTES + self._outgoing_caps[is_open]

    @property
    def unread_bytes(self) -> int:
        """Number of bytes of an incomplete frame that have arrived.

        If it is above 0 at the end of a stream, a frame was cut.
        """
        return len(self._buffer)

    # One function, with all its branches: it runs for every frame, and a call costs 0.07 us.
    def receive(self, data: bytes | bytearray | memoryview) -> list[_Received]:
        """Take bytes that were read; returns the messages that are now complete, in order.

        Then check `is_closed`, and if so `fault`, which tells whether the peer made a mistake.
        Bytes after the end are ignored.
        """
        messages: list[_Received] = []
        if self.is_closed:
            return messages
        if self._buffer:
            self._buffer += data
            if len(self._buffer) < self._awaited_bytes:
                return messages
            data = bytes(self._buffer)
            self._buffer.clear()
        elif not isinstance(data, bytes):
            data = bytes(data)
        start, end = 0, len(data)
        awaited = HEADER_BYTES
        try:
            while end - start >= HEADER_BYTES and not self.is_closed:
                body = start + HEADER_BYTES
                (size,) = _LENGTH.unpack_from(data, start)
                if size > self._incoming_cap:
                    raise self._too_large(size)
                if end - body < size:
                    awaited += size
                    break
                start = body + size
                try:
                    message = decode(data[body:start], self._incoming)
                except UnknownTypeError:
                    if self._skips_unknown and self.state is State.OPEN:
                        continue
                    raise
                if (
                    self._hears.get(message.__class__) is not self.state
                    or message.__class__ is Error
                ):
                    self._accept(message)
                messages.append(message)  # type: ignore[arg-type]  # `decode` sees to the direction
        except ProtocolError as fault:  # the messages before it stay
            self.fault = fault
            self._enter(State.FAULTED)
        if start < end and not self.is_closed:
            self._buffer += data[start:]
            self._awaited_bytes = awaited
        return messages

    def _accept(self, message: Message) -> None:
        """Handle a message that may be unexpected, or lead to another state."""
        after = self._hears.get(message.__class__)
        if after is None:
            raise InvalidMessageError(
                ErrorCode.UNEXPECTED_MESSAGE,
                f"`{type_name(type(message))}` came in state {self.state.name.lower()}; "
                f"expected {_names(self._hears)}",
            )
        if isinstance(message, Bye):
            self._enter(State.LEFT)
        elif after is not self.state:
            _check_version(message)
            self._enter(after)
        elif isinstance(message, Error) and message.fatal:
            self._enter(State.CLOSED)

    def send(self, message: _Sent) -> bytes:
        """Encode a message to send, and count it as sent; write all bytes that this returns.

        Raises `LocalProtocolError`: the message is not one of ours, may not be sent now, cannot be
        encoded, or is too long for a frame. Nothing has changed then.
        """
        outgoing: Message = message  # type: ignore[assignment]  # `_says` sees to it
        kind = outgoing.__class__
        after = self._says.get(kind)
        if after is None:
            raise LocalProtocolError(
                f"{kind.__name__} may not be sent in state {self.state.name.lower()}; "
                f"allowed is {_names(self._says)}"
            )
        frame = encode(outgoing)
        if len(frame) > self._longest_frame:
            raise LocalProtocolError(
                f"{kind.__name__} fills a payload of {len(frame) - HEADER_BYTES} bytes; "
                f"at most {self._longest_frame - HEADER_BYTES} are allowed here"
            )
        if after is not self.state:
            self._enter(after)
        elif kind is Error and outgoing.fatal:  # type: ignore[union-attr]  # an error, by its class
            self._enter(State.CLOSED)
        return frame

    def close(self) -> None:
        """Count the connection as closed: the stream has ended, failed, or will be closed."""
        self._enter(State.CLOSED)
        self._buffer.clear()

    def _too_large(self, size: int) -> UnreadableFrameError:
        return UnreadableFrameError(
            ErrorCode.FRAME_TOO_LARGE,
            f"a frame of {size} bytes is announced (length bytes {size:08x}); "
            f"at most {self._incoming_cap} are allowed here; "
            "every map must follow its length in 4 bytes, big-endian",
        )


class ArenaConnection(_Connection[FromBot, FromArena]):
    """The arena's end: `hello`, await `login`, answer `welcome` or a fatal `error`, then play."""

    _incoming = TO_ARENA
    _heard = _SAID_BY_BOT
    _said = _SAID_BY_ARENA
    _incoming_caps = (LOGIN_FRAME_BYTES, BOT_FRAME_BYTES)
    _outgoing_caps = (ARENA_FRAME_BYTES, ARENA_FRAME_BYTES)

    def _too_large(self, size: int) -> UnreadableFrameError:
        if self.state is State.LOGIN and size >> 16 == _TLS:
            message = (
                f"the first bytes are {size:08x}: it speaks TLS, this address does not; "
                "connect by tcp:, not tls:"
            )
            return UnreadableFrameError(ErrorCode.FRAME_TOO_LARGE, message)
        return super()._too_large(size)


class BotConnection(_Connection[FromArena, FromBot]):
    """A bot's end: await `hello`, send `login`, await `welcome` or a fatal `error`, then play."""

    _incoming = TO_BOT
    _heard = _SAID_BY_ARENA
    _said = _SAID_BY_BOT
    _incoming_caps = (ARENA_FRAME_BYTES, ARENA_FRAME_BYTES)
    _outgoing_caps = (LOGIN_FRAME_BYTES, BOT_FRAME_BYTES)
    _skips_unknown = True


def _check_version(message: Message) -> None:
    if isinstance(message, Hello | Login | Join) and message.protocol != PROTOCOL:
        raise InvalidMessageError(
            ErrorCode.UNSUPPORTED_PROTOCOL,
            f"protocol version {message.protocol}; this side speaks version {PROTOCOL}",
        )


def _names(row: dict[type[Message], State]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(map(type_name, row))) or "nothing"
