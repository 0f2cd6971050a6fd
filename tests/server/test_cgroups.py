"""Control groups: where they can be made, and what they see that nobody else does."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from arena.server.programs import cgroups
from arena.server.programs.cgroups import Group, find_base
from arena.server.programs.containment import SUPERVISOR
from tests.server.supervised import children_of, supervised

SHORT_LIVES = (
    f'exec {sys.executable} -c "import os, signal, time\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\nwhile True:\n'
    "    if not os.fork():\n        end = time.process_time() + 0.008\n        while time.process_time() < end: pass\n"
    '        os._exit(0)\n    time.sleep(0.01)"'
)


def real_base() -> str:
    """A folder of this machine in which groups can be made, with or without limits; empty if there is none."""
    base = cgroups._own_folder()
    try:
        probe = Path(base, f"probe-{os.getpid()}")
        probe.mkdir()
        probe.rmdir()
    except OSError:
        return ""
    return base if Path(base, "cgroup.procs").exists() else ""


def tree(folder: Path, controllers: str, enabled: str = "") -> Path:
    """What looks like a group."""
    folder.mkdir()
    (folder / "cgroup.controllers").write_text(controllers)
    (folder / "cgroup.subtree_control").write_text(enabled)
    (folder / "cgroup.procs").write_text("")
    return folder


def test_a_delegated_group_is_used_and_the_arena_moves_to_one_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a group without others below may hold processes."""
    own = tree(tmp_path / "own", "cpu io memory pids\n")
    monkeypatch.setattr(cgroups, "_own_folder", lambda: str(own))
    assert find_base() == str(own)
    assert (own / "arena" / "cgroup.procs").read_text() == "0"
    assert (own / "cgroup.subtree_control").read_text() == "+cpu +memory +pids"
    monkeypatch.setattr(cgroups, "_own_folder", lambda: str(own / "arena"))
    (own / "cgroup.subtree_control").write_text("cpu memory pids\n")
    assert find_base() == str(own), "a worker is in the group of its arena"


@pytest.mark.parametrize("controllers", ["", "cpu pids\n", "cpu memory\n"])
def test_groups_that_limit_no_memory_or_processes_are_of_no_use(
    controllers: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tree(tmp_path / "own", controllers)
    monkeypatch.setattr(cgroups, "_own_folder", lambda: str(own))
    assert find_base() == ""
    assert not (own / "arena").exists()


def test_where_there_are_no_such_groups_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "_own_folder", lambda: "")
    assert find_base() == ""


def test_a_group_has_the_limits_of_its_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a little to spare, so that the supervisor finds out first and can say what happened."""
    names = ("memory.max", "memory.swap.max", "memory.oom.group", "pids.max")

    def mkdir(path: str) -> None:
        Path(path).mkdir()
        for name in names:
            (Path(path) / name).touch()

    monkeypatch.setattr(cgroups, "_make", mkdir)
    Group(str(tmp_path), memory_bytes=128 << 20, processes=4)
    [made] = tmp_path.iterdir()
    assert [(made / name).read_text() for name in names] == [str(192 << 20), "0", "1", "80"]


@pytest.mark.skipif(not real_base(), reason="no control groups can be made here")
def test_processes_that_live_too_short_to_be_looked_at_count_in_a_group() -> None:
    """Nobody waits for them, and so nobody but the group knows what they used; it is removed at the end."""
    base = real_base()
    with supervised(["-c", SUPERVISOR], 512, 400, 1000, 256, 8, run=SHORT_LIVES, groups=base) as one:
        assert one.hear() == "breach more than 400 ms of CPU time"
        [program] = children_of(one.process.pid)[:1]
        assert f"bot-{one.process.pid}" in Path(f"/proc/{program}/cgroup").read_text()
        one.arena.send(b"k")
        assert one.hear().split()[0] == "ended"
    assert not Path(base, f"bot-{one.process.pid}").exists()
