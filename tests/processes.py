"""The processes of this machine, as tests look at them. One that ends meanwhile is left out."""

import ctypes
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psutil

PATIENCE_S = 120

PR_SET_CHILD_SUBREAPER = 36
LEFT_SECONDS = 15.0
"""For processes to end by themselves once the one that started them is gone."""

ENDED = {psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD}


def state_of(pid: int) -> str:
    """`sleeping`, `stopped`, `zombie` ...; empty for a process that is gone."""
    try:
        return str(psutil.Process(pid).status())
    except psutil.NoSuchProcess:
        return ""


def is_running(pid: int) -> bool:
    """Whether a process is there; one that has ended, but was not yet asked for its status, is not."""
    return state_of(pid) not in {"", *ENDED}


def pids_marked(word: str) -> list[int]:
    """The running processes with a word in their command line, in whatever namespace they think they are."""
    processes = psutil.process_iter(["cmdline", "status"])
    return [
        process.pid
        for process in processes
        if word in (process.info["cmdline"] or ()) and process.info["status"] not in ENDED
    ]


def parent_of(pid: int) -> int:
    """The process that started another, or has taken it over."""
    return psutil.Process(pid).ppid()


def children_of(pid: int, part: str = "") -> list[int]:
    """The children of a process, also those that have ended; only those with a part in their command line."""
    children = psutil.Process(pid).children()
    return [child.pid for child in children if not part or part in _command_line(child)]


def _command_line(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return ""


def await_true(question: Callable[[], object], *, seconds: float = PATIENCE_S) -> None:
    """Wait for a condition, checking often; fails if it does not come true."""
    end = time.monotonic() + seconds
    while not question():
        assert time.monotonic() < end, "it has not happened in time"
        time.sleep(0.01)


def await_end(pid: int) -> None:
    """Wait until a process that somebody else has started is gone."""
    await_true(lambda: not state_of(pid))


@contextmanager
def ended(process: "subprocess.Popen[Any]") -> Iterator[None]:
    """Wait for a process at the end, as its own `with` does; but kill it first if anything fails.

    Else what failed would wait for a process that nothing ends.
    """
    with process:
        try:
            yield
        except BaseException:
            process.kill()
            raise


@contextmanager
def adopting() -> Iterator[None]:
    """Become the parent of every process below this one whose own parent ends.

    So none gets out of sight. At the end all that were started in between must be gone; those that
    are not are ended, and named. What was there before, as the browser of other tests, stays, with
    all that it starts.
    """
    me = psutil.Process()
    before = set(me.children())
    control = ctypes.CDLL(None).prctl

    def running() -> list[psutil.Process]:
        processes = set(me.children(recursive=True)) - before
        for process in before:
            with suppress(psutil.NoSuchProcess):
                processes.difference_update(process.children(recursive=True))
        return [process for process in processes if is_running(process.pid)]

    control(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        end = time.monotonic() + LEFT_SECONDS
        while running() and time.monotonic() < end:
            time.sleep(0.05)
        left_behind = running()
        lines = [f"{process} {_command_line(process)}" for process in left_behind]
        for process in left_behind:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(left_behind, timeout=LEFT_SECONDS)
        for process in set(me.children()) - before:
            with suppress(ChildProcessError):  # its `Popen` has waited for it
                os.waitpid(process.pid, os.WNOHANG)  # one that runs still was left behind
        control(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    assert not lines, "\n".join(["left behind:", *lines])
