"""What to do about the last words of a program that failed."""

import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from arena.own_programs import module_advice
from arena.records.facts import Way
from arena.server.programs.bot_command import BotCommand, folder_of, named_by
from arena.server.programs.folder_walk import PRIVATE
from arena.server.programs.system_files import exists

CLASS_IN_PLACE_OF_BOT: Final = "main() missing 1 required positional argument: 'self'"
WRITES: Final = (
    "a contained bot can write nothing but files in its folder for temporary ones (TMPDIR), which goes with it; "
    "write there, or print: the run keeps what a bot prints"
)
NO_NETWORK: Final = (
    "a contained bot has no network; put what it needs into its folder, or let it play from elsewhere (remote = true), "
    'or launch it with sandbox = "off" under [limits] if you trust it'
)
LONGEST: Final = 200_000
"""Characters of the end of what a program printed that are looked at."""
MOST_LINES: Final = 100

_MISSING: Final = re.compile(r"no such file or directory|FileNotFound|\bENOENT\b|cannot find the file", re.IGNORECASE)
_REFUSED: Final = re.compile(r"permission denied|\bEACCES\b", re.IGNORECASE)
_READ_ONLY: Final = re.compile(r"read-only file system|\bEROFS\b", re.IGNORECASE)
_NETWORK: Final = re.compile(
    r"network is unreachable|name resolution|name or service not known|UnknownHostException|no such host"
    r"|failed to lookup address|connection refused|\b(?:ENETUNREACH|EAI_AGAIN|ENOTFOUND|ECONNREFUSED)\b",
    re.IGNORECASE,
)
_NOT_PERMITTED: Final = re.compile(r"operation not permitted|\bEPERM\b", re.IGNORECASE)
_SOCKET: Final = re.compile(r"\b(?:sockets?|connect|dial|urlopen)\b", re.IGNORECASE)
_CD: Final = re.compile(r"\bcd: (?:can't cd to )?([^:\n]+)")
"""As the shells say that they cannot go to a folder."""
_NAMES: Final = re.compile(r"""'([^'\n]+)'|"([^"\n]+)"|([^\s'",;()]+)""")
"""What may be the name of a file in a line: a text in quotes, or a word."""


def advice(said: str, command: BotCommand, way: Way = "none") -> str:
    """Return what to do after these last words of a program; empty if nothing is known.

    The program was contained in this way.
    """
    said = "\n".join(said[-LONGEST:].splitlines()[-MOST_LINES:])
    if CLASS_IN_PLACE_OF_BOT in said:
        return "write `.main()` behind the bot, not behind its class: Mine().main()"
    known = module_advice(said) or _about_folders(said, command)
    if known or way == "none":
        return known
    return _about_containment(said, command, has_landlock=way != "bubblewrap")


def _about_folders(said: str, command: BotCommand) -> str:
    """Say that a program begins in another folder than it thinks."""
    for name in _CD.findall(said):
        folder = command.directory / name.strip()
        if folder.is_dir():
            return f"the bot does not see the folder {name.strip()}; {_give_folder(command, folder)}"
    if command.has_folder:
        return ""
    for name in _names_in(said, _MISSING):
        for script in named_by(command).own:
            folder = folder_of(script)
            is_beside = exists(folder / name) and not exists(command.directory / name)
            if is_beside and not Path(name).is_absolute() and folder != command.directory.resolve():
                where = f"{name} is beside {os.path.relpath(script, command.directory)}"
                return f"{where}, but a bot begins where the arena was started; {_give_folder(command, folder)}"
    return ""


def _give_folder(command: BotCommand, folder: Path) -> str:
    """Say how the folder is given, with the command as it is written there."""
    folder = folder.resolve()
    name = os.path.relpath(folder, command.directory.resolve())
    words = list(command.words)
    if words[0] == sys.executable:
        words[0] = "python"
    for at, word in enumerate(words):
        path = (command.directory / word).resolve()
        if exists(path) and path.is_relative_to(folder):
            words[at] = os.path.relpath(path, folder)
    line = "a command without cd" if "-c" in words else f"write its command from there: {shlex.join(words)}"
    return f"give the bot folder = {name!r} (--set bot.NAME.folder={shlex.quote(name)}), and {line}"


def _about_containment(said: str, command: BotCommand, *, has_landlock: bool) -> str:
    """Say what containment keeps from a program."""
    if _READ_ONLY.search(said):
        return WRITES
    if _NETWORK.search(said) or (has_landlock and _NOT_PERMITTED.search(said) and _SOCKET.search(said)):
        return NO_NETWORK
    folders = set(map(folder_of, named_by(command).own))
    for name in _names_in(said, _REFUSED):
        path = (command.directory / name).resolve()
        if not exists(path) and f"'{name}'" not in said:
            continue  # some other word of the line
        is_own = not folders.isdisjoint(path.parents)
        if is_own and path.name.endswith(PRIVATE):
            return f"{name} is hidden from the bot, since its name is that of a credential; give it another name"
        if has_landlock and (is_own or not exists(path)):
            return WRITES
    for pattern in (_REFUSED, _MISSING):
        for name in _names_in(said, pattern):
            if exists(command.directory / name):
                shown = str((command.directory / name).resolve()) if command.has_folder else name
                return (
                    f"{name} is there, but the sandbox shows a bot little beside its own folder: put the file there, "
                    f'or give reads = ["{shown}"] beside the command in a tournament file'
                )
    return ""


def _names_in(said: str, pattern: re.Pattern[str]) -> Iterator[str]:
    """What may be names of files in the lines in which a pattern is found, the last line first."""
    for line in reversed(said.splitlines()):
        if pattern.search(line):
            for groups in reversed(_NAMES.findall(line)):
                name = next(filter(None, groups)).rstrip(":").strip()
                if name.isprintable() and name not in ("", ".", "..", "/"):
                    yield name
