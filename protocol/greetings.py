"""The messages of a login: the first ones of both sides on a connection (see `messages.py`)."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from protocol.fields import (
    MAX_MATCHES,
    MAX_WINDOW,
    PROTOCOL,
    WISHES,
    Binary,
    Count,
    Digest,
    Kind,
    Name,
    Secret,
    Wishes,
)

_SECRETS: Final = ("token", "resume", "resume_key", "invite")


class Tagged(msgspec.Struct, frozen=True, tag_field="type", omit_defaults=True):
    """A message on the wire: a map whose `type` is the tag of its class.

    Fields that have their default are left out.
    """


class _HidesSecrets(Tagged, frozen=True):
    """A message that may be shown and logged."""

    def __rich_repr__(self) -> list[tuple[str, object]]:
        """List the fields for `rich`, secrets by their names alone."""
        fields: list[tuple[str, object]] = []
        for name, content in super().__rich_repr__():
            if name in _SECRETS:
                fields.append((name, "<hidden>"))
            else:
                fields.append((name, content))
        return fields

    def __repr__(self) -> str:
        """Show the fields, without the secrets."""
        fields = [f"{name}={content!r}" for name, content in self.__rich_repr__()]
        return f"{type(self).__name__}({', '.join(fields)})"


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
    and that key are never shown. `matches` is how many matches of a ladder it plays at once. `kind`
    says that a person or an agent answers.
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
    matches: Annotated[int, Meta(ge=1, le=MAX_MATCHES)] = 1
    kind: Kind | None = None

    def __post_init__(self) -> None:
        """Refuse an unknown wish.

        Raises `ValueError`: naming the known wishes; never quoting the unknown one.
        """
        if not WISHES.issuperset(self.wants):
            raise ValueError(f"unknown wish in `wants`; known: {', '.join(sorted(WISHES))}")


class Join(_HidesSecrets, frozen=True, kw_only=True, tag="join"):
    """The answer to `hello` of a bot that has no account yet: it asks a venue for one.

    `name` is its id there, `display` its name on screens (by default the id). `invite` is the code
    that the operator gave it, if the venue needs one. The code is never shown.
    """

    protocol: int
    name: Name
    invite: Secret | None = None
    display: Annotated[str, Meta(max_length=64)] = ""


class Joined(_HidesSecrets, frozen=True, kw_only=True, tag="joined"):
    """The bot has an account. This is the last message on the connection; it logs in on another.

    `token` is the secret for every later login; the arena keeps only its hash and cannot tell it
    again. `page` is the address of the bot's page, empty if the venue has none.
    """

    name: Name
    token: Secret
    page: str = ""


class Limits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Limits of a connection, and how long the bot may be without one.

    The longest payload a bot may send, and the most unanswered turns it gets; `grace_ms` is how
    long after a connection was lost it may come back, 0 if it may not.
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
