"""Checks of what this machine gives an arena: each by a trial, and with advice if it fails."""

import os
import platform
import resource
import shutil
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import trio

from arena.server.door.connection_limits import OF_THE_ARENA, allow_files, room_for
from arena.server.io.disk import write_all
from arena.server.io.listening import ListenError, NetAddress, UnixAddress, open_listener
from arena.server.io.private_folder import SOCKET, private_folder
from arena.server.programs.bot_command import BotCommand
from arena.server.programs.containment import Containment, find_containment
from arena.server.programs.program import launched
from arena.server.setup.tournament_file import Plan, TournamentSection
from arena.words import say

State = Literal["ok", "warning", "problem"]
MOST_AT_ONCE: Final = 256
"""Matches at once: the most that a tournament file may ask for."""
PROBE_SECONDS: Final = 20.0
"""Far longer than the probe takes to start, even on a busy machine."""
FREE_MIB: Final = 1024
"""Some 100,000 games, of about 8 KiB each."""
SYNC_MS: Final = 50
"""Milliseconds for a write to reach the disk. Every result waits for one."""
SLEEP_MS, SLEEPS, LATE_MS = 5, 20, 5
"""How long to sleep, how often, and how late to wake: with more, the machine is too busy for clocks
of milliseconds."""
PROBE: Final = """
import os, socket
def attempt(word, act):
    try:
        act()
    except OSError:
        return
    print(word)
address = os.environ["ARENA_ADDRESS"].removeprefix("unix:")
attempt("arena", lambda: socket.socket(socket.AF_UNIX).connect(address))
attempt("files", lambda: open({file!r}))
attempt("network", lambda: socket.create_connection({address!r}))
"""
"""A program that prints what it can reach: it should reach the arena, and neither a file of ours
nor the network."""


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class Check:
    """One thing that was tried, with the finding."""

    name: str
    state: State
    found: str
    advice: str = ""
    """Advice; empty if there is nothing to do."""


def check_machine(folder: Path) -> tuple[list[Check], bool]:
    """Try everything; `folder` is where runs would be written.

    Returns also whether anything contains bots.
    """
    containment = find_containment(Plan(), hidden=(), directory=folder)
    sandbox, is_contained = _sandbox(containment)
    python = Check(
        name="Python",
        state="ok",
        found=f"{platform.python_version()}, {sys.executable}",
    )
    bots = [sandbox, _limits(containment), _groups(containment)]
    checks = [python, *bots, _files(), *_listening(), *_disk(folder), _clock()]
    return checks, is_contained


def _judged(name: str, finding: str, advice: str, *, is_good: bool) -> Check:
    """Return a check that is good, or a warning with advice."""
    if is_good:
        return Check(
            name=name,
            state="ok",
            found=finding,
        )
    return Check(
        name=name,
        state="warning",
        found=finding,
        advice=advice,
    )


def _sandbox(containment: Containment) -> tuple[Check, bool]:
    """Check by a probe what bots can reach; return also whether the sandbox holds."""
    kind = containment.way
    why = containment.why_no_sandbox
    install = "install bubblewrap (apt install bubblewrap)"
    if "does not work" in why:
        install = (
            "let users make namespaces "
            "(sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces=10000)"
        )
    if kind == "none":
        advice = f"launch only programs you trust, or {install}"
        return _sandbox_problem(f"nothing contains bots: {why}", advice), False
    reached, how = trio.run(_probe, containment)
    if "arena" not in reached:
        finding = f"a program in {kind} did not reach the arena: {how}"
        return _sandbox_problem(finding, "see docs/containment.md"), True
    reached.discard("arena")
    if kind == "landlock":
        reached.discard("network")  # it does not keep bots from the network
    if reached:
        finding = f"a program in {kind} reached {' and '.join(sorted(reached))} of yours"
        return _sandbox_problem(finding, "launch only programs you trust"), False
    if kind == "bubblewrap":
        finding = f"whole, by bubblewrap: {containment.promises()}"
        return Check(
            name="sandbox",
            state="ok",
            found=finding,
        ), True
    kept = "your files, not from the network"
    if kind == "landlock_filter":
        kept = "your files and the network"
    finding = (
        f"partly: Landlock {containment.landlock} keeps bots from {kept}; "
        f"{why}; not kept: {containment.gaps()}"
    )
    advice = f"{install} for a whole one"
    return Check(
        name="sandbox",
        state="warning",
        found=finding,
        advice=advice,
    ), True


def _sandbox_problem(finding: str, advice: str) -> Check:
    return Check(
        name="sandbox",
        state="problem",
        found=finding,
        advice=advice,
    )


