"""What launched programs may use: memory, however they hold it, and their share of the processors."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from arena.server.programs import cpu_share, family
from arena.server.programs.bot_command import BotCommand
from arena.server.programs.containment import find_containment
from arena.server.programs.cpu_share import (
    BURST_MS,
    CORES,
    LOWEST,
    RATE,
    AwaitedTime,
    Starvation,
    SupervisorsSide,
    level_of,
)
from arena.server.programs.family import CPU_FROM, CPU_TO, HAS_PROC, NICE, stat_fields
from arena.server.programs.program import Ended, launched
from arena.server.setup.tournament_file import LimitsSection, Plan
from arena.words import say
from tests.fixtures.playing_room import Program, Room, mover_of
from tests.fixtures.sandboxes import SANDBOX
from tests.processes import await_true, children_of, state_of
from tests.server.supervised import SUPERVISOR, supervised

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
    "two-folders": (
        "for folder in ('/tmp', '/dev/shm'): fill(os.open(folder + '/x', os.O_CREAT | os.O_WRONLY), 60)"
    ),
    "removed-but-open": (
        "fd = os.open('/tmp/x', os.O_CREAT | os.O_WRONLY); os.unlink('/tmp/x'); fill(fd, 60); memfd(40)"
    ),
    "empty-files": "for at in range(200_000): os.close(os.open(f'/tmp/{at}', os.O_CREAT))",
}
MAPPED_BY_MANY = (
    "fd = memfd(50); held = mmap.mmap(fd, 50 * MIB); touch(held)\n"
    "for _ in range(5):\n    if not os.fork():\n        own = mmap.mmap(fd, 50 * MIB); touch(own)\n"
    "        time.sleep(0.5); os._exit(0)\n"
    "for _ in range(5): os.wait()"
)
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
    plan = (
        PLAN
        if sandbox == "require"
        else Plan(limits=LimitsSection(memory_mib=LIMIT_MIB, sandbox="off"))
    )
    (folder / "bot").mkdir()
    bot = folder / "bot" / "bot.py"
    bot.write_text(BEGIN + script)
    containment = find_containment(plan, hidden=(), directory=folder)
    command = BotCommand(words=(sys.executable, str(bot)), directory=folder)
    async with launched(command, containment, name="x") as alone:
        with trio.fail_after(60):
            await alone.has_ended.wait()
    assert alone.how is not None
    print(alone.stderr)
    return alone.how


@pytest.mark.parametrize("sandbox", ["off", SANDBOX])
@pytest.mark.parametrize("way", TOO_MUCH)
def test_what_is_held_in_other_ways_than_by_pages_of_its_own_counts(
    way: str, sandbox: str, tmp_path: Path
) -> None:
    """120 MiB where 100 are allowed, in each of them less than that."""
    how = trio.run(end_of, TOO_MUCH[way] + LINGER, tmp_path, sandbox)
    assert say(how.reason) == f"was ended: more than {LIMIT_MIB} MiB of memory"


@pytest.mark.parametrize("sandbox", [SANDBOX])
@pytest.mark.parametrize("way", IN_FOLDERS)
def test_what_lies_in_the_folders_of_the_sandbox_counts(
    way: str, sandbox: str, tmp_path: Path
) -> None:
    how = trio.run(end_of, IN_FOLDERS[way] + LINGER, tmp_path, sandbox)
    assert say(how.reason) == f"was ended: more than {LIMIT_MIB} MiB of memory"


@pytest.mark.parametrize("sandbox", ["off", SANDBOX])
def test_what_several_processes_hold_counts_once(sandbox: str, tmp_path: Path) -> None:
    """50 MiB of which six processes have all."""
    how = trio.run(end_of, MAPPED_BY_MANY, tmp_path, sandbox)
    assert say(how.reason) == "ended with exit status 0"
    assert 50 <= how.memory_mib < LIMIT_MIB


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is hidden from root")
@pytest.mark.parametrize("sandbox", [SANDBOX])
def test_who_hides_what_it_holds_is_ended(sandbox: str, tmp_path: Path) -> None:
    """As soon as it has used so much CPU time that it might hold much."""
    how = trio.run(end_of, HIDE + BURN, tmp_path, sandbox)
    assert say(how.reason) == "was ended: one of its processes hides its memory"


@pytest.mark.parametrize("sandbox", [SANDBOX])
def test_who_hides_only_at_its_start_is_left_alone(sandbox: str, tmp_path: Path) -> None:
    """As the sandbox does until it has become the program, however long the machine takes for it."""
    how = trio.run(end_of, "time.sleep(0.5)\n", tmp_path, sandbox)
    assert say(how.reason) == "ended with exit status 0"


@pytest.mark.parametrize("sandbox", [SANDBOX])
@pytest.mark.parametrize("script", [REFUSED, OWN_WORLD], ids=["System-V", "mounts"])
def test_the_sandbox_keeps_a_program_from_what_nobody_could_measure(
    script: str, sandbox: str, tmp_path: Path
) -> None:
    """Memory that belongs to no process, and folders in memory that it would mount by itself."""
    how = trio.run(end_of, script, tmp_path, sandbox)
    assert say(how.reason) == "ended with exit status 0"


# The share of the machine that a launched bot may take while it is not awaited, and with many
# processes


told_by_proc = pytest.mark.skipif(not HAS_PROC, reason="this system does not tell what others use")
BUSY = f"exec {sys.executable} -c 'while True: pass'"
CROWD_SIZE = CORES + 7
CROWD = (
    f'exec {sys.executable} -c "import os\nfor _ in range({CROWD_SIZE}):\n'
    '    if not os.fork():\n        os.setsid()\n        while True: pass\nos.wait()"'
)


@pytest.fixture
def awaited() -> Iterator[AwaitedTime]:
    """What a supervisor is told."""
    made = AwaitedTime()
    yield made
    made.close()


def cpu_ms(pid: int) -> float:
    ticks = sum(map(int, stat_fields(pid)[CPU_FROM : CPU_FROM + 2]))
    assert CPU_TO - CPU_FROM == 4
    return 1000 * ticks / os.sysconf("SC_CLK_TCK")


@told_by_proc
def test_a_bot_that_is_not_awaited_may_use_little_and_goes_on_as_soon_as_it_is(
    awaited: AwaitedTime,
) -> None:
    """A burst, and from then on a tenth of a core; awaited it runs."""
    awaited.tell(False)
    with supervised(["-c", SUPERVISOR], run=BUSY, awaited=awaited) as one:
        await_true(lambda: bool(children_of(one.process.pid)))
        [program] = children_of(one.process.pid)
        await_true(lambda: state_of(program) == "stopped")
        before, began = cpu_ms(program), time.monotonic()
        time.sleep(2)
        most_ms = (
            1000 * (time.monotonic() - began) * RATE + BURST_MS
        )  # a look may come late where the machine is busy
        assert cpu_ms(program) - before < most_ms
        awaited.tell(True)
        before = cpu_ms(program)
        await_true(lambda: state_of(program) == "running")
        await_true(lambda: cpu_ms(program) > before + BURST_MS)
        awaited.tell(False)
        await_true(lambda: state_of(program) == "stopped")


@told_by_proc
@pytest.mark.parametrize(("is_awaited", "may_ponder"), [(True, False), (False, True)])
def test_a_bot_that_is_awaited_or_may_ponder_keeps_a_core(
    awaited: AwaitedTime, *, is_awaited: bool, may_ponder: bool
) -> None:
    awaited.tell(is_awaited)
    with supervised(["-c", SUPERVISOR], run=BUSY, awaited=awaited, may_ponder=may_ponder) as one:
        await_true(lambda: bool(children_of(one.process.pid)))
        [program] = children_of(one.process.pid)
        seen = set()
        while cpu_ms(program) < 3 * BURST_MS:
            seen.add(state_of(program))
            time.sleep(0.02)
        assert "stopped" not in seen


@told_by_proc
def test_busy_processes_and_sessions_beyond_the_cores_have_the_weight_of_one() -> None:
    """Also where every session has a share of its own, whatever the priorities in it, and under `nice`."""
    # the crowd must not be out of its CPU time before a busy machine has come to look at it
    an_hour_ms = 3_600_000
    less_important = f"import os; os.nice(5); {SUPERVISOR}"
    with supervised(["-c", less_important], 256, an_hour_ms, 32, 256, 8, run=CROWD) as one:
        await_true(lambda: len(children_of(one.process.pid)) == 1)
        [program] = children_of(one.process.pid)
        level = min(LOWEST, nice_of(program) + level_of(CROWD_SIZE - CORES))
        if level == nice_of(program):
            pytest.skip("the tests have the lowest priority themselves: nothing can be lowered")

        def lowered() -> list[int]:
            return [pid for pid in children_of(program) if nice_of(pid) >= level]

        await_true(lambda: len(lowered()) >= CROWD_SIZE - CORES)
        # If the program itself was seen at work before it waited for them, it has the place of one
        # on the cores.
        assert len(lowered()) in (CROWD_SIZE - CORES, CROWD_SIZE - CORES + 1)
        if Path("/proc/self/autogroup").exists():
            await_true(
                lambda: all(share_of(pid) >= level_of(CORES) for pid in children_of(program))
            )
        assert nice_of(program) == nice_of(one.process.pid) < level


@told_by_proc
def test_every_look_at_a_family_has_the_same_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or one look would lower the priority of some processes, and the next that of those it had spared."""
    children = [511, 512, 1023]
    strangers = [str(pid) for pid in range(600, 700)]
    parents = dict.fromkeys(map(int, strangers), 1) | dict.fromkeys(children, os.getpid())
    monkeypatch.setattr(family.os, "listdir", lambda _: [*strangers, *map(str, children)])
    monkeypatch.setattr(family, "stat_fields", lambda pid: ["R", str(parents[pid])])
    looks = family.ProcessFamily()
    assert [list(looks.look()) for _ in range(3)] == [children] * 3


