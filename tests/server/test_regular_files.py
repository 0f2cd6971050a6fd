"""Files that somebody else may have made: nothing waits for one, and none fills the memory."""

import os
import socket
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import pytest

from arena.regular_files import open_regular, read_regular, why_missing
from arena.words import say
from tests.strange_files import soon_over


def _socket(place: Path) -> None:
    with chdir(place.parent), socket.socket(socket.AF_UNIX) as found:
        found.bind(place.name)


def _zeros(place: Path) -> None:
    place.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, _socket, _zeros])
def test_only_a_regular_file_is_opened(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / "x")
    with soon_over(), pytest.raises(OSError, match="it is not a regular file"):
        read_regular(tmp_path / "x")
    with soon_over(), pytest.raises(OSError, match=r"not a regular file|Is a directory"):
        open_regular(tmp_path / "x", os.O_WRONLY)


def test_a_file_is_read_up_to_its_largest_size_and_through_links(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("file")
    assert read_regular(tmp_path / "link", 5) == b"12345"
    with pytest.raises(OSError, match="it has more than 4 bytes"):
        read_regular(tmp_path / "file", 4)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("none", "No such file or directory"),
        ("circle", "Too many levels of symbolic links"),
        ("x" * 5000, "File name too long"),
        ("a\0b", "no file can have this name"),
    ],
    ids=["none", "circle", "long", "nul"],
)
def test_a_path_that_leads_nowhere_says_why(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(OSError, match=reason):
        read_regular(tmp_path / name)
    expected = "there is no such file or folder" if name == "none" else reason
    assert say(why_missing(tmp_path / name)) == expected
    assert why_missing(tmp_path) is None