async def _probe(containment: Containment) -> tuple[set[str], str]:
    """Return the words that the probe printed, and how it ended."""
    with private_folder() as folder, socket.create_server(("127.0.0.1", 0)) as listener:
        (folder / "private").touch(mode=0o600)
        program = PROBE.format(file=str(folder / "private"), address=listener.getsockname())
        command = BotCommand(words=(sys.executable, "-c", program), directory=Path.cwd())
        async with launched(command, containment, name="probe") as alone:
            with trio.move_on_after(PROBE_SECONDS):
                await alone.has_ended.wait()
        how = "it did not end"
        if alone.how is not None:
            how = f"it {say(alone.how.reason)}"
        last_words = alone.stderr.split()[-20:]
        return set(alone.stdout.split()), " ".join([how, *last_words])


def _limits(containment: Containment) -> Check:
    finding = f"{containment.limits_in_words()}; [limits] of a tournament file gives others"
    advice = "run arenas for strangers on Linux"
    return _judged("limits", finding, advice, is_good=containment.measures)


def _groups(containment: Containment) -> Check:
    """Check whether control groups can limit bots."""
    if not containment.measures:
        return Check(
            name="control groups",
            state="warning",
            found=(
                "this system does not tell what programs use: memory and processes are not limited"
            ),
            advice="run arenas for strangers on Linux",
        )
    finding = "none can be made here: limits hold by measuring 10 times a second"
    if containment.groups:
        finding = "each bot gets one of its own"
    advice = "start arenas by systemd-run --user --scope -p Delegate=yes"
    return _judged("control groups", finding, advice, is_good=bool(containment.groups))


def _files() -> Check:
    """Check whether enough files may be open."""
    plan = Plan(tournament=TournamentSection(at_once=MOST_AT_ONCE))
    needed = OF_THE_ARENA + room_for(plan).files
    allowed = allow_files(needed)
    finding = f"{allowed}, enough for {MOST_AT_ONCE} matches at once"
    if allowed < needed:
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        finding = f"at most {hard}; {MOST_AT_ONCE} matches at once may need {needed}"
    advice = "raise it (ulimit -Hn), or lower at_once"
    return _judged("open files", finding, advice, is_good=allowed >= needed)


def _listening() -> Iterator[Check]:
    """Check that programs can connect to the arena."""
    with private_folder() as folder:
        tcp = NetAddress(
            kind="tcp",
            host="127.0.0.1",
            port=0,
        )
        yield _connecting("loopback port", tcp, "look at the firewall and at containers")
        unix = UnixAddress(path=folder / SOCKET)
        yield _connecting("Unix socket", unix, "set TMPDIR to a local folder")


def _connecting(name: str, address: NetAddress | UnixAddress, advice: str) -> Check:
    """Try whether a bot can connect to an address."""
    try:
        with open_listener(address) as listener, socket.socket(listener.family) as bot:
            bot.connect(listener.getsockname())
    except (ListenError, OSError) as error:
        finding = f"bots cannot connect: {error}"
        return Check(
            name=name,
            state="problem",
            found=finding,
            advice=advice,
        )
    return Check(
        name=name,
        state="ok",
        found="bots can connect",
    )


def _disk(folder: Path) -> Iterator[Check]:
    """Check the room on the disk, and how long a write to it takes."""
    free = shutil.disk_usage(folder).free >> 20
    advice = "make room, or write runs elsewhere (--out)"
    yield _judged("disk space", f"{free} MiB free in {folder}", advice, is_good=free >= FREE_MIB)
    try:
        with tempfile.NamedTemporaryFile(dir=folder) as file:
            write_all(file.fileno(), bytes(4096))
            took_ms = _timed_ms(lambda: os.fsync(file.fileno()))
    except OSError as error:
        yield Check(
            name="fsync",
            state="problem",
            found=f"nothing can be written to {folder}: {error.strerror}",
            advice="write runs elsewhere (--out)",
        )
        return
    advice = "write runs to a local disk (--out): every result waits for it"
    yield _judged("fsync", f"{took_ms:.1f} ms for one", advice, is_good=took_ms <= SYNC_MS)


def _clock() -> Check:
    """Check how late the machine wakes a process that sleeps."""
    resolution = time.get_clock_info("perf_counter").resolution
    late_ms = []
    for _ in range(SLEEPS):
        took_ms = _timed_ms(lambda: time.sleep(SLEEP_MS / 1000))
        late_ms.append(took_ms - SLEEP_MS)
    worst_ms = max(late_ms)
    late = f"{statistics.median(late_ms):.1f} ms late, at worst {worst_ms:.1f} ms"
    finding = f"a tick is {resolution * 1e9:.0f} ns; a sleep of {SLEEP_MS} ms wakes {late}"
    advice = "give the arena a machine with less other work, and bots a longer delay_ms"
    return _judged("clock", finding, advice, is_good=worst_ms <= LATE_MS)


def _timed_ms(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return 1000 * (time.perf_counter() - began)
