"""The last lines of a program that failed: those that give the reason, in any language."""

import re
from typing import Final

_SAYS: Final = re.compile(
    r"""(?:Uncaught\ )?[\w.$]*(?:Error|Exception)(?:\ \[\w+\])?:\   # Node: above the stack
      | (?:Exception\ in\ thread|Caused\ by:)\                      # Java
      | (?:panic|fatal\ error):\                                    # Go
    """,
    re.VERBOSE,
)
"""The beginning of a line that gives the reason."""
_PANICKED: Final = re.compile(r"thread '.*' .*panicked at ")
"""The first line of Rust; the reason is in the next line."""
_STACK: Final = re.compile(
    r"""\s|[{}\[\]]|\.\.\.\ \d+\ more                               # deeper lines, errors of Node
      | Node\.js\ v                                                 # Node
      | goroutine\ |created\ by\ |exit\ status\ |[\w./*()]+\(.*\)$  # Go
      | stack\ backtrace:|note:\                                    # Rust
    """,
    re.VERBOSE,
)
"""The beginning of a line that only gives a place."""


def last_lines(stderr: str, most: int) -> tuple[str, ...]:
    """Return up to `most` of the last lines of standard error, the line with the reason last.

    `most` is 2 or more. Before the reason come lines that give the place: of a traceback of Python
    those from the last file on, of a stack of Node, Java, Go or Rust its first lines. Control
    characters are shown as codes.
    """
    lines = []
    for line in stderr.splitlines():
        text = line.rstrip()
        if text:
            lines.append("".join(map(_visible, text.expandtabs(4))))
    return _stack_and_reason(lines, most) or _traceback(lines, most)


def _visible(character: str) -> str:
    if character.isprintable():
        return character
    return character.encode("unicode_escape").decode()


def _stack_and_reason(lines: list[str], most: int) -> tuple[str, ...]:
    """Return the first lines of a stack, then the reason above it; empty if there is no stack."""
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number]
        stack = lines[number + 1 : number + most]
        if stack and _SAYS.match(line):
            return (*stack, line)
        if number and _PANICKED.match(lines[number - 1]):
            return (*stack, f"{lines[number - 1]} {line.strip()}")
        if not _STACK.match(line):
            break
    return ()


def _traceback(lines: list[str], most: int) -> tuple[str, ...]:
    """Return the last lines, with the last file of a traceback of Python first."""
    start = max(0, len(lines) - most)
    of_files = [number for number, line in enumerate(lines) if line.startswith('  File "')]
    if not of_files:
        return tuple(lines[start:])
    last = of_files[-1]
    if last < start:
        return (lines[last], *lines[start + 1 :])
    return tuple(lines[last:])
