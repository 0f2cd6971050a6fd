"""Journals: lines in order, in batches, closed by their hash."""

import errno
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
import trio.testing

from arena.matches.facts import BotMissing
from arena.records.lines import encode_line, match_lines
from arena.server.io.journal import BackgroundSync, Journal
from arena.words import Said


def fact(number: int) -> BotMissing:
    return BotMissing(at_ms=number, seat=1, reason=Said("ö" * number))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.jsonl"


def test_what_is_written_is_on_the_disk_after_commit_and_not_before(path: Path) -> None:
    journal = Journal(path)
    for number in range(5):
        journal.write(fact(number))
    assert path.read_bytes() == b""
    journal.commit()
    lines = b"".join(encode_line(fact(number)) + b"\n" for number in range(5))
    assert path.read_bytes() == lines
    journal.commit()
    journal.close()
    assert path.read_bytes() == lines


def test_sealing_closes_the_whole_file_with_its_hash(path: Path) -> None:
    for number in range(2):
        journal = Journal(path)
        journal.write(fact(number))
        data = journal.seal()
        journal.close()
        assert path.read_bytes() == data
        assert len(list(match_lines.read("x", data))) == 2 * (number + 1)


def test_a_disk_that_takes_a_line_in_pieces_gets_all_of_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    whole = os.write
    monkeypatch.setattr("os.write", lambda file, data: whole(file, bytes(data)[:7]))
    journal = Journal(path)
    journal.write(fact(9))
    journal.seal()
    monkeypatch.undo()
    journal.close()
    assert len(list(match_lines.read("x", path.read_bytes()))) == 2


def test_after_a_write_that_was_cut_short_nothing_follows(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


real_time = pytest.mark.trio(run=trio.run)
"""For tests with threads, during which the mock clock would run away."""


class SlowDisk:
    """A disk that takes data only when told to."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        """How long the file was at the beginning of each sync."""
        self.files: list[int] = []
        """Which file it was."""
        self.at_work = 0
        self._asked = threading.Semaphore(0)
        self._may_go_on = threading.Event()

    def fsync(self, file: int) -> None:
        """In place of the system's."""
        self.at_work += 1
        self.sizes.append(os.fstat(file).st_size)
        self.files.append(file)
        self._asked.release()
        assert self._may_go_on.wait(20)
        self.at_work -= 1

    async def wait_asked(self) -> None:
        """Return when a sync has begun."""
        assert await trio.to_thread.run_sync(self._asked.acquire, True, 20)

    def go_on(self) -> None:
        """From now on it is quick."""
        self._may_go_on.set()


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowDisk]:
    slow = SlowDisk()
    monkeypatch.setattr(os, "fsync", slow.fsync)
    yield slow
    slow.go_on()


@real_time
async def test_all_who_wait_for_the_disk_at_one_time_are_served_by_one_sync(
    path: Path, disk: SlowDisk
) -> None:
    """The first has begun before the others wrote, so they need another, but not one each."""
    journal = Journal(path)
    journal.write(fact(1))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(journal.wait_synced)
        await disk.wait_asked()
        for number in range(2, 10):
            journal.write(fact(number))
            nursery.start_soon(journal.wait_synced)
        await trio.testing.wait_all_tasks_blocked()
        disk.go_on()
    assert disk.sizes == [len(encode_line(fact(1))) + 1, path.stat().st_size]
    await journal.wait_synced()
    assert len(disk.sizes) == 2, "what is on the disk is not put there again"
    journal.close()


@real_time
async def test_the_last_one_to_wait_may_close_the_file(path: Path, disk: SlowDisk) -> None:
    journal, syncing = Journal(path), BackgroundSync()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(syncing.run)
        journal.write(fact(1))
        syncing.add(journal)
        await disk.wait_asked()
        journal.seal()
        syncing.add(journal)
        syncing.leave(journal)
        nursery.start_soon(trio.to_thread.run_sync, disk.go_on)
        await journal.wait_synced()
        assert disk.at_work == 0
        journal.close()
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert disk.sizes[1:] == [path.stat().st_size]


@real_time
async def test_journals_are_synced_in_the_background_in_turn_and_each_once(
    tmp_path: Path, disk: SlowDisk
) -> None:
    syncing = BackgroundSync()
    journals = [Journal(tmp_path / f"{number}.jsonl") for number in range(4)]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(syncing.run)
        for journal in (journals[0], *journals, *journals):
            journal.write(fact(1))
            syncing.add(journal)
            if len(disk.files) == 0:
                await disk.wait_asked()
        syncing.leave(journals[2])
        disk.go_on()
        for _ in range(3):
            await disk.wait_asked()
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    numbers = [os.fstat(file).st_ino for file in disk.files]
    expected = [journals[number].path.stat().st_ino for number in (0, 0, 1, 3)]
    assert numbers == expected
    for journal in journals:
        journal.close()


@real_time
async def test_a_disk_that_fails_ends_the_background_sync(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing may go on as if it were on the disk."""

    def fails(_file: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", fails)
    journal, syncing = Journal(path), BackgroundSync()
    journal.write(fact(1))
    syncing.add(journal)
    with pytest.raises(OSError, match="Input/output error"):
        await syncing.run()
    journal.close()
