"""An entrant's account: its name and token, the build of its bot, and whether the bot is here."""

from collections.abc import Callable
from typing import Protocol

from arena.server.io import secret_values
from arena.words import Said
from protocol.greetings import Login
from protocol.messages import Bye, Error, FromArena


class Connection(Protocol):
    """The connection of a bot that has logged in."""

    def send(self, message: FromArena, at_ms: int | None = None) -> None:
        """Put a message into the outbox, at this time or now."""

    def close(self, word: Bye | Error) -> None:
        """Send a last word and close the connection."""

    def take_back(self) -> None:
        """Forget what was put into the outbox in this batch."""

    def cut(self, reason: Said) -> None:
        """Close the connection without a word."""

    def replace(self) -> None:
        """The bot has logged in again on another connection."""


class Account:
    """One entrant's account: for all runs if its bot connects from elsewhere, for one match if it is launched."""

    def __init__(
        self,
        name: str,
        token: str,
        *,
        grace_ms: int,
        idle_ms: int = 0,
        takes_over: bool = False,
        is_launched: bool = False,
        is_by_pages: bool = False,
    ) -> None:
        self.name = name
        self.token = token
        self.on_new_token: Callable[[], object] = lambda: None
        """Called when it has got another token."""
        self.is_launched = is_launched
        """Whether the arena starts the program of its bot."""
        self.is_by_pages = is_by_pages
        """Whether a page of the arena has the seat: the arena itself loses its connection, and brings it back."""
        self.grace_ms = grace_ms
        """How long its bot may stay away during a game; 0 for a launched bot, which nobody would bring back."""
        self.idle_ms = idle_ms
        """How long its bot may be silent while the arena waits for nothing from it; 0 for ever."""
        self.takes_over = takes_over
        """Whether a second login takes the place of the first even without its resume key."""
        self.login: Login | None = None
        """What its bot said about itself at its last login."""
        self.build: str | None = None
        """The fingerprint of its bot's first login, or in a resumed match; it may not change while a run needs it."""
        self.resume_key = ""
        self.connection: Connection | None = None
        """The connection of its bot while it is here."""
        self.login_due_ms = 0
        """No login of its bot is answered before this time."""
        self.waiting: Connection | None = None
        """The connection of its bot whose login waits for that time."""
        self.is_dismissed = False
        """Whether its bot was told goodbye."""
        self.matches = 0
        """How many unfinished matches need its bot."""

    @property
    def terms(self) -> tuple[object, ...]:
        """On what terms its bot plays, in all runs."""
        return self.token, self.grace_ms, self.idle_ms, self.takes_over, self.is_by_pages

    def renew_token(self) -> None:
        """Refuse the old token: a program that was started with it cannot log in again."""
        self.token = secret_values.new_token()
        self.on_new_token()

    def dismiss(self, word: Bye | Error) -> None:
        """Say a last word to its bot."""
        self.is_dismissed = True
        if self.connection is not None:
            self.connection.close(word)
