"""Errors of a connection, named by who is to blame.

A `ProtocolError` is the other side's mistake and a value to act upon: it carries a stable code and
a sentence. It is *unreadable* (the bytes are not a frame of this protocol) or *invalid* (a readable
map that is not a message allowed here). A `LocalProtocolError` is our own bug. A code is never
reused for anything else.
"""

from enum import StrEnum

from protocol.messages import Error


class ErrorCode(StrEnum):
    """The stable short words of `Error.code`."""

    FRAME_TOO_LARGE = "frame_too_large"
    BAD_MSGPACK = "bad_msgpack"
    NOT_A_MAP = "not_a_map"
    DUPLICATE_KEY = "duplicate_key"
    BAD_KEY = "bad_key"
    BAD_VALUE = "bad_value"
    TOO_DEEP = "too_deep"

    UNKNOWN_TYPE = "unknown_type"
    WRONG_DIRECTION = "wrong_direction"
    BAD_FIELD = "bad_field"
    UNEXPECTED_MESSAGE = "unexpected_message"
    UNSUPPORTED_PROTOCOL = "unsupported_protocol"

    STALE_TURN = "stale_turn"
    UNKNOWN_GAME = "unknown_game"
    UNKNOWN_MATCH = "unknown_match"
    BAD_SIGNATURE = "bad_signature"
    REMARK_LEFT_OUT = "remark_left_out"
    RESTING = "resting"

    BAD_LOGIN = "bad_login"
    ALREADY_CONNECTED = "already_connected"
    OLD_VERSION_PLAYS = "old_version_plays"
    BANNED = "banned"
    TOO_OFTEN = "too_often"
    CANNOT_JOIN = "cannot_join"
    BAD_INVITE = "bad_invite"
    BAD_NAME = "bad_name"
    LOGIN_TIMEOUT = "login_timeout"
    IDLE_TIMEOUT = "idle_timeout"
    TOO_MANY_CONNECTIONS = "too_many_connections"
    FLOODING = "flooding"
    SLOW_READER = "slow_reader"
    SHUTTING_DOWN = "shutting_down"
    INTERNAL = "internal"

    @property
    def is_fatal(self) -> bool:
        """True if the connection ends with an error of this code."""
        return self not in _FORGIVEN

    def to_message(self, message: str, game: int | None = None, turn: int | None = None) -> Error:
        """Return the `error` message of this code, fatal if the code is.

        It is about a turn of a game if it names one.
        """
        return Error(code=self.value, message=message, fatal=self.is_fatal, game=game, turn=turn)


_FORGIVEN = frozenset(
    {
        ErrorCode.STALE_TURN,
        ErrorCode.UNKNOWN_GAME,
        ErrorCode.UNKNOWN_MATCH,
        ErrorCode.BAD_SIGNATURE,
        ErrorCode.REMARK_LEFT_OUT,
        ErrorCode.RESTING,
    }
)


class ProtocolError(Exception):
    """The other side broke the protocol; the connection cannot go on.

    `code` is a stable word for programs, `message` says what was found, what was expected and what
    to do. Neither ever quotes a received value.
    """

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def to_message(self) -> Error:
        """Return the `error` message to send before closing the connection."""
        return self.code.to_message(self.message)


class UnreadableFrameError(ProtocolError):
    """The bytes are not a frame of this protocol: their meaning is unknown."""


class InvalidMessageError(ProtocolError):
    """A readable map, but not a message of this protocol, or not one allowed here."""


class UnknownTypeError(InvalidMessageError):
    """A readable map whose `type` names no message that is known here."""


class LocalProtocolError(Exception):
    """Our own side violated the protocol: a bug in the caller, not a mistake of the peer."""
