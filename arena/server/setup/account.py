"""An entrant's account: its name and token, the build of its bot, and whether the bot is here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from arena.words import Said
from protocol.greetings import Login
from protocol.messages import Bye, Error, FromArena


class Connection(Protocol):
    """The connection of a bot that has logged in."""

    def send(self, message: FromArena, at_ms: int | None = None) -> None:
        """Put a message into the outbox, at this time or now."""

    def close(self, word: Bye | Error) -> None:
        """Send a last word and close the connection."""

    def cut(self, reason: Said) -> None:
        """Close the connection without a word."""

    def replace(self) -> None:
        """The bot has logged in again on another connection."""


class Account:
    """One entrant's account: for the whole run if its bot connects from elsewhere, for one match if it is launched."""

    def __init__(self, name: str, token: str, *, grace_ms: int) -> None:
        self.name = name
        self.token = token
        self.grace_ms = grace_ms
        """How long its bot may stay away during a game; 0 for a launched bot, which nobody would bring back."""
        self.login: Login | None = None
        """What its bot said about itself at its last login."""
        self.build: str | None = None
        """The fingerprint of its bot's first login to this run, or to a resumed match; it may not change."""
        self.resume_key = ""
        self.connection: Connection | None = None
        """The connection of its bot while it is here."""
        self.is_dismissed = False
        """Whether its bot was told goodbye."""
        self.matches = 0
        """How many unfinished matches need its bot."""
        self.on_login: Callable[[], object] = lambda: None
        self.tell_awaited: Callable[[bool], object] | None = None
        """Set for a launched bot: told whether something is to come from it, from now on."""
        self.figures: Callable[[], list[int]] | None = None
        """Set for a launched bot: what is measured of it and its machine (`AwaitedTime.figures`)."""
        self.on_loss: Callable[[Said], object] = lambda _: None
        """Told why the connection was lost, before it costs anything; not after a goodbye."""
        self.start_program: Callable[[], object] | None = None
        """Set for a launched bot: starts its program if it is not running."""
        self.on_failure: Callable[[], object] = lambda: None
        """Called when the arena itself has failed over the program of a launched bot, or before its bot logged in."""
        self.on_program_end: Callable[[Said, int], object] = lambda _reason, _now_ms: None
        """Called with the reason and the time (ms) when the program of a launched bot has ended."""

    @property
    def is_launched(self) -> bool:
        """True if the arena starts the program of its bot."""
        return self.start_program is not None

    def call_back(self) -> None:
        """Its bot is needed and not here: start a launched one again."""
        if self.start_program is not None and self.connection is None:
            self.start_program()

    def dismiss(self, reason: str) -> None:
        """Say goodbye to its bot."""
        self.is_dismissed = True
        if self.connection is not None:
            self.connection.close(Bye(reason=reason))
