"""Shared by the benchmarks of the referee: programs in C, pinning to one CPU, and runs that measure disturbance."""

from __future__ import annotations

import os
import resource
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parent
BUILD = HERE / "build"
FLAGS = ["-std=c11", "-O2", "-Wall", "-Wextra"]


class BenchmarkError(Exception):
    """The benchmark cannot measure; says why."""


# Building and running


def build(name: str) -> Path:
    """Compile one of the programs in C, unless it is newer than its sources."""
    sources, program = [*(HERE / "c" / name).iterdir()], BUILD / name
    if program.exists() and program.stat().st_mtime > max(
        source.stat().st_mtime for source in sources
    ):
        return program
    compiler = os.environ.get("CC") or next(filter(shutil.which, ("cc", "gcc", "clang")), None)
    if compiler is None:
        raise BenchmarkError("there is no C compiler; install cc, gcc or clang, or set CC")
    BUILD.mkdir(exist_ok=True)
    subprocess.run(
        [
            *shlex.split(compiler),
            *FLAGS,
            "-o",
            program,
            *(source for source in sources if source.suffix == ".c"),
        ],
        check=True,
    )
    return program


def pin(*, realtime: bool) -> str:
    """Pin this process, and with it everything it starts, to the last CPU it may use; returns where it runs."""
    if not hasattr(os, "sched_setaffinity"):
        return "on any CPU (this system cannot pin a process, so the ratio means little)"
    cpu = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cpu})
    if realtime:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    return f"all on CPU {cpu}" + (", real-time class" if realtime else "")


def busy_seconds() -> float | None:
    """How long the CPU of this process has been busy so far, with anything; None if unknown."""
    stat = Path("/proc/stat")
    if (
        not stat.exists() or os.sched_getscheduler(0) == os.SCHED_FIFO
    ):  # then nothing else gets in between
        return None
    cpu = f"cpu{min(os.sched_getaffinity(0))} "
    line = next(line for line in stat.read_text().splitlines() if line.startswith(cpu))
    user, nice, system, _idle, _waiting, *others = map(int, line.split()[1:9])
    return (user + nice + system + sum(others)) / os.sysconf("SC_CLK_TCK")


def run(command: Sequence[str | Path], directory: Path) -> tuple[str, float]:
    """Run a program to its end; returns its output and the share of the CPU that others used meanwhile."""
    before, busy_before = resource.getrusage(resource.RUSAGE_CHILDREN), busy_seconds()
    started = perf_counter()
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    passed = perf_counter() - started
    after, busy_after = resource.getrusage(resource.RUSAGE_CHILDREN), busy_seconds()
    if done.returncode:
        raise BenchmarkError(f"{shlex.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    if busy_before is None or busy_after is None:
        return done.stdout, 0.0
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, (busy_after - busy_before - used) / passed


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="referee-") as folder:
        yield Path(folder)
