"""`[[bot]]` of the tournament file: an entrant, and what starts its program."""

import shlex
from collections.abc import Iterator, Sequence
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
    """Its name on screens, or its id."""
    id: str | None = None
    """Its name in files, logins and records; by default made of `name`."""
    command: str | tuple[str, ...] | None = None
    folder: str | None = None
    """The bot's own folder, in which its program begins.

    By default the folder in which the arena was started.
    """
    if_installed: str | None = None
    """A program without which the bot is left out of a new run, such as the engine that an adapter
    plays."""
    remote: bool = False
    person: bool = False
    """True if a person plays by hand at this seat: it is a remote one, and the record says so."""
    token_file: str | None = None
    """A file that holds the token of a remote bot; without one a token is made."""
    matches_at_once: Annotated[int, Meta(ge=1, le=256)] = 1
    """Number of matches that it plays at the same time."""
    reads: Annotated[tuple[str, ...], Meta(max_length=MOST_READS)] = ()
    """Files and folders that a launched bot may read in its sandbox, besides its own folder."""
    process: Literal["match", "run"] = "match"
    """What a launched bot is started for: each match, or the run.

    For the run it is started once, and plays all matches over one connection.
    """

    @property
    def entrant(self) -> str:
        """Its id."""
        if self.id is None:
            return plain_id(self.name)
        return self.id

    @property
    def arguments(self) -> tuple[str, ...]:
        """The program and its arguments; empty for a remote bot.

        `python` and `arena` are the arena's own.
        """
        if self.command is None:
            return ()
        words: Sequence[str] = self.command
        if isinstance(self.command, str):
            words = shlex.split(self.command)
        return with_own_programs(words)


def bot_problems(bot: BotSection) -> Iterator[Said]:
    """Yield problems of fields of a bot that do not fit together."""
    if bot.remote == (bot.command is not None):
        yield Said("bot.command_or_remote")
    characters = _command_characters(bot.command)
    if characters > COMMAND_CHARACTERS:
        yield Said("bot.long_command", {"number": characters, "most": COMMAND_CHARACTERS})
        return
    yield from _command_problems(bot)
    if bot.person and bot.matches_at_once > 1:
        yield Said("bot.person_at_once")
    if bot.remote:
        yield from _problems_of_remote(bot)
    elif bot.token_file:
        yield Said("bot.token_file_of_launched")


def _command_characters(command: str | tuple[str, ...] | None) -> int:
    if command is None:
        return 0
    if isinstance(command, str):
        return len(command)
    return sum(map(len, command))


def _command_problems(bot: BotSection) -> Iterator[Said]:
    """Yield why the command of a bot cannot be split into words."""
    if bot.command is None:
        return
    try:
        if not bot.arguments:
            yield Said("bot.no_command")
    except ValueError as error:
        reason: str | Said = str(error)  # `shlex` has no codes for its errors
        if reason in _OF_SHLEX:
            reason = Said(_OF_SHLEX[reason])
        yield Said("bot.unreadable_command", {"error": reason})


def _problems_of_remote(bot: BotSection) -> Iterator[Said]:
    """Yield problems of fields that only a launched bot can have."""
    if bot.if_installed is not None:
        yield Said("bot.for_a_command", {"field": "if_installed"})
    if bot.reads:
        yield Said("bot.reads_of_remote")
    if bot.folder is not None:
        yield Said("bot.for_a_command", {"field": "folder"})
    if bot.process == "run":
        yield Said("bot.for_a_command", {"field": "process"})
