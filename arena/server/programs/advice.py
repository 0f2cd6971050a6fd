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
from arena.words import Said

CLASS_IN_PLACE_OF_BOT: Final = "main() missing 1 required positional argument: 'self'"
LONGEST: Final = 200_000
"""Characters of the end of what a program printed that are looked at."""
MOST_LINES: Final = 100

_MISSING: Final = re.compile(
    r"no such file or directory|FileNotFound|\bENOENT\b|cannot find the file", re.IGNORECASE
)
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


def advice(printed: str, command: BotCommand, way: Way = "none") -> Said | None:
    """Return what to do after these last words of a program; None if nothing is known.

    The program was contained in this way.
    """
    printed = "\n".join(printed[-LONGEST:].splitlines()[-MOST_LINES:])
    if CLASS_IN_PLACE_OF_BOT in printed:
        return Said("advice.class_in_place_of_bot")
    known = module_advice(printed) or _about_folders(printed, command)
    if known or way == "none":
        return known
    return _about_containment(printed, command, has_landlock=way != "bubblewrap")


def _about_folders(printed: str, command: BotCommand) -> Said | None:
    """Say that a program begins in another folder than it thinks."""
    for name in _CD.findall(printed):
        folder = command.directory / name.strip()
        if folder.is_dir():
            values = {"folder": name.strip(), "advice": _give_folder(command, folder)}
            return Said("advice.unseen_folder", values)
    if command.has_folder:
        return None
    for name in _names_in(printed, _MISSING):
        for script in named_by(command).own:
            folder = folder_of(script)
            is_beside = exists(folder / name) and not exists(command.directory / name)
            if is_beside and not Path(name).is_absolute() and folder != command.directory.resolve():
                beside = os.path.relpath(script, command.directory)
                values = {"file": name, "script": beside, "advice": _give_folder(command, folder)}
                return Said("advice.beside", values)
    return None


def _give_folder(command: BotCommand, folder: Path) -> Said:
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
    values = {"folder": repr(name), "quoted": shlex.quote(name)}
    if "-c" in words:
        return Said("advice.give_folder_without_cd", values)
    return Said("advice.give_folder", {**values, "line": shlex.join(words)})


def _about_containment(printed: str, command: BotCommand, *, has_landlock: bool) -> Said | None:
    """Say what containment keeps from a program."""
    if _READ_ONLY.search(printed):
        return Said("advice.writes")
    if _NETWORK.search(printed) or (
        has_landlock and _NOT_PERMITTED.search(printed) and _SOCKET.search(printed)
    ):
        return Said("advice.no_network")
    named = named_by(command)
    folders = set(map(folder_of, named.own))
    programs = {program.resolve() for program in named.programs}
    for name in _names_in(printed, _REFUSED):
        path = (command.directory / name).resolve()
        if not exists(path) and f"'{name}'" not in printed:
            continue  # some other word of the line
        is_own = not folders.isdisjoint(path.parents)
        if is_own and path.name.endswith(PRIVATE):
            return Said("advice.credential_name", {"file": name})
        if has_landlock and (is_own or not exists(path)):
            return Said("advice.writes")
    for pattern in (_REFUSED, _MISSING):
        for name in _names_in(printed, pattern):
            path = command.directory / name
            is_running = path.resolve() in programs  # it has said its own name
            if exists(path) and not is_running:
                shown = str(path.resolve()) if command.has_folder else name
                return Said("advice.reads", {"file": name, "path": shown})
    return None


def _names_in(printed: str, pattern: re.Pattern[str]) -> Iterator[str]:
    """What may be names of files in the lines in which a pattern is found, the last line first."""
    for line in reversed(printed.splitlines()):
        if pattern.search(line):
            for groups in reversed(_NAMES.findall(line)):
                name = next(filter(None, groups)).rstrip(":").strip()
                if name.isprintable() and name not in ("", ".", "..", "/"):
                    yield name
