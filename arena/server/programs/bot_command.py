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
    """The words that start the program of a bot, and the folder where it begins."""

    words: tuple[str, ...]
    """The program and its arguments."""
    directory: Path
    """The folder where the program begins; its words may be paths from there."""
    has_folder: bool = False
    """True if the operator has given this folder to the bot, which then belongs to it."""
    reads: tuple[Path, ...] = ()
    """Files and folders that the operator lets it read besides its own."""


def command_of(
    bot: BotSection,
    directory: Path,
    words: Sequence[str] = (),
) -> BotCommand:
    """Return the command of a bot of a tournament file, in an arena started in `directory`.

    `words` replace those in the file, if there are any.
    """
    folder = directory
    if bot.folder is not None:
        folder = (directory / bot.folder).absolute()
    return BotCommand(
        words=tuple(words) or bot.arguments,
        directory=folder,
        has_folder=bot.folder is not None,
        reads=tuple((directory / name).absolute() for name in bot.reads),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Paths that the words of a command name."""

    programs: tuple[Path, ...]
    """Installed programs: interpreters, and programs that start them."""
    bot_paths: tuple[Path, ...]
    """The bot itself: a program or script, or the folder of one."""
    files: tuple[Path, ...]
    """Other files that are there now."""
    folders: tuple[str, ...]
    """Words that name other folders; they are not shown."""


def named_by(command: BotCommand) -> Named:
    """Find the paths that the words of a command name.

    A folder that the operator has given to the bot is one of its own paths.
    """
    named = _named_by(command.words, command.directory)
    if not command.has_folder:
        return named
    return replace(named, bot_paths=(command.directory, *named.bot_paths))


def _named_by(words: Sequence[str], directory: Path) -> Named:
    """Find the paths that words name, also behind `env` or an adapter."""
    start = _start_of_program(words)
    if start == 0:
        return _named_by_program(words, directory)
    named = _named_by([*words[start:], *words[1:start]], directory)
    starter = program_path(words[0], directory)
    if starter is None:
        return named
    return replace(named, programs=(*named.programs, starter))


def _start_of_program(words: Sequence[str]) -> int:
    """Return the index of PROGRAM in `env X=1 PROGRAM` or `arena adapter stdio -- PROGRAM`.

    Return 0 for other commands.
    """
    name = Path(words[0]).name
    if name == "env":
        for index, word in enumerate(words[1:], 1):
            if not word.startswith("-") and "=" not in word:
                return index
    if name == "arena" and "--" in words[:-1]:
        return words.index("--") + 1
    return 0


def _named_by_program(words: Sequence[str], directory: Path) -> Named:
    """Tell the paths in a command by their use: programs, the script of the bot, other files."""
    programs: list[Path] = []
    bot_paths: list[Path] = []
    others: list[Path] = []
    program = program_path(words[0], directory)
    if program is not None:
        is_installed = "/" not in words[0] or prefix_of(program) is not None
        if is_installed:
            programs.append(program)
        else:
            bot_paths.append(program)
    # The first path that is not an installed program is the script; all later ones are its files.
    is_script_next = not bot_paths
    previous = ""
    for word in words[1:]:
        paths = _paths_of(word, previous, directory)
        if paths and is_script_next:
            bot_paths += paths
            is_script_next = False
        elif paths:
            others += paths
        else:
            paths = _existing(directory, word.partition("=")[2])
            others += paths
            if not paths and is_script_next:
                programs += _started_by(word, directory)
        previous = word
    programs += filter(Path.is_file, bot_paths)  # a script may name an interpreter
    return Named(
        programs=tuple(programs),
        bot_paths=tuple(bot_paths),
        files=tuple(path for path in others if not path.is_dir()),
        folders=tuple(str(path) for path in others if path.is_dir()),
    )


def _paths_of(
    word: str,
    previous: str,
    directory: Path,
) -> list[Path]:
    """Return the path that a word names, a list of paths, or the module after `-m`."""
    paths = _existing(directory, word) or _existing(directory, *word.split(os.pathsep))
    if paths or previous != "-m":
        return paths
    module = word.partition(".")[0]
    return _existing(directory, module, f"{module}.py")


def _started_by(word: str, directory: Path) -> list[Path]:
    """Return the second program of a command such as `nice python bot.py`."""
    if "/" in word or word.startswith("-"):
        return []
    program = program_path(word, directory)
    return [] if program is None else [program]


def folder_of(bot_path: Path) -> Path:
    """Return the folder of a bot, one of whose paths this is."""
    path = bot_path.resolve()
    return path if bot_path.is_dir() else path.parent


def _existing(directory: Path, *names: str) -> list[Path]:
    paths = [(directory / name).absolute() for name in names if name]
    return [path for path in paths if exists(path)]
