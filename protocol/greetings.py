"""The messages of a login: what both sides say on a connection before anything else (see `messages.py`)."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from protocol.fields import (
    MAX_WINDOW,
    PROTOCOL,
    WISHES,
    Binary,
    Count,
    Digest,
    Name,
    Secret,
    Wishes,
)

_SECRETS: Final = ("token", "resume", "resume_key")


class Tagged(msgspec.Struct, frozen=True, tag_field="type", omit_defaults=True):
    """A message on the wire: a map whose `type` is the tag of its class, without the fields that have their default."""


class _HidesSecrets(Tagged, frozen=True):
    """A message that may be shown and logged."""

    def __rich_repr__(self) -> list[tuple[str, object]]:
        """List the fields for `rich`, secrets by their names alone."""
        return [
            (field, "<hidden>" if field in _SECRETS else value)
            for field, value in super().__rich_repr__()
        ]

    def __repr__(self) -> str:
        """Show the fields, without the secrets."""
        return f"{type(self).__name__}({', '.join(f'{field}={value!r}' for field, value in self.__rich_repr__())})"


class Hello(Tagged, frozen=True, kw_only=True, tag="hello", omit_defaults=False):
    """The arena's first word on every connection.

    `server` names the program and its version, for people. `nonce` is random and different on every
    connection.
    """

    protocol: int = PROTOCOL
    server: str
    nonce: Binary


class Login(_HidesSecrets, frozen=True, kw_only=True, tag="login"):
    """The bot's answer to `hello`: who it is and how it wants to be served.

    `window` is the most turns (1-256) it wants to have unanswered at once. `wants` lists extras
    (`legal`: send all legal turns with every turn; `call`: ask for the number of dice where there
    is a choice; `break`: wait between two games until the bot is ready). `fingerprint` is free text
    that identifies the build. `public_key` is the Ed25519 key (32 bytes) by which it signs
    receipts, if it does. `resume` repeats the `resume_key` of a connection that was lost. The token
    and that key are never shown.
    """

    protocol: int
    name: Name
    version: Annotated[str, Meta(max_length=64)] = ""
    token: Secret
    window: Annotated[int, Meta(ge=1, le=MAX_WINDOW)] = 1
    wants: Wishes = ()
    fingerprint: Annotated[str, Meta(max_length=256)] = ""
    resume: Secret | None = None
    public_key: Digest | None = None

    def __post_init__(self) -> None:
        """Refuse a wish nobody knows.

        Raises `ValueError`: naming the known wishes; never quoting the unknown one.
        """
        if not WISHES.issuperset(self.wants):
            raise ValueError(f"unknown wish in `wants`; known: {', '.join(sorted(WISHES))}")


class Limits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Limits of a connection, and how long the bot may be without one.

    The longest payload a bot may send, and the most unanswered turns it gets; `grace_ms` is how
    long after a connection was lost it may come back, 0 if nobody would bring it back.
    """

    frame_bytes: Count
    window: Count
    grace_ms: Count = 0


class Welcome(_HidesSecrets, frozen=True, kw_only=True, tag="welcome"):
    """The arena accepts the login.

    `session` names the connection in the arena's logs. `resume_key` is a secret for `resume` in a
    later login, until the next `welcome` gives another.
    """

    session: str
    resume_key: Secret
    limits: Limits
