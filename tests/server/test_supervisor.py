"""The supervisor by itself: what it reports, which processes it ends, and what it does without /proc."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time

import pytest

from arena.server.programs.containment import SUPERVISOR
from tests.end_to_end.runs import await_true, pids_marked
from tests.server.supervised import children_of, state_of, supervised

BLIND = (
    "import sys, arena.server.programs.family as f; f.HAS_PROC = False; import arena.server.programs.supervisor as s; "
    "s.Supervisor(sys.argv[1:]).run()"
)
"""The supervisor as it is on a system without /proc and prctl."""
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
    line = [sys.executable, *way, "256", "60000", "32", "256", "8", "0", "-1", "", "0", "0", "/no/such/program"]
    with ours, theirs, subprocess.Popen(line, stdin=theirs) as process:
        theirs.close()
        process.wait(timeout=120)
        assert ours.recv(4096).startswith(b"failed No such file or directory\nended 127 ")


@pytest.mark.parametrize("way", WAYS)
def test_when_the_arena_is_gone_the_program_and_its_children_are_ended(way: list[str]) -> None:
    """Closing the socket is all it takes, as the system does for an arena that is killed."""
    script = "trap '' TERM; bash -c 'while :; do sleep 0.1; done' $0 & while :; do sleep 0.1; done"
    with supervised(way, run=script) as one:
        await_true(lambda: len(pids_marked(one.word)) >= 3)  # the supervisor, the program and its child
        one.arena.close()
        one.process.wait(timeout=120)
        await_true(lambda: pids_marked(one.word) == [])


@pytest.mark.parametrize("way", WAYS)
def test_t_asks_the_program_to_end_and_it_may_do_so_in_its_own_way(way: list[str]) -> None:
    with supervised(way, run="trap 'exit 5' TERM; echo ready >&2; while :; do sleep 0.05; done") as one:
        assert one.process.stderr is not None
        assert one.process.stderr.readline() == b"ready\n"
        one.arena.send(b"t")
        assert one.hear().split()[:2] == ["ended", "5"]


def test_a_breach_is_told_while_everything_stands_still_and_ends_when_it_is_answered() -> None:
    """33 sleepers where 32 processes are allowed: stopped, told, killed after the answer."""
    script = "for i in $(seq 40); do sleep 600 & done; wait"
    with supervised(["-c", SUPERVISOR], run=script) as one:
        assert one.hear() == "breach more than 32 processes"
        family = children_of(one.process.pid)
        assert {state_of(pid) for pid in family} == {"T"}
        one.arena.send(b"k")
        assert one.hear().split()[:2] == ["ended", str(-signal.SIGKILL)]


def test_a_breach_is_not_put_off_by_an_arena_that_does_not_answer() -> None:
    """After two seconds the program is ended all the same."""
    with supervised(["-c", SUPERVISOR], 256, 200, 32, 256, 8, run="while :; do :; done") as one:
        assert one.hear() == "breach more than 200 ms of CPU time"
        began = time.monotonic()
        assert one.hear().split()[:2] == ["ended", str(-signal.SIGKILL)]
        assert time.monotonic() - began >= 1.5


def test_where_nothing_can_be_measured_the_system_itself_limits_cpu_time() -> None:
    """Each process for itself, in whole seconds and two more."""
    with supervised(["-c", BLIND], 256, 100, 32, 256, 8, run="while :; do :; done") as one:
        assert one.hear().split()[:2] in (["ended", str(-signal.SIGKILL)], ["ended", str(-signal.SIGXCPU)])


@pytest.mark.parametrize("way", WAYS)
def test_open_files_file_size_and_core_dumps_are_limited(way: list[str]) -> None:
    """As the program sees it: 256 files, 8 MiB (in KiB blocks), no core dump."""
    with supervised(way, run='[ "$(ulimit -n) $(ulimit -f) $(ulimit -c)" = "256 8192 0" ]') as one:
        assert one.hear().split()[:2] == ["ended", "0"]


def test_memory_shared_by_a_family_counts_once() -> None:
    """Ten children of a program that holds 100 MiB hold the same 100 MiB: no breach of 256 MiB."""
    script = (
        f"exec {sys.executable} -c \"import os, time\nhoard = b'x' * (100 << 20)\n"
        "for _ in range(10):\n    if not os.fork():\n        time.sleep(0.5); os._exit(0)\n"
        'for _ in range(10):\n    os.wait()"'
    )
    with supervised(["-c", SUPERVISOR], run=script) as one:
        ended = one.hear().split()
        assert ended[:2] == ["ended", "0"]
        assert 100 <= int(ended[2]) < 256
