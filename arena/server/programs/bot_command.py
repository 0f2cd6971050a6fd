"""The command of a bot: its words, where it begins, and what its words name."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from arena.server.programs.runtimes import prefix_of, program_path
from arena.server.programs.system_files import exists
from arena.server.setup.bot_section import BotSection


@dataclass(frozen=True, slots=True, kw_only=True)
class BotCommand:
    """What starts the program of a bot."""

    words: tuple[str, ...]
    """The program and its arguments."""
    directory: Path
    """Where the program begins; its words may be paths from there."""
    has_folder: bool = False
    """Whether the operator has given it this folder; then the folder is its own."""
    reads: tuple[Path, ...] = ()
    """Files and folders that the operator lets it read besides its own."""


def command_of(bot: BotSection, directory: Path, words: Sequence[str] = ()) -> BotCommand:
    """Return what starts a bot of a tournament file, in an arena that was started in `directory`.

    Other `words` may take the place of those in the file.
    """
    return BotCommand(
        words=tuple(words) or bot.arguments,
        directory=directory if bot.folder is None else (directory / bot.folder).absolute(),
        has_folder=bot.folder is not None,
        reads=tuple((directory / name).absolute() for name in bot.reads),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Paths that the words of a command name."""

    programs: tuple[Path, ...]
    """Installed programs: interpreters, and what starts them."""
    own: tuple[Path, ...]
    """The bot itself: a program or script, or the folder of one."""
    files: tuple[Path, ...]
    """Other files that are there now."""
    folders: tuple[str, ...]
    """Words that name other folders; they are not shown."""


def named_by(command: BotCommand) -> Named:
    """Look for what the words of a command name; the folder that the operator has given to the bot is its own too."""
    named = _named_by(command.words, command.directory)
    return replace(named, own=(command.directory, *named.own)) if command.has_folder else named


def _named_by(command: Sequence[str], directory: Path) -> Named:
    program = program_path(command[0], directory)
    if at := _started_at(command):
        named = _named_by([*command[at:], *command[1:at]], directory)
        return replace(named, programs=(*named.programs, *([] if program is None else [program])))
    programs: list[Path] = []
    own: list[Path] = []
    files: list[Path] = []
    folders: list[str] = []
    if program is not None:
        (own if "/" in command[0] and prefix_of(program) is None else programs).append(program)
    is_script_next = not own
    previous = ""
    for word in command[1:]:
        found = _existing(directory, word) or _existing(directory, *word.split(os.pathsep))
        if not found and previous == "-m":
            found = _existing(directory, first := word.partition(".")[0], f"{first}.py")
        is_script = bool(found) and is_script_next
        found = found or _existing(directory, word.partition("=")[2])
        if is_script:
            own += found
            is_script_next = False
        elif found:
            files += [path for path in found if not path.is_dir()]
            folders += [str(path) for path in found if path.is_dir()]
        elif is_script_next and "/" not in word and not word.startswith("-"):
            program = program_path(word, directory)  # of `nice python bot.py`
            programs += [] if program is None else [program]
        previous = word
    programs += [path for path in own if path.is_file()]  # which may name an interpreter
    return Named(
        programs=tuple(programs), own=tuple(own), files=tuple(files), folders=tuple(folders)
    )


def _started_at(command: Sequence[str]) -> int:
    """Return the index of PROGRAM in `env X=1 PROGRAM` or `arena adapter stdio -- PROGRAM`; 0 if neither."""
    match Path(command[0]).name:
        case "env":
            behind = [
                at
                for at, word in enumerate(command)
                if at and not word.startswith("-") and "=" not in word
            ]
            return behind[0] if behind else 0
        case "arena" if "--" in command[:-1]:
            return command.index("--") + 1
    return 0


def folder_of(own: Path) -> Path:
    """The folder of a bot, of which its command names this."""
    return own.resolve() if own.is_dir() else own.resolve().parent


def _existing(directory: Path, *names: str) -> list[Path]:
    return [path for name in names if name and exists(path := (directory / name).absolute())]
