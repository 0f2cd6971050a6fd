"""A file that grows is read line by line; one that was cut short or changed is read again."""

from __future__ import annotations

import os
from pathlib import Path

from arena.web import growing_file
from arena.web.growing_file import GrowingFile


def test_each_whole_line_is_read_once(tmp_path: Path) -> None:
    """And one that is not whole waits for its end."""
    path = tmp_path / "record"
    file = GrowingFile(path)
    assert file.read() == ([], False)
    path.write_bytes(b"one\ntw")
    assert file.read() == ([b"one"], False)
    assert file.read() == ([], False)
    with path.open("ab") as more:
        more.write(b"o\nthree\n")
    assert file.read() == ([b"two", b"three"], False)


def test_a_long_file_is_read_in_pieces(tmp_path: Path, monkeypatch) -> None:
    """So that it does not keep others waiting."""
    monkeypatch.setattr(growing_file, "MOST_BYTES", 6)
    path = tmp_path / "record"
    path.write_bytes(b"one\ntwo\nthree\n")
    file = GrowingFile(path)
    found = []
    while not found or file.has_more:
        lines, again = file.read()
        assert not again
        found += lines
    assert found == [b"one", b"two", b"three"]


def test_a_file_that_was_cut_short_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "record"
    path.write_bytes(b"one\ntwo\n")
    file = GrowingFile(path)
    file.read()
    path.write_bytes(b"one\n")
    assert file.read() == ([b"one"], True)


def test_a_file_that_was_changed_is_read_again(tmp_path: Path) -> None:
    """In place, and also if it has grown since."""
    path = tmp_path / "record"
    path.write_bytes(b"one\ntwo\n")
    file = GrowingFile(path)
    file.read()
    path.write_bytes(b"one\nTWO\n")
    os.utime(path, ns=(1, 1))
    assert file.read() == ([b"one", b"TWO"], True)
    path.write_bytes(b"one\nsix\nthree\n")
    assert file.read() == ([b"one", b"six", b"three"], True)


def test_a_file_that_is_gone_has_no_lines(tmp_path: Path) -> None:
    """And it is a new one when it comes back."""
    path = tmp_path / "record"
    path.write_bytes(b"one\n")
    file = GrowingFile(path)
    file.read()
    path.unlink()
    assert file.read() == ([], True)
    assert file.read() == ([], False)
    path.write_bytes(b"two\n")
    assert file.read() == ([b"two"], False)