def nice_of(pid: int) -> int:
    return int(stat_fields(pid)[NICE])


def share_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/autogroup").read_text().split()[-1])


@told_by_proc
@pytest.mark.parametrize(("number", "level"), [(1, 0), (2, 4), (38, 17), (10_000, 19)])
def test_so_many_together_have_about_the_weight_of_one(number: int, level: int) -> None:
    """Each level of priority is a quarter more or less of the machine."""
    assert level_of(number) == level


@told_by_proc
def test_what_was_awaited_is_summed_up_across_processes(awaited: AwaitedTime) -> None:
    reader = SupervisorsSide(os.dup(awaited.descriptor))
    assert reader.read(time.monotonic_ns())[1]
    awaited.tell(False)
    total, is_awaited = reader.read(time.monotonic_ns())
    assert not is_awaited
    assert reader.read(time.monotonic_ns() + 10**9) == (total, False)
    awaited.tell(True)
    assert reader.read(time.monotonic_ns() + 10**9)[0] >= total + 10**9
    assert SupervisorsSide(-1).read(5) == (5, True)


@told_by_proc
async def test_a_launched_bot_is_awaited_until_it_is_ready_and_while_it_has_a_turn(
    room: Room,
) -> None:
    programs = {name: Program() for name in ("anna", "bo")}
    for name, program in programs.items():
        room.expect(name, program=program)

    def told(*names: str) -> list[bool]:
        return [programs[name].is_awaited for name in names]

    anna, bo = await room.guest("anna"), await room.guest("bo")
    table = room.lay_table("anna", "bo")
    assert told("anna", "bo") == [True, True]
    await anna.take_seat()
    await anna.hears_no(object, 0.01)
    assert told("anna", "bo") == [False, True]
    await bo.take_seat()
    mover, other, turn = await mover_of(anna, bo)
    names = ("anna", "bo") if mover is anna else ("bo", "anna")
    assert told(*names) == [True, False]
    await mover.answer(turn)
    await other.first_turn()
    assert told(*names) == [False, True]
    assert table.turns_in_play == 1


