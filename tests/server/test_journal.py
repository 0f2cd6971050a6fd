"""Journals: lines in order, in batches, closed by their hash."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from arena.matches.facts import BotMissing
from arena.records.lines import encode_line, match_lines
from arena.server.journal import Journal


def fact(number: int) -> BotMissing:
    return BotMissing(at_ms=number, seat=1, reason="ö" * number)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.jsonl"


def test_what_is_written_is_on_the_disk_after_commit_and_not_before(path: Path) -> None:
    """A batch goes out as a whole, in the order written."""
    journal = Journal(path)
    for number in range(5):
        journal.write(fact(number))
    assert (journal.is_dirty, path.read_bytes()) == (True, b"")
    journal.commit()
    lines = b"".join(encode_line(fact(number)) + b"\n" for number in range(5))
    assert (journal.is_dirty, path.read_bytes()) == (False, lines)
    journal.commit()
    journal.close()


def test_a_journal_goes_on_where_its_file_ends(path: Path) -> None:
    """Opened again it appends, and closing commits what is left."""
    for number in range(3):
        journal = Journal(path)
        journal.write(fact(number))
        journal.close()
    assert [found.at_ms for _, found in match_lines.read("x", path.read_bytes())] == [0, 1, 2]


def test_sealing_closes_the_whole_file_with_its_hash(path: Path) -> None:
    """What is given back is the file, which reads well to the last line; a second attempt is sealed after the first."""
    for number in range(2):
        journal = Journal(path)
        journal.write(fact(number))
        data = journal.seal()
        journal.close()
        assert path.read_bytes() == data
        assert len(list(match_lines.read("x", data))) == 2 * (number + 1)


def test_a_disk_that_does_not_take_a_line_is_an_error(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may go on as if it had been written."""
    journal = Journal(path)
    journal.write(fact(1))

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.write", full)
    with pytest.raises(OSError, match="No space left"):
        journal.commit()
    monkeypatch.undo()
    journal.close()


def test_a_disk_that_takes_a_line_in_pieces_gets_all_of_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A short write is gone on with."""
    import os

    whole = os.write
    monkeypatch.setattr("os.write", lambda file, data: whole(file, bytes(data)[:7]))
    journal = Journal(path)
    journal.write(fact(9))
    journal.seal()
    monkeypatch.undo()
    journal.close()
    assert len(list(match_lines.read("x", path.read_bytes()))) == 2


def test_after_a_write_that_was_cut_short_nothing_follows(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There may be room again a moment later; a line after half a line would spoil the record for good."""
    journal = Journal(path)
    whole_write = os.write

    def write(file: int, data: bytes) -> int:
        if len(data) < 10:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return whole_write(file, data[:-9])

    journal.write(fact(1))
    monkeypatch.setattr(os, "write", write)
    with pytest.raises(OSError, match="No space left"):
        journal.commit()
    monkeypatch.setattr(os, "write", whole_write)
    torn = path.read_bytes()
    journal.write(fact(2))
    with pytest.raises(OSError, match="cut short"):
        journal.commit()
    with pytest.raises(OSError, match="cut short"):
        journal.seal()
    journal.close()
    assert path.read_bytes() == torn == (encode_line(fact(1)) + b"\n")[:-9]
