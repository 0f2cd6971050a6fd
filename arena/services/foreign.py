"""Matches played elsewhere: files of other programs, read as the record of a match."""

import subprocess
import sys
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import msgspec

from arena.records.foreign import ForeignMatch, ForeignRecord, record_of
from arena.records.mat_reading import MOST_TURNS, MatError, parse_mat
from arena.regular_files import read_regular
from arena.services.errors import RefusedError
from arena.words import Said, quoted
from arena.words.system_errors import system_reason

TEXTS: Final = frozenset({".mat", ".txt"})
PROGRAMS: Final = {".xg": "eXtreme Gammon", ".bgf": "BGBlitz"}
KINDS: Final = TEXTS | PROGRAMS.keys()
"""Endings of the names of files that are read, in lower case."""
TEXT_BYTES: Final = 2 << 20
"""The largest file in MAT: some 1,000 games."""
FILE_BYTES: Final = 16 << 20
"""The largest file with analyses and a picture."""
MOST_SECONDS: Final = 10
REASON_CHARS: Final = 200


class ForeignError(RefusedError):
    """A file of another program cannot be read."""


def read_foreign(path: Path) -> ForeignRecord:
    """Read a file of another program as the record of a match. Raises `ForeignError`."""
    kind = path.suffix.lower()
    most_bytes = TEXT_BYTES if kind in TEXTS else FILE_BYTES
    try:
        content = read_regular(path, most_bytes)
        if kind in TEXTS:
            match = parse_mat(content.decode("utf-8-sig", errors="replace"))
        else:
            match = _converted(content, kind)
    except OSError as error:
        values = {"path": str(path), "reason": system_reason(error)}
        raise ForeignError(Said("unreadable.file", values)) from error
    except MatError as error:
        values = {"path": str(path), "problem": error.said}
        raise ForeignError(Said("foreign.unreadable", values)) from error
    return record_of(match, _at_ms(match.date))


def _converted(content: bytes, kind: str) -> ForeignMatch:
    """Let a process of its own read a file. Raises `ForeignError` and `MatError`."""
    if find_spec("gvformat") is None:
        values = {"kind": kind, "python": sys.executable}
        raise ForeignError(Said("foreign.no_package", values))
    command = [sys.executable, "-m", "arena.services.foreign_child", kind]
    try:
        child = subprocess.run(  # noqa: S603 - a program of our own
            command, input=content, capture_output=True, timeout=MOST_SECONDS, check=True
        )
        match = msgspec.json.decode(child.stdout, type=ForeignMatch)
    except subprocess.TimeoutExpired as error:
        raise MatError(Said("foreign.slow", {"most": MOST_SECONDS})) from error
    except subprocess.CalledProcessError as error:
        raise MatError(_why(error.stderr, kind)) from error
    except msgspec.DecodeError as error:
        raise MatError(_why(str(error).encode(), kind)) from error
    if not match.games:
        raise MatError(Said("foreign.no_game"))
    if sum(len(game.turns) for game in match.games) > MOST_TURNS:
        raise MatError(Said("foreign.many_turns", {"most": MOST_TURNS}))
    return match


def _why(output: bytes, kind: str) -> Said:
    """Return why the process has failed: the last line of its output has the error."""
    last_line = output.decode(errors="replace").strip().rpartition("\n")[2]
    if last_line.startswith("MemoryError"):
        return Said("foreign.memory")
    values = {"program": PROGRAMS[kind], "reason": quoted(last_line[:REASON_CHARS])}
    return Said("foreign.other_kind", values)


def _at_ms(date: str) -> int:
    """Return the beginning of a day in milliseconds since 1970; 0 for no date."""
    try:
        day = datetime.strptime(date, "%Y.%m.%d").replace(tzinfo=UTC)
    except ValueError:
        return 0
    return max(0, int(day.timestamp()) * 1000)
