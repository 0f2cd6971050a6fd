"""What failed programs say, and what to do about it; and what keeps programs from being started at all."""

import os
import re
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from arena.own_programs import module_advice
from arena.server.programs.bot_command import BotCommand

INTERPRETERS: Final = {".py": "python", ".js": "node", ".mjs": "node", ".sh": "sh", ".jar": "java -jar"}
"""How to start a file of a kind, for advice."""

_SAYS: Final = re.compile(
    r"""(?:Uncaught\ )?[\w.$]*(?:Error|Exception)(?:\ \[\w+\])?:\   # Node: above the stack
      | (?:Exception\ in\ thread|Caused\ by:)\                      # Java
      | (?:panic|fatal\ error):\                                    # Go
    """,
    re.VERBOSE,
)
"""The beginning of a line that says what went wrong."""
_PANICKED: Final = re.compile(r"thread '.*' .*panicked at ")
"""How Rust begins; what went wrong is in the next line."""
_STACK: Final = re.compile(
    r"""\s|[{}\[\]]|\.\.\.\ \d+\ more                               # deeper lines, and what Node shows of an error
      | Node\.js\ v                                                 # Node
      | goroutine\ |created\ by\ |exit\ status\ |[\w./*()]+\(.*\)$  # Go
      | stack\ backtrace:|note:\                                    # Rust
    """,
    re.VERBOSE,
)
"""The beginning of a line that only tells where it went wrong."""
_REFUSED: Final = re.compile(r"(?:No such file or directory|Permission denied): '([^'\n]+)'")
"""As Python says it."""


def program_problems(commands: Mapping[str, BotCommand]) -> list[str]:
    """Return why programs of bots cannot be started at all; an operator's mistake, told before anything begins.

    The keys are the names of the bots.
    """
    problems = []
    for name, command in commands.items():
        program = command.words[0]
        path = command.directory / program
        if "/" in program and path.is_file():
            if not os.access(path, os.X_OK):
                advice = f"chmod +x {shlex.quote(program)}, or write: {_starting(path, program)}"
                problems.append(f"bot {name}: {program!r} is not executable; {advice}")
        elif "/" in program or not shutil.which(program):
            advice = "give a path or a name found on PATH"
            if "/" not in program and path.is_file():
                advice = f"for the file {program} write: {_starting(path, program)}"
            problems.append(f"bot {name}: there is no program {program!r}; {advice}")
    return problems


def _starting(path: Path, program: str) -> str:
    name = shlex.quote(program)
    return f"./{name}" if os.access(path, os.X_OK) else f"{INTERPRETERS.get(path.suffix, 'INTERPRETER')} {name}"


def last_lines(said: str, most: int) -> tuple[str, ...]:
    """At most so many of the last lines of standard error (2 or more), the one that says what went wrong last.

    Before it come lines that say where: of a traceback of Python those from the last file on, of a stack of Node,
    Java, Go or Rust its first lines. Control characters are shown as codes.
    """
    lines = [
        "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in line.expandtabs(4))
        for line in map(str.rstrip, said.splitlines())
        if line
    ]
    for number in range(len(lines) - 1, -1, -1):
        stack = lines[number + 1 : number + most]
        if stack and _SAYS.match(lines[number]):
            return (*stack, lines[number])
        if number and _PANICKED.match(lines[number - 1]):
            return (*stack, f"{lines[number - 1]} {lines[number].strip()}")
        if not _STACK.match(lines[number]):
            break
    places = [number for number, line in enumerate(lines) if line.startswith('  File "')]
    place, end = places[-1] if places else 0, len(lines) - most
    far = (lines[place],) if places and place < end else ()
    return (*far, *lines[max(place, end + len(far)) :])


def advice(said: str, command: BotCommand) -> str:
    """Return what to do after these last words of a program; empty if nothing is known."""
    if "main() missing 1 required positional argument: 'self'" in said:
        return "write `.main()` behind the bot, not behind its class: Mine().main()"
    if known := module_advice(said):
        return known
    for name in reversed(_REFUSED.findall(said)):
        if (command.directory / name).exists():
            return (
                f"{name} is there, but the sandbox shows a bot little beside its own folder: put the file there, "
                f'or give reads = ["{name}"] beside the command in a tournament file'
            )
    return ""
