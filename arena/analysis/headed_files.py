"""Files of numbers below a line of JSON that says what they are; those that ship are pinned by their hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from arena.analysis.errors import EvaluatorError

SHIPPED: Final = Path(__file__).parent / "weights"
"""The folder of those that ship with the package."""


class HeadedFile(NamedTuple):
    """A file as it was read."""

    line: bytes
    """The JSON, not yet looked at."""
    numbers: bytes
    sha256: str
    """Of the whole file, in hexadecimal."""


def write_headed(head: Mapping[str, Any], numbers: bytes, path: Path) -> str:
    """Write a file; gives its SHA-256 in hexadecimal."""
    content = json.dumps(head, separators=(",", ":")).encode() + b"\n" + numbers
    path.write_bytes(content)
    return hashlib.sha256(content).hexdigest()


def read_headed(path: Path, expected: str) -> HeadedFile:
    """Read a file; raises `EvaluatorError`, which says what was expected, if it cannot be read."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise EvaluatorError(f"{path}: {error.strerror}; expected {expected}") from None
    line, _, numbers = content.partition(b"\n")
    return HeadedFile(line, numbers, hashlib.sha256(content).hexdigest())


def check_format(path: Path, found: int, known: int, advice: str) -> None:
    """Raise `EvaluatorError` for the format of another version."""
    if found != known:
        raise EvaluatorError(f"{path} has format {found}; this version reads format {known}: {advice}")


def check_pin(path: Path, name: str, sha256: str, pinned: Mapping[str, str], advice: str) -> None:
    """Raise `EvaluatorError` if a file has the name of a shipped one and is another."""
    if pinned.get(name, sha256) != sha256:
        raise EvaluatorError(
            f"{path} is not {name}: its SHA-256 is {sha256}, that of {name} is {pinned[name]}; {advice}"
        )
