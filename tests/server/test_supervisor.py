"""The supervisor: what it reports, which processes it ends, what it does without /proc and in control groups."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.server.programs import cgroups
from arena.server.programs.cgroups import Group, find_base
from arena.server.programs.family import HeldMemory, stat_fields
from tests.processes import await_true, children_of, ended, pids_marked, state_of
from tests.server.supervised import SUPERVISOR, supervised

BLIND = (
    "import sys, arena.server.programs.family as f; f.HAS_PROC = False; import arena.server.programs.supervisor as s; "
    "s.Supervisor(sys.argv[1:]).run()"
)
"""The supervisor as it is on a system without /proc and prctl."""
FAILING = (
    "import sys; from arena.server.programs.supervisor import Supervisor; Supervisor._look = None; "
    "Supervisor(sys.argv[1:]).run()"
)
"""A supervisor that fails when it first looks at its program."""
STUBBORN = "trap '' TERM; bash -c 'while :; do sleep 0.1; done' $0 & while :; do sleep 0.1; done"
"""A program with a child, both of which SIGTERM does not end."""
WAYS = [pytest.param(["-c", SUPERVISOR], id="Linux"), pytest.param(["-c", BLIND], id="elsewhere")]


@pytest.mark.parametrize("way", WAYS)
def test_it_tells_how_the_program_ended(way: list[str]) -> None:
    with supervised(way, run="exit 7") as one:
        assert one.hear().split()[:2] == ["ended", "7"]
    with supervised(way, run="kill -SEGV $$") as one:
        assert one.hear().split()[:2] == ["ended", str(-signal.SIGSEGV)]


@pytest.mark.parametrize("way", WAYS)
def test_a_program_that_does_not_exist_is_told(way: list[str]) -> None:
    ours, theirs = socket.socketpair()
    line = [
        sys.executable,
        *way,
        "256",
        "60000",
        "32",
        "256",
        "8",
        "0",
        "-1",
        "",
        "0",
        "0",
        "/no/such/program",
    ]
    process = subprocess.Popen(line, stdin=theirs)
    with ours, theirs, ended(process):
        theirs.close()
        process.wait(timeout=120)
        told = ours.recv(4096).partition(b"\n")
        assert told[0] == b"started %d" % process.pid
        assert told[2].startswith(b"failed No such file or directory\nended 127 ")


@pytest.mark.parametrize("is_heard", [True, False], ids=["heard", "unheard"])
@pytest.mark.parametrize("way", WAYS)
def test_when_the_arena_is_gone_the_program_and_its_children_are_ended(
    way: list[str], is_heard: bool
) -> None:
    """Closing the socket is all it takes, as the system does for an arena that is killed.

    It may be killed before it has read that the program has started.
    """
    with supervised(way, run=STUBBORN, is_heard=is_heard) as one:
        await_true(
            lambda: len(pids_marked(one.word)) >= 3
        )  # the supervisor, the program and its child
        one.arena.close()
        one.process.wait(timeout=120)
        await_true(lambda: pids_marked(one.word) == [])


def test_a_supervisor_that_fails_ends_the_program_and_its_children() -> None:
    with supervised(["-c", FAILING], run=STUBBORN) as one:
        one.process.wait(timeout=120)
        await_true(lambda: pids_marked(one.word) == [])


@pytest.mark.parametrize("way", WAYS)
def test_t_asks_the_program_to_end_and_it_may_do_so_in_its_own_way(way: list[str]) -> None:
    with supervised(
        way, run="trap 'exit 5' TERM; echo ready >&2; while :; do sleep 0.05; done"
    ) as one:
        assert one.process.stderr is not None
        assert one.process.stderr.readline() == b"ready\n"
        one.arena.send(b"t")
        assert one.hear().split()[:2] == ["ended", "5"]


def test_a_breach_is_told_while_everything_stands_still_and_ends_when_it_is_answered() -> None:
    """33 sleepers where 32 processes are allowed: stopped, told, killed after the answer."""
    script = "for i in $(seq 40); do sleep 600 & done; wait"
    with supervised(["-c", SUPERVISOR], run=script) as one:
        assert one.hear() == "breach processes 32"
        family = children_of(one.process.pid)
        assert family
        # On a busy machine a signal waits for the turn of its process.
        await_true(lambda: {state_of(pid) for pid in family} == {"stopped"})
        one.arena.send(b"k")
        assert one.hear().split()[:2] == ["ended", str(-signal.SIGKILL)]


def test_a_breach_is_not_put_off_by_an_arena_that_does_not_answer() -> None:
    with supervised(["-c", SUPERVISOR], 256, 200, 32, 256, 8, run="while :; do :; done") as one:
        assert one.hear() == "breach cpu 200"
        began = time.monotonic()
        assert one.hear().split()[:2] == ["ended", str(-signal.SIGKILL)]
        assert time.monotonic() - began >= 1.5


def test_where_nothing_can_be_measured_the_system_itself_limits_cpu_time() -> None:
    """Each process for itself, in whole seconds and two more."""
    with supervised(["-c", BLIND], 256, 100, 32, 256, 8, run="while :; do :; done") as one:
        assert one.hear().split()[:2] in (
            ["ended", str(-signal.SIGKILL)],
            ["ended", str(-signal.SIGXCPU)],
        )


@pytest.mark.parametrize("way", WAYS)
def test_open_files_file_size_and_core_dumps_are_limited(way: list[str]) -> None:
    """As the program sees it: 256 files, 8 MiB (in KiB blocks), no core dump."""
    with supervised(way, run='[ "$(ulimit -n) $(ulimit -f) $(ulimit -c)" = "256 8192 0" ]') as one:
        assert one.hear().split()[:2] == ["ended", "0"]


SHARED_MEMORY = """
import os
hoard = b"x" * (100 << 20)
for _ in range(10):
    if not os.fork():
        os.read(0, 1)
        os._exit(0)
