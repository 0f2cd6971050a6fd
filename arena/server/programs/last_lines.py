"""The last lines of a program that failed: those that say what went wrong, whatever language it is written in."""

import re
from typing import Final

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


def last_lines(said: str, most: int) -> tuple[str, ...]:
    """At most so many of the last lines of standard error (2 or more), the one that says what went wrong last.

    Before it come lines that say where: of a traceback of Python those from the last file on, of a
    stack of Node, Java, Go or Rust its first lines. Control characters are shown as codes.
    """
    lines = [
        "".join(
            one if one.isprintable() else one.encode("unicode_escape").decode()
            for one in line.expandtabs(4)
        )
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
