"""The private folder of a running arena, and the folders left by killed arenas."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from arena.server.io.private_folder import LOCK, SOCKET, private_folder

HOLD_ONE = """
import sys
from arena.server.io.private_folder import SOCKET, private_folder
with private_folder() as folder:
    (folder / SOCKET).touch()
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files lie in these tests, for new processes as well."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def left_behind(place: Path, name: str = "arena-left") -> Path:
    """A folder as a killed arena leaves it."""
    folder = place / name
    folder.mkdir(mode=0o700)
    for file in (LOCK, SOCKET, "output.stderr"):
        (folder / file).touch()
    return folder


def use_one() -> None:
    """As an arena does that begins and ends."""
    with private_folder() as folder:
        assert folder.is_dir()
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not folder.exists()


def test_the_next_arena_removes_what_a_killed_one_has_left_but_not_what_is_in_use() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD_ONE], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with process:
        try:
            assert process.stdout is not None
            folder = Path(os.fsdecode(process.stdout.readline()).strip())
            use_one()
            assert (folder / SOCKET).exists()
        finally:
            process.kill()
    use_one()
    assert not folder.exists()


def test_nothing_is_removed_through_a_link(place: Path) -> None:
    elsewhere = left_behind(place, "elsewhere")
    (place / "arena-link").symlink_to(elsewhere)
    no_lock = place / "arena-lock"
    no_lock.mkdir(mode=0o700)
    (no_lock / LOCK).symlink_to(elsewhere / LOCK)
    (left_behind(place) / "more").symlink_to(elsewhere)
    use_one()
    assert sorted(path.name for path in place.iterdir()) == [
        "arena-link",
        "arena-lock",
        "elsewhere",
    ]
    assert len(list(elsewhere.iterdir())) == 3


def test_doubtful_folders_stay(place: Path) -> None:
    (place / "arena-other-x").mkdir(mode=0o700)
    open_to_all = left_behind(place, "arena-open")
    open_to_all.chmod(0o755)
    begun(place, "arena-begun")
    use_one()
    assert sorted(path.name for path in place.iterdir()) == [
        "arena-begun",
        "arena-open",
        "arena-other-x",
    ]


def begun(place: Path, name: str) -> Path:
    """A folder as an arena leaves it that is killed while it makes it."""
    folder = place / name
    folder.mkdir(mode=0o700)
    (folder / f"{LOCK}.new").touch()
    return folder


def test_what_a_killed_worker_has_left_is_removed_and_what_was_never_made_in_full(
    place: Path,
) -> None:
    batch = left_behind(place, "arena-chunk-x")
    (batch / "matches").mkdir()
    (batch / "matches" / "r1-anna-v-bo.jsonl").touch()
    os.utime(begun(place, "arena-begun"), (0, 0))
    use_one()
    assert list(place.iterdir()) == []


def test_a_folder_of_somebody_else_stays(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = left_behind(place)
    me = os.getuid()
    monkeypatch.setattr("arena.server.io.private_folder.os.getuid", lambda: me + 1)
    use_one()
    assert folder.exists()
