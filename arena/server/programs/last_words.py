"""What a program that failed wrote to standard error: the lines that say why it ended, and what to do about it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from arena.own_programs import module_advice

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


def _printable(line: str) -> str:
    """Return a line without tabs, in which other control characters are codes."""
    line = line.expandtabs(4)
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in line)


def last_lines(said: str, most: int) -> tuple[str, ...]:
    """At most so many of the last lines of standard error (2 or more), the one that says what went wrong last.

    Before it come lines that say where: of a traceback of Python those from the last file on, of a stack of Node,
    Java, Go or Rust its first lines. Control characters are shown as codes.
    """
    lines = [_printable(line.rstrip()) for line in said.splitlines() if line.strip()]
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


def advice(said: str, directory: Path) -> str:
    """Return what to do after these last words of a program that ran in `directory`; empty if nothing is known."""
    if "main() missing 1 required positional argument: 'self'" in said:
        return "write `.main()` behind the bot, not behind its class: Mine().main()"
    return module_advice(said) or _sandbox_advice(said, directory)


def _sandbox_advice(said: str, directory: Path) -> str:
    """Return what to do about a file that is there, and that the program was not shown."""
    for name in reversed(_REFUSED.findall(said)):
        if (directory / name).exists():
            return (
                f"{name} is there, but the sandbox shows a bot little beside its own folder: put the file there, "
                f'or give reads = ["{name}"] beside the command in a tournament file'
            )
    return ""
