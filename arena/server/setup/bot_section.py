"""`[[bot]]` of the tournament file: an entrant, and what starts its program."""

import shlex
from collections.abc import Iterator
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from arena.own_programs import with_own_programs
from arena.tournaments.names import plain_id
from arena.words import Said

COMMAND_CHARACTERS: Final = 30_000
"""The longest command of a bot: a system refuses to start much longer ones."""
_OF_SHLEX: Final = {
    "No closing quotation": "bot.shell_quote",
    "No escaped character": "bot.shell_escape",
}
MOST_READS: Final = 100
"""Files and folders that a bot may read beside its own: each is shown to it by itself."""


class BotSection(msgspec.Struct, frozen=True, kw_only=True):
    """`[[bot]]`: an entrant and its program, or `remote = true` for one that connects by itself."""

    name: str
    """What it is called on screens, or its id."""
    id: str | None = None
    """What it is called in files, logins and records; made of the name if it is not given."""
    command: str | tuple[str, ...] | None = None
    folder: str | None = None
    """The folder in which its program begins, and which is its own; by default that in which the
    arena was started."""
    if_installed: str | None = None
    """A program without which the bot is left out of a new run, such as the engine that an adapter
    plays."""
    remote: bool = False
    person: bool = False
    """Whether a person plays by hand at this seat, which makes it a remote one; the record says so."""
    token_file: str | None = None
    """A file that holds the token of a remote bot; without one a token is made."""
    matches_at_once: Annotated[int, Meta(ge=1, le=256)] = 1
    """How many matches it plays at the same time."""
    reads: Annotated[tuple[str, ...], Meta(max_length=MOST_READS)] = ()
    """Files and folders that a launched bot may read in its sandbox, besides its own folder."""
    process: Literal["match", "run"] = "match"
    """Whether a launched bot is started for each match, or once, for all matches of the run over
    one connection."""

    @property
    def entrant(self) -> str:
        """Its id."""
        return plain_id(self.name) if self.id is None else self.id

    @property
    def arguments(self) -> tuple[str, ...]:
        """The program and its arguments; empty for a remote bot.

        `python` and `arena` are the arena's own.
        """
        if self.command is None:
            return ()
        return with_own_programs(
            shlex.split(self.command) if isinstance(self.command, str) else self.command
        )


def bot_problems(bot: BotSection) -> Iterator[Said]:
    """Yield what does not fit together in what the file says of a bot."""
    if bot.remote == (bot.command is not None):
        yield Said("bot.command_or_remote")
    words = bot.command if isinstance(bot.command, tuple) else (bot.command or "",)
    characters = sum(map(len, words))
    if characters > COMMAND_CHARACTERS:
        yield Said("bot.long_command", {"number": characters, "most": COMMAND_CHARACTERS})
        return
    try:
        if bot.command is not None and not bot.arguments:
            yield Said("bot.no_command")
    except ValueError as error:
        reason = str(error)  # of `shlex`, whose errors have no codes
        code = _OF_SHLEX.get(reason)
        yield Said("bot.unreadable_command", {"error": reason if code is None else Said(code)})
    if bot.person and bot.matches_at_once > 1:
        yield Said("bot.person_at_once")
    if not bot.remote:
        if bot.token_file:
            yield Said("bot.token_file_of_launched")
        return
    if bot.if_installed is not None:
        yield Said("bot.for_a_command", {"field": "if_installed"})
    if bot.reads:
        yield Said("bot.reads_of_remote")
    if bot.folder is not None:
        yield Said("bot.for_a_command", {"field": "folder"})
    if bot.process == "run":
        yield Said("bot.for_a_command", {"field": "process"})
