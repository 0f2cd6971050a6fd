"""An entrant's account: its name and token, the build of its bot, and whether the bot is here."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Protocol

from arena.server.io import secret_values
from arena.words import Said
from protocol.greetings import Login
from protocol.messages import Bye, Error, FromArena


class Connection(Protocol):
    """The connection of a bot that has logged in."""

    def send(
        self,
        message: FromArena,
        at_ms: int | None = None,
    ) -> None:
        """Put a message into the outbox, at this time or now."""

    def close(self, word: Bye | Error) -> None:
        """Send a last word and close the connection."""

    def take_back(self) -> None:
        """Forget what was put into the outbox in this batch."""

    def cut(self, reason: Said) -> None:
        """Close the connection without a word."""

    def send_away(self, word: Error, reason: Said) -> None:
        """Say a last word and close the connection: the bot is gone at once."""

    def replace(self) -> None:
        """Close the connection: the bot has logged in again on another one."""


@dataclass(eq=False, repr=False)
class Account:
    """One entrant's account: for all runs of a remote bot, for one match of a launched one."""

    name: str
    token: str
    """Empty for a bot of a venue: of its token only the hash is kept."""
    _: KW_ONLY
    token_sha256: str = ""
    """SHA-256 of the token, in hexadecimal: the door compares nothing else."""
    is_launched: bool = False
    """True if the arena starts the program of its bot."""
    is_by_pages: bool = False
    """True if a page of the arena has the seat: the arena restores its connection itself."""
    grace_ms: int
    """How long its bot may stay away during a game; 0 for a launched bot, which cannot return."""
    idle_ms: int = 0
    """How long its bot may be silent while the arena waits for nothing from it; 0 for ever."""
    takes_over: bool = False
    """Whether a second login takes the place of the first even without its resume key."""
    build: str | None = None
    """The fingerprint of its bot's first login, or in a resumed match; it may not change while a
    run needs it."""
    changes_build: bool = False
    """True for a bot of a venue: its doorkeeper says when it may come with another fingerprint."""
    keeps_remarks: bool = True
    """False for a bot of a venue: what it notes with a turn (`info`) goes into no record."""
    pinned_build: str | None = None
    """The only fingerprint with which it may log in until a run of its venue is over."""
    login: Login | None = None
    """The last login message of its bot."""
    resume_key: str = ""
    connection: Connection | None = None
    """The connection of its bot while it is here."""
    login_due_ms: int = 0
    """No login of its bot is answered before this time."""
    waiting: Connection | None = None
    """The connection of its bot whose login waits for that time."""
    is_dismissed: bool = False
    """True once the arena has said goodbye to its bot."""
    matches: int = 0
    """Number of unfinished matches that need its bot."""
    on_new_token: Callable[[], object] = lambda: None
    """Called when the token is replaced."""

    def __post_init__(self) -> None:
        """Hash the token, where it is known."""
        if not self.token_sha256:
            self.token_sha256 = secret_values.sha256_of(self.token)

    @property
    def terms(self) -> tuple[object, ...]:
        """The terms on which its bot plays, in all runs."""
        return self.token_sha256, self.grace_ms, self.idle_ms, self.takes_over, self.is_by_pages

    def renew_token(self) -> None:
        """Refuse the old token: a program that was started with it cannot log in again."""
        self.token = secret_values.new_token()
        self.token_sha256 = secret_values.sha256_of(self.token)
        self.on_new_token()

    def dismiss(self, word: Bye | Error) -> None:
        """Say a last word to its bot."""
        self.is_dismissed = True
        if self.connection is not None:
            self.connection.close(word)
