"""The index of a folder of runs is never the truth: it is made again from the records at will."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from arena.pages.live import index_file
from arena.pages.live.index_file import NAME, opened_index
from arena.pages.live.runs import Runs
from tests.fixtures.asked_pages import ask
from tests.fixtures.small_run import small_run, unfinished_run
from tests.pages.live.clubs import Club, watched

pytestmark = pytest.mark.usefixtures("cache", "at_once")
LOG = "tournament.jsonl"


def unread(site: Club, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the runs that are read from now on."""
    read: list[str] = []
    before = site.runs._read
    monkeypatch.setattr(site.runs, "_read", lambda run: (read.append(run.folder), before(run)))
    return read


async def test_runs_that_the_index_has_are_not_read_again(
    club: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with watched(club):
        pass
    with closing(Runs(club)) as again:
        read: list[str] = []
        monkeypatch.setattr(again, "_read", lambda run: read.append(run.folder))
        assert len(again.index.listed("", 0, 10)[0]) == 3, "the list is there at once"
        await again.look()
        assert read == []
        (club / "friday" / LOG).write_bytes(unfinished_run()[LOG])
        await again.look()
        assert read == ["friday"]


def removed(path: Path) -> None:
    path.unlink()


def nonsense(path: Path) -> None:
    path.write_bytes(b"nonsense" * 5000)


def of_another_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 7")


def with_a_trigger(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END")


def of_something_else(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE accounts (name TEXT)")


def torn(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))


def a_link(path: Path) -> None:
    elsewhere = path.parent.parent / "precious"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


DAMAGES = [
    removed,
    nonsense,
    of_another_version,
    with_a_trigger,
    of_something_else,
    torn,
]


@pytest.mark.parametrize("damage", [*DAMAGES, a_link])
async def test_an_index_that_is_not_ours_is_made_again(
    club: Path, damage: Callable[[Path], None]
) -> None:
    async with watched(club) as site:
        before = await site.listed()
    damage(club / NAME)
    async with watched(club) as site:
        assert by_folder(await site.listed()) == by_folder(before)
        assert site.runs.index.file.path == club / NAME
    assert not (club / NAME).is_symlink()


def by_folder(page: Any) -> list[Any]:
    return sorted(page["rows"], key=lambda row: row["folder"])


async def test_an_index_that_is_damaged_while_it_is_read_is_made_again(club: Path) -> None:
    async with watched(club) as site:
        before = await site.listed()
        (club / f"{NAME}-wal").write_bytes(b"")
        torn(club / NAME)
        for connection in site.runs.index.file._connections:
            connection.execute("PRAGMA cache_size = 0")
            connection.execute("PRAGMA shrink_memory")
        for _ in range(2):
            page = await site.listed()
        assert by_folder(page) == by_folder(before)


async def test_a_folder_that_cannot_be_written_has_its_index_in_the_cache(
    club: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse = {club}
    locked = index_file._locked

    def lock(path: Path) -> int:
        if path.parent in refuse:
            raise PermissionError(13, "Permission denied")
        return locked(path)

    monkeypatch.setattr(index_file, "_locked", lock)
    async with watched(club) as site:
        assert (await site.listed())["found"] == 3
        assert site.runs.index.file.path is not None
        assert site.runs.index.file.path.parent == cache
        assert not (club / NAME).exists()
    refuse.add(cache)
    async with watched(club) as site:
        assert site.runs.index.file.path is None
        assert (await site.listed())["found"] == 3
        assert (await ask(site.app, "/runs/friday/api/run")).status == 200


async def test_a_second_process_leaves_the_index_alone(club: Path, cache: Path) -> None:
    with closing(opened_index(club)) as first, closing(opened_index(club)) as second:
        assert first.path == club / NAME
        assert second.path is not None
        assert second.path.parent == cache
        with closing(opened_index(club)) as third:
            assert third.path is None


async def test_nothing_is_left_of_a_run_that_was_read_again(club: Path) -> None:
    async with watched(club) as site:
        for _ in range(3):
            (club / "friday" / LOG).write_bytes(unfinished_run()[LOG])
            await site.runs.look()
            (club / "friday" / LOG).write_bytes(small_run()[LOG])
            await site.runs.look()
        counts = site.runs.index.file.read(
            lambda database: [
                database.execute(f"SELECT count(DISTINCT run) FROM {table}").fetchone()[0]
                for table in ("runs", "matches", "games")
            ]
        )
        assert counts == [3, 2, 2]


async def test_what_an_arena_that_was_killed_has_left_is_dropped(club: Path) -> None:
    async with watched(club) as site:
        site.runs.index.file.write(
            lambda database: database.execute("DELETE FROM runs WHERE folder = 'friday'")
        )
    async with watched(club) as site:
        [[matches]] = site.runs.index.file.read(
            lambda database: database.execute("SELECT count(*) FROM matches").fetchall()
        )
        assert matches == 2


async def test_the_log_of_the_index_stays_small(club: Path) -> None:
    async with watched(club):
        assert (club / f"{NAME}-wal").stat().st_size == 0
    assert sorted(path.name for path in club.glob(".*")) == [NAME, f"{NAME}-lock"]
