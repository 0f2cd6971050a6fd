"""Matches played elsewhere: files of other programs, read as the record of a match."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from arena.regular_files import read_regular
from arena.services.foreign.mat import MatError, parse_mat
from arena.services.foreign.record import ForeignRecord, record_of
from arena.words import Said, quoted

PROGRAMS: Final = (".xg", ".bgf")
"""Endings of the files that gvformat reads: those of eXtreme Gammon and BGBlitz."""
KINDS: Final = (".mat", ".txt", *PROGRAMS)
"""Endings of the names of files that are read, in lower case."""
MOST_BYTES: Final = 4 << 20
"""The largest file: a picture and all analyses of a match, or the text of 2,000 games."""
REASON_CHARS: Final = 200


def read_foreign(path: Path) -> ForeignRecord:
    """Read a file of another program as the record of a match. Raises `OSError` and `MatError`."""
    kind = path.suffix.lower()
    content = read_regular(path, MOST_BYTES)
    if kind in PROGRAMS:
        content = _as_mat(content, kind)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:  # older programs write names in that of Windows
        text = content.decode("cp1252", errors="replace")
    return record_of(parse_mat(text))


def _as_mat(content: bytes, kind: str) -> bytes:
    """Let a process of its own read a file, and return its match as MAT. Raises `MatError`."""
    if find_spec("gvformat") is None:
        raise MatError(Said("foreign.no_package", {"kind": kind, "python": sys.executable}))
    command = [sys.executable, "-X", "utf8", "-m", "arena.services.foreign.binary_files", kind]
    child = subprocess.run(  # noqa: S603 - a program of our own
        command,
        input=content,
        capture_output=True,
        check=False,
    )
    if child.returncode:
        # the last line has the error; without one it had its time
        reason = child.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        values = {"kind": kind, "reason": quoted(reason[:REASON_CHARS] or "out of time")}
        raise MatError(Said("foreign.other_kind", values))
    return child.stdout