print("ready", flush=True)
os.read(0, 1)
"""
"""A program of 100 MiB with ten children; all of them end with its input."""


def test_memory_shared_by_a_family_counts_once() -> None:
    """Ten children of a program that holds 100 MiB hold the same 100 MiB."""
    line = [sys.executable, "-c", SHARED_MEMORY]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        family = {pid: stat_fields(pid) for pid in (process.pid, *children_of(process.pid))}
        held = HeldMemory(0, is_contained=False).measure(family, 256 << 20)
        process.stdin.close()
    assert len(family) == 11
    assert 100 <= held >> 20 < 256


# Control groups: where they can be made, and what they see that nobody else does


SHORT_LIVES = (
    f'exec {sys.executable} -c "import os, signal, time\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\nwhile True:\n'
    "    if not os.fork():\n        end = time.process_time() + 0.008\n        while time.process_time() < end: pass\n"
    '        os._exit(0)\n    time.sleep(0.01)"'
)


def real_base() -> str:
    """A folder of this machine in which groups can be made, with or without limits; empty if there is none."""
    base = cgroups._group_of_this_process()
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
    monkeypatch.setattr(cgroups, "_group_of_this_process", lambda: str(own))
    assert find_base() == str(own)
    assert (own / "arena" / "cgroup.procs").read_text() == "0"
    assert (own / "cgroup.subtree_control").read_text() == "+cpu +memory +pids"
    monkeypatch.setattr(cgroups, "_group_of_this_process", lambda: str(own / "arena"))
    (own / "cgroup.subtree_control").write_text("cpu memory pids\n")
    assert find_base() == str(own), "a worker is in the group of its arena"


@pytest.mark.parametrize("controllers", ["", "cpu pids\n", "cpu memory\n"])
def test_groups_that_limit_no_memory_or_processes_are_of_no_use(
    controllers: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tree(tmp_path / "own", controllers)
    monkeypatch.setattr(cgroups, "_group_of_this_process", lambda: str(own))
    assert find_base() == ""
    assert not (own / "arena").exists()


def test_where_there_are_no_such_groups_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "_group_of_this_process", lambda: "")
    assert find_base() == ""


def test_a_group_has_the_limits_of_its_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a little to spare, so that the supervisor finds out first and can say what happened."""
    names = ("memory.max", "memory.swap.max", "memory.oom.group", "pids.max")

    make = os.mkdir

    def mkdir(path: str) -> None:
        make(path)
        for name in names:
            (Path(path) / name).touch()

    monkeypatch.setattr(cgroups.os, "mkdir", mkdir)
    Group(str(tmp_path), memory_bytes=128 << 20, processes=4)
    [made] = tmp_path.iterdir()
    assert [(made / name).read_text() for name in names] == [str(192 << 20), "0", "1", "80"]


@pytest.mark.skipif(not real_base(), reason="no control groups can be made here")
def test_processes_that_live_too_short_to_be_looked_at_count_in_a_group() -> None:
    """Nobody waits for them, and so nobody but the group knows what they used; it is removed at the end."""
    base = real_base()
    with supervised(
        ["-c", SUPERVISOR], 512, 400, 1000, 256, 8, run=SHORT_LIVES, groups=base
    ) as one:
        assert one.hear() == "breach cpu 400"
        [program] = children_of(one.process.pid)[:1]
        assert f"bot-{one.process.pid}" in Path(f"/proc/{program}/cgroup").read_text()
        one.arena.send(b"k")
        assert one.hear().split()[0] == "ended"
    assert not Path(base, f"bot-{one.process.pid}").exists()
