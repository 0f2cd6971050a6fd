"""Memory counts however a program holds it: mapped or only open, in its own pages or in the folders of its sandbox."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
import trio

from arena.server.programs.containment import find_containment
from arena.server.programs.program import Ended, launched_alone
from arena.server.setup.tournament_file import LimitsSection, Plan
from tests.end_to_end.test_containment import SANDBOX

LIMIT_MIB = 100
PLAN = Plan(limits=LimitsSection(memory_mib=LIMIT_MIB, file_mib=64))
BEGIN = """
import ctypes, errno, mmap, os, time
MIB = 1 << 20
libc = ctypes.CDLL(None, use_errno=True)
def fill(fd, mib):
    for _ in range(mib): os.write(fd, bytes(MIB))
def memfd(mib):
    fd = os.memfd_create("x"); fill(fd, mib); return fd
def touch(pages):
    for at in range(0, len(pages), 4096): pages[at]
"""
LINGER = "\ntime.sleep(5)\n"
TOO_MUCH = {
    "open-memfds": "for _ in range(3): memfd(40)",
    "memfds-of-several-processes": "for _ in range(3):\n    if not os.fork(): memfd(40); time.sleep(5)",
    "memfds-that-are-mapped-and-closed": (
        "held = []\nfor _ in range(3):\n    fd = memfd(40); held.append(mmap.mmap(fd, 40 * MIB)); touch(held[-1])\n"
        "    os.close(fd)"
    ),
    "open-and-mapped": "fd = memfd(50); held = mmap.mmap(-1, 60 * MIB)\nfor at in range(60): held.write(bytes(MIB))",
}
IN_FOLDERS = {
    "two-folders": ("for folder in ('/tmp', '/dev/shm'): fill(os.open(folder + '/x', os.O_CREAT | os.O_WRONLY), 60)"),
    "removed-but-open": (
        "fd = os.open('/tmp/x', os.O_CREAT | os.O_WRONLY); os.unlink('/tmp/x'); fill(fd, 60); memfd(40)"
    ),
    "empty-files": "for at in range(200_000): os.close(os.open(f'/tmp/{at}', os.O_CREAT))",
}
ENOUGH = {
    "mapped-by-many": (
        "fd = memfd(50); held = mmap.mmap(fd, 50 * MIB); touch(held)\n"
        "for _ in range(5):\n    if not os.fork():\n        own = mmap.mmap(fd, 50 * MIB); touch(own)\n"
        "        time.sleep(0.5); os._exit(0)\n"
        "for _ in range(5): os.wait()"
    ),
}
HIDE = "assert libc.prctl(4, 0, 0, 0, 0) == 0  # PR_SET_DUMPABLE\n"
BURN = """
while time.process_time() < 1: pass
time.sleep(5)
"""
REFUSED = """
assert libc.shmget(0, MIB, 0o1600) == -1 and ctypes.get_errno() == errno.ENOSYS
assert libc.msgget(0, 0o1600) == -1 and ctypes.get_errno() == errno.ENOSYS
assert libc.semget(0, 1, 0o1600) == -1 and ctypes.get_errno() == errno.ENOSYS
"""
OWN_WORLD = "assert libc.unshare(0x10000000) == -1, 'it made a world of its own'"


async def end_of(script: str, folder: Path, sandbox: str) -> Ended:
    """How a program ends that is launched with these limits."""
    plan = PLAN if sandbox == "require" else Plan(limits=LimitsSection(memory_mib=LIMIT_MIB, sandbox="off"))
    (folder / "bot").mkdir()
    bot = folder / "bot" / "bot.py"
    bot.write_text(BEGIN + script)
    containment = find_containment(plan, hidden=(), directory=folder)
    async with launched_alone([sys.executable, str(bot)], containment, name="x") as alone:
        with trio.fail_after(60):
            await alone.has_ended.wait()
    assert alone.how is not None
    print(alone.stderr)
    return alone.how


@pytest.mark.parametrize("sandbox", ["off", SANDBOX])
@pytest.mark.parametrize("way", TOO_MUCH)
def test_what_is_held_in_other_ways_than_by_pages_of_its_own_counts(way: str, sandbox: str, tmp_path: Path) -> None:
    """120 MiB where 100 are allowed, in each of them less than that."""
    how = trio.run(end_of, TOO_MUCH[way] + LINGER, tmp_path, sandbox)
    assert how.reason == f"was ended: more than {LIMIT_MIB} MiB of memory"


@pytest.mark.parametrize("sandbox", [SANDBOX])
@pytest.mark.parametrize("way", IN_FOLDERS)
def test_what_lies_in_the_folders_of_the_sandbox_counts(way: str, sandbox: str, tmp_path: Path) -> None:
    how = trio.run(end_of, IN_FOLDERS[way] + LINGER, tmp_path, sandbox)
    assert how.reason == f"was ended: more than {LIMIT_MIB} MiB of memory"


@pytest.mark.parametrize("sandbox", ["off", SANDBOX])
@pytest.mark.parametrize("way", ENOUGH)
def test_what_several_processes_hold_counts_once(way: str, sandbox: str, tmp_path: Path) -> None:
    """50 MiB of which six processes have all."""
    how = trio.run(end_of, ENOUGH[way], tmp_path, sandbox)
    assert how.reason == "ended with exit status 0"
    assert 50 <= how.memory_mib < LIMIT_MIB


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is hidden from root")
@pytest.mark.parametrize("sandbox", [SANDBOX])
def test_who_hides_what_it_holds_is_ended(sandbox: str, tmp_path: Path) -> None:
    """As soon as it has used so much CPU time that it might hold much."""
    how = trio.run(end_of, HIDE + BURN, tmp_path, sandbox)
    assert how.reason == "was ended: a process of it hides what memory it holds"


@pytest.mark.parametrize("sandbox", [SANDBOX])
def test_who_hides_only_at_its_start_is_left_alone(sandbox: str, tmp_path: Path) -> None:
    """As the sandbox does until it has become the program, however long the machine takes for it."""
    how = trio.run(end_of, "time.sleep(0.5)\n", tmp_path, sandbox)
    assert how.reason == "ended with exit status 0"


@pytest.mark.parametrize("sandbox", [SANDBOX])
@pytest.mark.parametrize("script", [REFUSED, OWN_WORLD], ids=["System-V", "mounts"])
def test_the_sandbox_keeps_a_program_from_what_nobody_could_measure(script: str, sandbox: str, tmp_path: Path) -> None:
    """Memory that belongs to no process, and folders in memory that it would mount by itself."""
    how = trio.run(end_of, script, tmp_path, sandbox)
    assert how.reason == "ended with exit status 0"
