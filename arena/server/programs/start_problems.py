"""Commands that cannot start a bot: an operator's mistakes, reported before anything begins."""

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from arena.server.programs.bot_command import BotCommand, named_by
from arena.server.programs.runtimes import has_windows_line_end
from arena.server.programs.system_files import exists, home_advice
from arena.words import Said

INTERPRETERS: Final = {
    ".py": "python",
    ".js": "node",
    ".mjs": "node",
    ".sh": "sh",
    ".jar": "java -jar",
}
"""The program that starts a kind of file, for advice."""
MOST_WORDS: Final = 50
"""Words of a command in which a path without quotes is looked for."""
MOST_PARTS: Final = 8
"""Number of words into which a path without quotes may be split."""


def program_problems(commands: Mapping[str, BotCommand]) -> list[Said]:
    """Return why programs of bots cannot be started; the keys are the names of the bots."""
    problems = []
    for name, command in commands.items():
        if command.has_folder and not command.directory.is_dir():
            continue  # `folder_problems` reports it
        problem = _problem_of(name, command)
        if problem is not None:
            problems.append(Said("plan.of_bot", {"name": name, "problem": problem}))
    return problems


def _problem_of(name: str, command: BotCommand) -> Said | None:
    """Return why a command cannot start, and what to write instead; None if it can."""
    program = command.words[0]
    path = command.directory / program
    is_path = "/" in program
    is_file = os.path.isfile(path)  # noqa: PTH113 - Path.is_file raises for a long name
    if program == "cd":
        return _about_cd(name, command)
    parted = _parted_path(command)
    if parted:
        return Said("start.one_path", {"path": repr(parted), "quoted": shlex.quote(parted)})
    if is_path and is_file:
        return _about_file(path, program)
    if is_path or not shutil.which(program):
        advice = Said("start.path_or_name")
        if is_file and not is_path:
            line = _starting(path, program)
            advice = Said("start.for_the_file", {"file": program, "line": line})
        values = {
            "program": repr(program),
            "advice": advice,
            "home": home_advice(program),
        }
        return Said("start.no_program", values)
    return _about_script(command)


def _about_cd(name: str, command: BotCommand) -> Said:
    """Say to give a bot its folder in place of `cd`, which is no program."""
    folder, line = without_cd(command.words)
    option = f"--set bot.{name}.folder={shlex.quote(folder)}"
    values = {
        "folder": repr(folder),
        "option": option,
        "command": repr(line),
    }
    return Said("start.cd", values)


def _about_file(path: Path, program: str) -> Said | None:
    """Say why a file that is there cannot be started."""
    if not os.access(path, os.X_OK):
        values = {
            "program": repr(program),
            "quoted": shlex.quote(program),
            "line": _starting(path, program),
        }
        return Said("start.not_executable", values)
    if has_windows_line_end(path):
        command_line = f"sed -i 's/\\r$//' {shlex.quote(program)}"
        return Said("start.windows_line", {"program": repr(program), "command": command_line})
    return None


def _about_script(command: BotCommand) -> Said | None:
    """Say that `~` in the name of a script is not replaced, if no script was found."""
    if named_by(command).bot_paths:
        return None
    for word in command.words[1:]:
        if word.startswith("~/"):
            return Said("start.no_file", {"file": repr(word), "home": home_advice(word)})
    return None


def without_cd(words: Sequence[str]) -> tuple[str, str]:
    """Return the folder and the following command of `cd b2 && python bot.py`."""
    folder = "."
    if len(words) > 1:
        folder = words[1].rstrip(";")
    command = list(words[2:])
    if command and command[0] in ("&&", ";"):
        del command[0]
    return folder, shlex.join(command)


def _parted_path(command: BotCommand) -> str:
    """Return a path with blanks that was not put in quotes; empty if there is none."""
    words = command.words[:MOST_WORDS]
    for start, word in enumerate(words):
        if exists(command.directory / word) or (start == 0 and shutil.which(word)):
            continue
        last_end = min(start + MOST_PARTS, len(words))
        for end in range(start + 2, last_end + 1):
            path = " ".join(words[start:end])
            if exists(command.directory / path):
                return path
    return ""


def _starting(path: Path, program: str) -> str:
    name = shlex.quote(program)
    if os.access(path, os.X_OK):
        return f"./{name}"
    interpreter = INTERPRETERS.get(path.suffix, "INTERPRETER")
    return f"{interpreter} {name}"
