"""What keeps the programs of bots from being started at all: an operator's mistakes, told before anything begins."""

import os
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
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
"""How to start a file of a kind, for advice."""
MOST_WORDS: Final = 50
"""How many words of a command are looked at for a path that was not put in quotes."""
MOST_PARTS: Final = 8
"""Into how many words such a path may be split."""


def program_problems(commands: Mapping[str, BotCommand]) -> list[Said]:
    """Return why programs of bots cannot be started; the keys are the names of the bots."""
    problems = []
    for name, command in commands.items():
        if command.has_folder and not command.directory.is_dir():
            continue  # that is told of the folder
        problems += [
            Said("plan.of_bot", {"name": name, "problem": problem})
            for problem in _problems_of(name, command)
        ]
    return problems


def _problems_of(name: str, command: BotCommand) -> Iterator[Said]:
    program = command.words[0]
    path = command.directory / program
    is_file = os.path.isfile(path)  # noqa: PTH113 - Path.is_file raises for a name too long to be one
    parted = _parted_path(command)
    if program == "cd":
        folder, line = without_cd(command.words)
        option = f"--set bot.{name}.folder={shlex.quote(folder)}"
        yield Said("start.cd", {"folder": repr(folder), "option": option, "command": repr(line)})
    elif parted:
        yield Said("start.one_path", {"path": repr(parted), "quoted": shlex.quote(parted)})
    elif "/" in program and is_file:
        if not os.access(path, os.X_OK):
            values = {
                "program": repr(program),
                "quoted": shlex.quote(program),
                "line": _starting(path, program),
            }
            yield Said("start.not_executable", values)
        elif has_windows_line_end(path):
            command_line = f"sed -i 's/\\r$//' {shlex.quote(program)}"
            yield Said("start.windows_line", {"program": repr(program), "command": command_line})
    elif "/" in program or not shutil.which(program):
        advice = Said("start.path_or_name")
        if "/" not in program and is_file:
            advice = Said("start.for_the_file", {"file": program, "line": _starting(path, program)})
        home = home_advice(program)
        yield Said("start.no_program", {"program": repr(program), "advice": advice, "home": home})
    elif not named_by(command).own:
        script = next((word for word in command.words[1:] if word.startswith("~/")), "")
        if script:
            yield Said("start.no_file", {"file": repr(script), "home": home_advice(script)})


def without_cd(words: Sequence[str]) -> tuple[str, str]:
    """Return the folder and the rest of a command such as `cd b2 && python bot.py`."""
    folder = words[1].rstrip(";") if len(words) > 1 else "."
    rest = [word for word in words[2:3] if word not in ("&&", ";")] + list(words[3:])
    return folder, shlex.join(rest)


def _parted_path(command: BotCommand) -> str:
    """Return a file whose path has blanks and was not put in quotes; empty if there is none."""
    words = command.words[:MOST_WORDS]
    for at, word in enumerate(words):
        if exists(command.directory / word) or (not at and shutil.which(word)):
            continue
        for end in range(at + 2, min(at + MOST_PARTS, len(words)) + 1):
            path = " ".join(words[at:end])
            if exists(command.directory / path):
                return path
    return ""


def _starting(path: Path, program: str) -> str:
    name = shlex.quote(program)
    return (
        f"./{name}"
        if os.access(path, os.X_OK)
        else f"{INTERPRETERS.get(path.suffix, 'INTERPRETER')} {name}"
    )
