"""Looking through the folder of a bot: runs and credentials are found, and a second look is cheap."""

from pathlib import Path

import pytest

from arena.server.programs import folder_walk
from arena.server.programs.folder_walk import FolderWalk


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot with a token, a run below, and folders in which nothing is hidden."""
    for name in (
        "bot.py",
        "eva.token",
        "deep/a.key",
        "deep/old/tournament.jsonl",
        "deep/old/a.token",
        "lib/x.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folders that were read."""
    read: list[str] = []
    read_folder = folder_walk._read

    def noted(place: str, *arguments: object, **named: object) -> object:
        read.append(place)
        return read_folder(place, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(folder_walk, "_read", noted)
    monkeypatch.setattr(
        folder_walk, "TICK_NS", 0
    )  # the tests see to it that changes can be told apart
    monkeypatch.setattr(folder_walk, "COARSE_TICK_NS", 0)
    return read


def next_tick(folder: Path) -> None:
    """Wait until the file system would tell a change from all those before."""
    probe = folder.with_name("probe")
    probe.touch()
    before_ns = probe.stat().st_ctime_ns
    while probe.stat().st_ctime_ns == before_ns:
        probe.touch()


def test_runs_and_credentials_are_found_and_nothing_in_a_run_is_told_apart(folder: Path) -> None:
    assert FolderWalk(folder).look() == {
        folder / "eva.token",
        folder / "deep/a.key",
        folder / "deep/old",
    }
    assert FolderWalk(folder, passed_over=[folder / "deep"]).look() == {folder / "eva.token"}


def test_a_second_look_reads_only_what_has_changed(folder: Path, read: list[str]) -> None:
    walk = FolderWalk(folder)
    walk.look()
    assert sorted(read) == [str(folder / name) for name in ("", "deep", "deep/old", "lib")]
    read.clear()
    assert walk.look() == walk.look()
    assert read == []
    next_tick(folder)
    (folder / "deep/new.token").touch()
    (folder / "deep/a.key").rename(folder / "lib/a.key")
    assert walk.look() == {
        folder / name for name in ("eva.token", "deep/new.token", "lib/a.key", "deep/old")
    }
    assert sorted(read) == [str(folder / name) for name in ("deep", "lib")]


def test_a_run_that_begins_and_folders_that_come_and_go_are_noticed(
    folder: Path, read: list[str]
) -> None:
    walk = FolderWalk(folder)
    walk.look()
    next_tick(folder)
    (folder / "lib/run/matches").mkdir(parents=True)
    (folder / "lib/run/lock").touch()
    (folder / "deep/old/tournament.jsonl").unlink()
    assert walk.look() == {
        folder / "lib/run",
        folder / "eva.token",
        folder / "deep/a.key",
        folder / "deep/old/a.token",
    }
    next_tick(folder)
    (folder / "lib/run/lock").unlink()
    (folder / "deep").rename(folder / "lib/deep")
    assert walk.look() == {
        folder / "eva.token",
        folder / "lib/deep/a.key",
        folder / "lib/deep/old/a.token",
    }


def test_a_folder_that_was_changed_just_now_is_read_again(
    folder: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within one tick of its file system two changes look like one."""
    monkeypatch.setattr(folder_walk, "TICK_NS", 3600 * folder_walk.SECOND_NS)
    monkeypatch.setattr(folder_walk, "COARSE_TICK_NS", 3600 * folder_walk.SECOND_NS)
    walk = FolderWalk(folder)
    walk.look()
    read.clear()
    walk.look()
    assert sorted(read) == [str(folder / name) for name in ("", "deep", "deep/old", "lib")]


@pytest.mark.parametrize("limit", ["MOST_ENTRIES", "MOST_FOLDERS", "MOST_HIDDEN"])
def test_a_folder_that_is_too_large_is_not_looked_at_again(
    folder: Path, read: list[str], limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_walk, limit, 2)
    walk = FolderWalk(folder)
    assert walk.look() is None
    read.clear()
    assert walk.look() is None
    assert read == []


def test_links_are_not_followed_and_what_cannot_be_looked_into_is_passed_over(folder: Path) -> None:
    (folder / "lib/up").symlink_to(folder)
    assert len(FolderWalk(folder).look() or ()) == 3
    assert FolderWalk(folder / "nothing").look() == frozenset()
