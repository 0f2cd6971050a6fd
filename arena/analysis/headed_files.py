"""Files of numbers below a line of JSON that describes them; shipped files are pinned by hash.

A file may come from anywhere. The length and the form of its line are limited, and the content of
the line is checked before the numbers are read. So reading never takes more memory than expected.
"""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final, Generic, TypeVar

import msgspec
from msgspec import Meta

from arena.regular_files import NotRegularError, open_regular
from arena.words import Said, SaidError, quoted

SHIPPED: Final = Path(__file__).parent / "weights"
LINE_BYTES: Final = 2**20
"""The longest line of JSON; those that ship have less than 5 KB."""
QUOTED: Final = 300
"""Characters of a reason; it may quote the file."""
NAME_CHARS: Final = 80
"""The longest name in one of these files."""

Name = Annotated[
    str, Meta(min_length=1, max_length=NAME_CHARS, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")
]
"""The name of an evaluator, a bot or a version; it is printed, so it has no control characters."""
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
"""A hash in hexadecimal."""

Head = TypeVar("Head", bound=msgspec.Struct)


def is_name(text: str) -> bool:
    """Return whether this text is allowed as a name in such a file."""
    try:
        msgspec.convert(text, Name)
    except msgspec.ValidationError:
        return False
    return True


class EvaluatorError(SaidError):
    """A file of weights that cannot be used, or no evaluator for a ruleset; says what to do."""

    def __init__(self, problem: Said | str) -> None:
        """Set the problem; text is English in every language, as it is for authors of files."""
        super().__init__(quoted(problem))


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[Head]):
    """One kind of these files."""

    what: str
    """Such as "table of races"."""
    format: int
    """The number under `format` in its line."""
    head: type[Head]
    advice: str


class _Format(msgspec.Struct, frozen=True):
    """Fields that every version has in its line."""

    format: int


def write_headed(head: msgspec.Struct, numbers: bytes, path: Path) -> str:
    """Write a file that is whole at every moment; return its SHA-256 in hexadecimal."""
    content = msgspec.json.encode(head) + b"\n" + numbers
    assert len(content) - len(numbers) <= LINE_BYTES, "it could not be read"
    scratch = path.with_name(path.name + ".new")
    with scratch.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    scratch.replace(path)
    return hashlib.sha256(content).hexdigest()


def read_head(path: Path, kind: Kind[Head]) -> Head:
    """Read the line of a file; raises `EvaluatorError` if it is not of this kind."""
    with _open(path, kind) as file:
        return _head(file.readline(LINE_BYTES + 1), path, kind)


def read_headed(
    path: Path,
    kind: Kind[Head],
    size_of: Callable[[Head], int],
) -> tuple[Head, bytes, str]:
    """Read the line, the numbers and the SHA-256 of a file.

    Raises `EvaluatorError` if it is not of this kind. `size_of` returns the expected size of the
    numbers in bytes, and raises `ValueError` for a line that cannot be true.
    """
    with _open(path, kind) as file:
        line = file.readline(LINE_BYTES + 1)
        head = _head(line, path, kind)
        try:
            expected = size_of(head)
        except ValueError as error:
            raise EvaluatorError(
                f"{path} cannot be used: {_shorten(error)}; {kind.advice}"
            ) from None
        size = os.fstat(file.fileno()).st_size - len(line)
        numbers = b""
        if size == expected:
            numbers = file.read(expected)
    if len(numbers) != expected:
        raise damage_error(path, kind, f"{size:,} bytes of numbers, expected {expected:,}")
    return head, numbers, hashlib.sha256(line + numbers).hexdigest()


def damage_error(path: Path, kind: Kind[Any], reason: str) -> EvaluatorError:
    """Return the error for numbers that are not as expected."""
    return EvaluatorError(f"{path} is damaged: {reason}; {kind.advice}")


def check_pin(path: Path, name: str, sha256: str, pinned: Mapping[str, str], advice: str) -> None:
    """Raise `EvaluatorError` if a file has the name of a shipped one and is another."""
    if pinned.get(name, sha256) != sha256:
        raise EvaluatorError(
            f"{path} is not {name}: its SHA-256 is {sha256}, "
            f"that of {name} is {pinned[name]}; {advice}"
        )


@contextmanager
def _open(path: Path, kind: Kind[Any]) -> Iterator[BinaryIO]:
    """Open a regular file. Raises `EvaluatorError`."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            yield file
    except NotRegularError:
        raise EvaluatorError(
            f"{path} is no regular file; expected a {kind.what}; {kind.advice}"
        ) from None
    except OSError as error:
        raise EvaluatorError(
            f"{path}: {error.strerror}; expected a {kind.what}; {kind.advice}"
        ) from None


def _head(line: bytes, path: Path, kind: Kind[Head]) -> Head:
    def unreadable(reason: object) -> EvaluatorError:
        return EvaluatorError(
            f"{path} is no {kind.what}: its first line cannot be read ({_shorten(reason)}); "
            f"{kind.advice}"
        )

    if not line.endswith(b"\n"):
        raise unreadable(f"there is no line feed in its first {len(line):,} bytes")
    try:
        number = msgspec.json.decode(line, type=_Format).format
        if number == kind.format:
            return msgspec.json.decode(line, type=kind.head)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise unreadable(error) from None
    raise EvaluatorError(
        f"{path} has format {number}; this version reads format {kind.format}: {kind.advice}"
    )


def _shorten(reason: object) -> str:
    text = str(reason)
    return text if len(text) <= QUOTED else text[:QUOTED] + " ..."
