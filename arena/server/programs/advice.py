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
"""Characters that are read from the end of a program's output."""
MOST_LINES: Final = 100

_MISSING: Final = re.compile(
    r"no such file or directory|FileNotFound|\bENOENT\b|cannot find the file", re.IGNORECASE
)
_REFUSED: Final = re.compile(r"permission denied|\bEACCES\b", re.IGNORECASE)
_READ_ONLY: Final = re.compile(r"read-only file system|\bEROFS\b", re.IGNORECASE)
_NETWORK: Final = re.compile(
    r"network is unreachable|name resolution|name or service not known|UnknownHostException"
    r"|no such host|failed to lookup address|connection refused"
    r"|\b(?:ENETUNREACH|EAI_AGAIN|ENOTFOUND|ECONNREFUSED)\b",
    re.IGNORECASE,
)
_NOT_PERMITTED: Final = re.compile(r"operation not permitted|\bEPERM\b", re.IGNORECASE)
_SOCKET: Final = re.compile(r"\b(?:sockets?|connect|dial|urlopen)\b", re.IGNORECASE)
_CD: Final = re.compile(r"\bcd: (?:can't cd to )?([^:\n]+)")
"""The message of shells that cannot go to a folder."""
_NAMES: Final = re.compile(r"""'([^'\n]+)'|"([^"\n]+)"|([^\s'",;()]+)""")
"""Possible names of files in a line: a text in quotes, or a word."""


def advice(
    printed: str,
    command: BotCommand,
    contained_by: Way = "none",
) -> Said | None:
    """Return what to do after these last words of a program; None if nothing is known."""
    lines = printed[-LONGEST:].splitlines()
    printed = "\n".join(lines[-MOST_LINES:])
    if CLASS_IN_PLACE_OF_BOT in printed:
        return Said("advice.class_in_place_of_bot")
    general = module_advice(printed) or _about_folders(printed, command)
    if general or contained_by == "none":
        return general
    return _about_containment(printed, command, has_landlock=contained_by != "bubblewrap")


def _about_folders(printed: str, command: BotCommand) -> Said | None:
    """Say that a program begins in another folder than it expects."""
    for name in _CD.findall(printed):
        folder = command.directory / name.strip()
        if folder.is_dir():
            values = {
                "folder": name.strip(),
                "advice": _give_folder(command, folder),
            }
            return Said("advice.unseen_folder", values)
    if command.has_folder:
        return None
    for name in _names_in(printed, _MISSING):
        for script in named_by(command).bot_paths:
            if _is_beside(script, name, command.directory):
                values = {
                    "file": name,
                    "script": os.path.relpath(script, command.directory),
                    "advice": _give_folder(command, folder_of(script)),
                }
                return Said("advice.beside", values)
    return None


def _is_beside(
    script: Path,
    name: str,
    directory: Path,
) -> bool:
    """Return whether a file lies in the folder of a script, and not where the program begins."""
    folder = folder_of(script)
    if Path(name).is_absolute() or folder == directory.resolve():
        return False
    return exists(folder / name) and not exists(directory / name)


def _give_folder(command: BotCommand, folder: Path) -> Said:
    """Say how to give a bot its folder, with the command as it is written from there."""
    folder = folder.resolve()
    name = os.path.relpath(folder, command.directory.resolve())
    words = list(command.words)
    if words[0] == sys.executable:
        words[0] = "python"
    for index, word in enumerate(words):
        path = (command.directory / word).resolve()
        if exists(path) and path.is_relative_to(folder):
            words[index] = os.path.relpath(path, folder)
    values = {
        "folder": repr(name),
        "quoted": shlex.quote(name),
    }
    if "-c" in words:
        return Said("advice.give_folder_without_cd", values)
    values["line"] = shlex.join(words)
    return Said("advice.give_folder", values)


def _about_containment(
    printed: str,
    command: BotCommand,
    *,
    has_landlock: bool,
) -> Said | None:
    """Say what containment keeps from a program."""
    if _READ_ONLY.search(printed):
        return Said("advice.writes")
    if _lacks_network(printed, has_landlock=has_landlock):
        return Said("advice.no_network")
    about_refusal = _about_refused_files(printed, command, has_landlock=has_landlock)
    if about_refusal is not None:
        return about_refusal
    return _about_hidden_files(printed, command)


def _lacks_network(printed: str, *, has_landlock: bool) -> bool:
    if _NETWORK.search(printed):
        return True
    if not has_landlock or not _NOT_PERMITTED.search(printed):
        return False
    return _SOCKET.search(printed) is not None


def _about_refused_files(
    printed: str,
    command: BotCommand,
    *,
    has_landlock: bool,
) -> Said | None:
    """Say why a file of the bot cannot be read or written."""
    folders = set(map(folder_of, named_by(command).bot_paths))
    for name in _names_in(printed, _REFUSED):
        path = (command.directory / name).resolve()
        is_there = exists(path)
        if not is_there and f"'{name}'" not in printed:
            continue  # some other word of the line
        is_of_bot = not folders.isdisjoint(path.parents)
        if is_of_bot and path.name.endswith(PRIVATE):
            return Said("advice.credential_name", {"file": name})
        if has_landlock and (is_of_bot or not is_there):
            return Said("advice.writes")
    return None


def _about_hidden_files(printed: str, command: BotCommand) -> Said | None:
    """Say that a file is there, but hidden from the bot."""
    programs = {program.resolve() for program in named_by(command).programs}
    for pattern in (_REFUSED, _MISSING):
        for name in _names_in(printed, pattern):
            path = command.directory / name
            if not exists(path) or path.resolve() in programs:
                continue  # a program that runs has printed its own name
            path_to_add = name
            if command.has_folder:
                path_to_add = str(path.resolve())
            return Said("advice.reads", {"file": name, "path": path_to_add})
    return None


def _names_in(printed: str, pattern: re.Pattern[str]) -> Iterator[str]:
    """Yield possible names of files in the lines that match a pattern, from the last line on."""
    for line in reversed(printed.splitlines()):
        if not pattern.search(line):
            continue
        for quoted, double_quoted, word in reversed(_NAMES.findall(line)):
            name = (quoted or double_quoted or word).rstrip(":").strip()
            if name.isprintable() and name not in ("", ".", "..", "/"):
                yield name
