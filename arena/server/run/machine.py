"""Checks of what this machine gives an arena: each thing is found by trying it, and comes with what to do about it."""

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
attempt("arena", lambda: socket.socket(socket.AF_UNIX).connect(os.environ["ARENA_ADDRESS"].removeprefix("unix:")))
attempt("files", lambda: open({file!r}))
attempt("network", lambda: socket.create_connection({address!r}))
"""
"""A program that says what it can do: it should reach the arena, and neither a file of ours nor the
network."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was tried."""

    name: str
    state: State
    found: str
    advice: str = ""
    """What to do about it; empty if there is nothing to do."""


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


def _judged(name: str, found: str, advice: str, *, is_good: bool) -> Check:
    return Check(
        name=name,
        state="ok" if is_good else "warning",
        found=found,
        advice="" if is_good else advice,
    )


def _sandbox(containment: Containment) -> tuple[Check, bool]:
    way, why = containment.way, containment.why_no_sandbox
    install = "install bubblewrap (apt install bubblewrap)"
    if "does not work" in why:
        install = "let users make namespaces (sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces=10000)"
    if way == "none":
        advice = f"launch only programs you trust, or {install}"
        return Check(
            name="sandbox",
            state="problem",
            found=f"nothing contains bots: {why}",
            advice=advice,
        ), False
    said, how = trio.run(_probe, containment)
    if "arena" not in said:
        found = f"a program in {way} did not reach the arena: {how}"
        return Check(
            name="sandbox",
            state="problem",
            found=found,
            advice="see docs/containment.md",
        ), True
    reached = said - {"arena"} - ({"network"} if way == "landlock" else set())
    if reached:
        found = f"a program in {way} reached {' and '.join(sorted(reached))} of yours"
        return Check(
            name="sandbox",
            state="problem",
            found=found,
            advice="launch only programs you trust",
        ), False
    if way == "bubblewrap":
        found = f"whole, by bubblewrap: {containment.promises()}"
        return Check(name="sandbox", state="ok", found=found), True
    kept = (
        "your files and the network"
        if way == "landlock_filter"
        else "your files, not from the network"
    )
    found = f"partly: Landlock {containment.landlock} keeps bots from {kept}; {why}; not kept: {containment.gaps()}"
    return Check(
        name="sandbox",
        state="warning",
        found=found,
        advice=f"{install} for a whole one",
    ), True


async def _probe(containment: Containment) -> tuple[set[str], str]:
    """The words that the probe printed, and how it ended."""
    with private_folder() as folder, socket.create_server(("127.0.0.1", 0)) as listener:
        (folder / "private").touch(mode=0o600)
        program = PROBE.format(file=str(folder / "private"), address=listener.getsockname())
        command = BotCommand(words=(sys.executable, "-c", program), directory=Path.cwd())
        async with launched(command, containment, name="probe") as alone:
            with trio.move_on_after(PROBE_SECONDS):
                await alone.has_ended.wait()
        how = "it did not end" if alone.how is None else f"it {say(alone.how.reason)}"
        return set(alone.stdout.split()), " ".join([how, *alone.stderr.split()[-20:]])


def _limits(containment: Containment) -> Check:
    found = f"{containment.limits_in_words()}; [limits] of a tournament file gives others"
    advice = "run arenas for strangers on Linux"
    return _judged("limits", found, advice, is_good=containment.measures)


def _groups(containment: Containment) -> Check:
    if not containment.measures:
        found = "this system does not tell what programs use: memory and processes are not limited"
        return Check(
            name="control groups",
            state="warning",
            found=found,
            advice="run arenas for strangers on Linux",
        )
    found = "none can be made here: limits hold by measuring 10 times a second"
    if containment.groups:
        found = "each bot gets one of its own"
    advice = "start arenas by systemd-run --user --scope -p Delegate=yes"
    return _judged("control groups", found, advice, is_good=bool(containment.groups))


def _files() -> Check:
    plan = Plan(tournament=TournamentSection(at_once=MOST_AT_ONCE))
    needed = OF_THE_ARENA + room_for(plan).files
    allowed = allow_files(needed)
    found = f"{allowed}, enough for {MOST_AT_ONCE} matches at once"
    if allowed < needed:
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        found = f"at most {hard}; {MOST_AT_ONCE} matches at once may need {needed}"
    return _judged(
        "open files",
        found,
        "raise it (ulimit -Hn), or lower at_once",
        is_good=allowed >= needed,
    )


def _listening() -> Iterator[Check]:
    with private_folder() as folder:
        tcp, unix = (
            NetAddress(kind="tcp", host="127.0.0.1", port=0),
            UnixAddress(path=folder / SOCKET),
        )
        for name, address in (("loopback port", tcp), ("Unix socket", unix)):
            try:
                with open_listener(address) as listener, socket.socket(listener.family) as bot:
                    bot.connect(listener.getsockname())
            except (ListenError, OSError) as error:
                advice = (
                    "look at the firewall and at containers"
                    if address is tcp
                    else "set TMPDIR to a local folder"
                )
                yield Check(
                    name=name,
                    state="problem",
                    found=f"bots cannot connect: {error}",
                    advice=advice,
                )
            else:
                yield Check(name=name, state="ok", found="bots can connect")


def _disk(folder: Path) -> Iterator[Check]:
    free = shutil.disk_usage(folder).free >> 20
    advice = "make room, or write runs elsewhere (--out)"
    yield _judged("disk space", f"{free} MiB free in {folder}", advice, is_good=free >= FREE_MIB)
    try:
        with tempfile.NamedTemporaryFile(dir=folder) as file:
            write_all(file.fileno(), bytes(4096))
            took_ms = _timed_ms(lambda: os.fsync(file.fileno()))
    except OSError as error:
        found = f"nothing can be written to {folder}: {error.strerror}"
        yield Check(
            name="fsync",
            state="problem",
            found=found,
            advice="write runs elsewhere (--out)",
        )
        return
    advice = "write runs to a local disk (--out): every result waits for it"
    yield _judged("fsync", f"{took_ms:.1f} ms for one", advice, is_good=took_ms <= SYNC_MS)


def _clock() -> Check:
    resolution = time.get_clock_info("perf_counter").resolution
    late_ms = [_timed_ms(lambda: time.sleep(SLEEP_MS / 1000)) - SLEEP_MS for _ in range(SLEEPS)]
    advice = "give the arena a machine with less other work, and bots a longer delay_ms"
    late = f"{statistics.median(late_ms):.1f} ms late, at worst {max(late_ms):.1f} ms"
    found = f"a tick is {resolution * 1e9:.0f} ns; a sleep of {SLEEP_MS} ms wakes {late}"
    return _judged("clock", found, advice, is_good=max(late_ms) <= LATE_MS)


def _timed_ms(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return 1000 * (time.perf_counter() - began)