@told_by_proc
@pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity"), reason="processes cannot be bound to a core here"
)
def test_a_bot_that_has_to_wait_for_a_processor_is_starved() -> None:
    """Two busy processes on one core, of which one is the bot's: it waits half of the time."""
    core = min(os.sched_getaffinity(0))
    burners = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
        for _ in range(2)
    ]
    try:
        for one in burners:
            os.sched_setaffinity(one.pid, {core})
        measured = Starvation()
        pid, began_ns = burners[0].pid, time.monotonic_ns()
        measured.look({pid: stat_fields(pid)}, 0)
        time.sleep(1)
        passed_ns = time.monotonic_ns() - began_ns
        measured.look({pid: stat_fields(pid)}, passed_ns)
        assert 0.2 * passed_ns < measured.starved_ns <= passed_ns
    finally:
        for one in burners:
            one.kill()
            one.wait()


@told_by_proc
@pytest.mark.parametrize(
    ("threads", "starved"),
    [
        ({1: (100, 900)}, 900),
        ({1: (100, 900), 2: (300, 500)}, 600),
        ({1: (500, 500), 2: (500, 500)}, 0),
        ({1: (0, 0), 2: (50, 950), 3: (950, 50)}, 0),
        ({1: (0, 0), 2: (0, 2000)}, 1000),
    ],
    ids=["alone", "beside-another", "by-itself", "by-its-own-child", "no-more-than-passed"],
)
def test_what_the_other_threads_of_a_bot_used_is_no_starvation(
    threads: dict[int, tuple[int, int]], starved: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The longest wait counts, less what the others used; each thread has what it ran, and what it waited."""
    monkeypatch.setattr(cpu_share, "_threads", lambda pid: [(str(pid), str(pid))])
    monkeypatch.setattr(cpu_share, "_schedule", lambda path: threads[int(path)])
    monkeypatch.setattr(cpu_share, "machine_steal_ns", lambda: 0)
    measured = Starvation()
    measured.look(dict.fromkeys(threads, [str(os.nice(0))] * 40), 1000)
    assert measured.starved_ns == starved
