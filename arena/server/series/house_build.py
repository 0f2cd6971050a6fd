"""The fingerprint of a house bot: of its command and its files, since the arena starts them."""

import hashlib
import os
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from arena.regular_files import read_regular
from arena.server.programs.bot_command import command_of, named_by
from arena.server.programs.runtimes import program_path
from arena.server.setup.bot_section import BotSection
from arena.words import Said, SaidError

MOST_BYTES: Final = 1 << 26
"""The largest file of a bot whose content counts; of a larger one, its size does."""
SCRIPTS: Final = (".py", ".js", ".mjs", ".jar", ".sh")
"""Endings of a word that names the script of a bot."""
_CACHES: Final = "__pycache__"


def check_files(bots: Iterable[BotSection], directory: Path) -> None:
    """Raise `SaidError` if the program or the script of a house bot is not there."""
    for bot in bots:
        path = _missing(bot, directory)
        if path is not None:
            problem = Said("venue.no_bot_file", {"file": str(path)})
            raise SaidError(Said("plan.of_bot", {"name": bot.name, "problem": problem}))


def _missing(bot: BotSection, directory: Path) -> Path | None:
    """Return the file that a command names as the bot, and that is not there."""
    command = replace(command_of(bot, directory), has_folder=False)
    if named_by(command).bot_paths:
        return None
    for word in command.words:
        is_path = "/" in word or Path(word).suffix in SCRIPTS
        if is_path and not word.startswith("-") and program_path(word, directory) is None:
            return command.directory / word
    return None


def house_fingerprint(bot: BotSection, directory: Path) -> str:
    """Return the fingerprint of a house bot's build, `sha256:` and hexadecimal.

    It is made of the words of its command, without the folders in them, and of the names and
    contents of the files that the command names and of those in the folder of its script. Installed
    programs, such as the interpreter, do not count. Raises `OSError` if a file cannot be read.
    """
    digest = hashlib.sha256()
    words = bot.command or ()
    if isinstance(words, str):
        words = tuple(shlex.split(words))
    for word in words:
        digest.update(word.rpartition("/")[2].encode() + b"\0")
    for path in _files(bot, directory):
        content = str(path.stat().st_size).encode()
        if path.stat().st_size <= MOST_BYTES:
            content = read_regular(path, MOST_BYTES)
        digest.update(b"\0" + os.fsencode(path.name) + b"\0")
        digest.update(hashlib.sha256(content).digest())
    return f"sha256:{digest.hexdigest()}"


def _files(bot: BotSection, directory: Path) -> Iterator[Path]:
    """Yield the files of a bot, in an order that does not depend on the disk."""
    named = named_by(command_of(bot, directory))
    for path in named.bot_paths:
        if path.is_dir():
            yield from _files_in(path)
        elif path.parent == directory:  # the folder of the venue's file is not the bot's own
            yield path
        else:
            yield from _files_in(path.parent)
    yield from filter(Path.is_file, named.files)


def _files_in(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not file.is_symlink() and _CACHES not in file.parts:
            yield file
