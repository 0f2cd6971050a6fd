"""A file that grows is read line by line; one that was cut short or changed is read again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.pages import growing_file
from arena.pages.growing_file import GrowingFile
from tests.strange_files import KINDS, Strange, soon_over


def test_each_whole_line_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "record"
    file = GrowingFile(tmp_path, "record")
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
    file = GrowingFile(tmp_path, "record")
    found = []
    while not found or file.has_more:
        lines, again = file.read()
        assert not again
        found += lines
    assert found == [b"one", b"two", b"three"]


def test_a_file_that_was_changed_is_read_again(tmp_path: Path) -> None:
    """In place, and also if it has grown since."""
    path = tmp_path / "record"
    path.write_bytes(b"one\ntwo\n")
    file = GrowingFile(tmp_path, "record")
    file.read()
    path.write_bytes(b"ONE\ntwo\n")
    os.utime(path, ns=(1, 1))
    assert file.read() == ([b"ONE", b"two"], True)
    path.write_bytes(b"one\nsix\nthree\n")
    assert file.read() == ([b"one", b"six", b"three"], True)


def test_a_file_that_is_gone_has_no_lines(tmp_path: Path) -> None:
    path = tmp_path / "record"
    path.write_bytes(b"one\n")
    file = GrowingFile(tmp_path, "record")
    file.read()
    path.unlink()
    assert file.read() == ([], True)
    assert file.read() == ([], False)
    path.write_bytes(b"two\n")
    assert file.read() == ([b"two"], False)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_begun", [False, True])
def test_what_is_no_file_of_lines_is_told_and_not_read(
    tmp_path: Path, kind: str, is_begun: bool
) -> None:
    """Once for each change, since it is looked at often; it is read from the start when it is in order again."""
    strange = Strange(tmp_path)
    path = strange.run / "record"
    file = GrowingFile(strange.run, "record")
    if is_begun:
        path.write_bytes(b"one\n")
        assert file.read() == ([b"one"], False)
    strange.put(kind, "record")
    was_told = False
    with soon_over():
        while (found := file.read()) != ([], False) or file.has_more:
            was_told = was_told or found[1]
    assert file.trouble.startswith("record cannot be read: it ")
    told = file.trouble
    assert file.read() == ([], False)
    assert file.trouble == told
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink()
    path.write_bytes(b"two\nthree\n")
    lines, is_again = file.read()
    assert lines == [b"two", b"three"]
    assert is_again or was_told or not is_begun
    assert file.trouble == ""
    strange.assert_unharmed()
