"""The disk of a venue: below a twentieth no match begins, and it goes on by itself."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio

from arena.server.series import pulse
from arena.server.series.pulse import PROBE, look_at_disk
from arena.server.venue.turns import SeatTurns
from tests.fixtures.disks import disk
from tests.fixtures.operator import Operator


class Watched:
    """A venue, of which only its log and its turns are there, and its disk, which the test sets."""

    def __init__(self, folder: Path, operator: Operator, log: Any) -> None:
        self.turns = SeatTurns()
        self.now = disk(free=500)
        self.operator = operator
        self.folder = folder
        self.venue = cast("Any", SimpleNamespace(turns=self.turns, log=log))

    def look(self, found: os.statvfs_result) -> bool:
        """Look at this disk; returns whether matches begin."""
        self.now = found
        self.disk = look_at_disk(self.venue, self.folder)
        return self.turns.why_paused is None


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    (tmp_path / "log").mkdir()
    operator = Operator(tmp_path / "log")
    with operator.log() as log:
        watched = Watched(tmp_path, operator, log)
        monkeypatch.setattr(pulse.os, "statvfs", lambda _: watched.now)
        yield watched


def test_no_match_begins_below_a_twentieth_and_it_goes_on_by_itself(watched: Watched) -> None:
    assert [watched.look(disk(free=free)) for free in (500, 50, 49, 0, 49, 50)] == [
        True,
        True,
        False,
        False,
        False,
        True,
    ]
    why = "4.9 % of the disk is free, and 5 % must stay free; make room, and matches begin again"
    assert watched.operator.heard == [f"no match begins: {why}", "matches begin again"]
    assert watched.disk == (0.05, 50 * 4096)


def test_a_disk_can_run_out_of_files_as_well(watched: Watched) -> None:
    assert not watched.look(disk(free=500, free_files=49))
    assert watched.look(disk(free=500, files=0, free_files=0))  # it does not count them


def test_no_match_begins_while_the_folder_cannot_be_written(
    watched: Watched, tmp_path: Path
) -> None:
    (tmp_path / PROBE).mkdir()
    assert not watched.look(disk(free=500))
    (tmp_path / PROBE).rmdir()
    assert watched.look(disk(free=500))
    assert not (tmp_path / PROBE).exists()


async def test_a_run_waits_for_its_seat_until_the_disk_is_free(watched: Watched) -> None:
    watched.look(disk(free=0))
    seated = trio.Event()

    async def sit_down() -> None:
        await watched.turns.wait("run")
        seated.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(sit_down)
        await trio.testing.wait_all_tasks_blocked()
        assert not seated.is_set()
        watched.look(disk(free=500))
        await seated.wait()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one MiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("only root may mount a small file system")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_stops_pairing_though_its_log_cannot_be_written(small_disk: Path) -> None:
    operator = Operator(small_disk)
    turns = SeatTurns()
    with operator.log(may_lose=True) as log:
        venue = cast("Any", SimpleNamespace(turns=turns, log=log))
        look_at_disk(venue, small_disk)
        assert operator.names == []
        with pytest.raises(OSError):
            (small_disk / "filling").write_bytes(bytes(2 << 20))
        look_at_disk(venue, small_disk)
        assert operator.names == ["pairing_stopped"]
        assert turns.why_paused is not None
        assert turns.why_paused.code == "pairing.not_writable"
        (small_disk / "filling").unlink()
        look_at_disk(venue, small_disk)
    assert operator.names == ["pairing_stopped", "pairing_goes_on"]
    assert [line["event"] for line in operator.written()] == ["pairing_goes_on"]
