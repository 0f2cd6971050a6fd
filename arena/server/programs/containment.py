"""Containment of launched bots: the limits of a run, how they are kept, and words for both."""

import functools
import os
import shutil
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from arena.records.facts import Way
from arena.server.io.operator_log import Log
from arena.server.programs import cgroups, family, landlock, syscall_filter
from arena.server.programs.bot_command import BotCommand, command_of, folder_of, named_by
from arena.server.programs.folder_walk import SETTLE_SECONDS
from arena.server.programs.readable import (
    BUBBLEWRAP,
    LANDLOCK,
    RUNS,
    FileView,
    HiddenPlaces,
    Readable,
    folder_problems,
    reads_problems,
)
from arena.server.programs.runtimes import program_path
from arena.server.programs.system_files import is_broad, real_places, system_files
from arena.server.setup.bot_section import BotSection
from arena.server.setup.credentials import secret_files
from arena.server.setup.tournament_file import LimitsSection, Plan
from arena.words import Said, SaidError, quoted

MIB: Final = 1 << 20
PASSED_ON: Final = ("PATH", "LANG", "HOME")
"""Variables of the arena's own environment that a bot gets; contained, it has another home."""
DEVICES: Final = ("null", "zero", "full", "random", "urandom", "tty")
PROBE_SECONDS: Final = 10
WRAPPERS: Final = 2
"""Processes of bubblewrap above the program: itself, and the first one of the new namespace."""
USER: Final = "65533"
"""The user and group that a bot seems to be: a number that no system gives to a user."""
TEMPORARY: Final = "/tmp"  # noqa: S108 - the bot's own, kept in memory
"""The one folder a bot may write to: its home, and for temporary files."""
FURTHER: Final = ("--disable-userns",)
"""Keeps programs from making a sandbox inside, where they could mount folders out of sight.

A bubblewrap before 0.8 does not know this option, and on some systems it does not work.
"""
OWN_PROC: Final = ("--proc", "/proc")
EMPTY_PROC: Final = ("--tmpfs", "/proc", "--remount-ro", "/proc")
"""In the place of `OWN_PROC` where the system lets no program mount one: a part of its own /proc is
covered, as in a container, or in a service with `ProtectKernelTunables=yes`."""
NO_PROC: Final = (
    "their /proc is empty, since this system lets bubblewrap mount none (a container, or a service "
    "with ProtectKernelTunables=yes): the JVM and other runtimes that read it may fail"
)
MADE_UP: Final = Path(__file__).with_name("made_up")
"""The folder of the files that replace those of the same names in /etc."""


class SandboxError(SaidError):
    """There is no working sandbox here; says why and what to do."""


def in_sandbox(
    bwrap: Sequence[str],
    command: BotCommand,
    readable: Readable,
    *,
    shared: Sequence[Path],
    file_mib: int,
) -> list[str]:
    """Return the command line that runs a command in the sandbox.

    `bwrap` is the program with the options that work here (`find_bwrap`). The root of its files
    holds only the `readable` paths, the arena's Unix sockets in `shared`, its own /tmp, /proc of
    its own processes, or none of them, and the few devices that programs need. Each folder that it
    may write to has room for `file_mib`, is kept in memory and ends with it. It has no network and
    its own user. Covered paths cannot be opened. The folder where the command begins is empty
    unless it is readable.
    """
    begins = str(command.directory.resolve())
    empty = ("--size", str(file_mib * MIB), "--tmpfs")
    words = [
        *bwrap,
        *("--unshare-all", "--unshare-user", "--uid", USER, "--gid", USER),
        *("--die-with-parent", "--cap-drop", "ALL", "--hostname", "sandbox"),
        *("--dev", "/dev"),
        *(*empty, "/dev/shm"),  # noqa: S108 - its own memory, not shared with other programs
        *(*empty, TEMPORARY),
    ]
    for path in readable.paths:
        words += _mount(path)
    for path in readable.covered:
        words += _cover(path)
    for path in sorted(MADE_UP.iterdir()):
        words += ("--ro-bind", str(path), f"/etc/{path.name}")
    for path in shared:
        words += ("--ro-bind", str(path), str(path))
    words += ("--dir", begins, "--chdir", begins)
    words += ("--remount-ro", "/dev", "--remount-ro", "/")  # bubblewrap leaves both writable
    return [*words, "--", *command.words]


def _mount(path: Path) -> list[str]:
    """Return the options that show a path, unless it is gone by now."""
    if path.is_symlink():
        return ["--symlink", str(path.readlink()), str(path)]
    return ["--ro-bind-try", str(path), str(path)]


def _cover(path: Path) -> list[str]:
    """Return the options that cover a path within a folder that is shown; none if it is missing.

    A covered folder is empty and can be entered, so that a program may begin in it. A covered file
    cannot be opened: devices have no effect in the sandbox but for those in its own /dev.
    """
    if path.is_symlink():
        return []  # the bot sees nothing through it
    if path.is_dir():
        return ["--perms", "0111", "--tmpfs", str(path), "--remount-ro", str(path)]
    if not path.exists():
        return []
    return ["--ro-bind", os.devnull, str(path)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Containment:
    """The limits of launched programs, and the means that contain them, if there are some."""

    limits: LimitsSection
    bwrap: tuple[str, ...] = ()
    """A bubblewrap with the options that work here (`find_bwrap`); empty if there is none."""
    landlock: int = 0
    """The version of Landlock that contains them in place of a sandbox; 0 if it does not."""
    has_filter: bool = False
    """True if a filter of system calls helps Landlock."""
    why_no_sandbox: str = ""
    measures: bool = family.HAS_PROC
    """True if a supervisor can find and measure all processes of a program on this system."""
    groups: str = ""
    """The folder in which a control group can be made for each program; empty if there is none."""
    kept: HiddenPlaces = field(default_factory=HiddenPlaces)
    """The places that no bot may read."""
    others: Callable[[], tuple[Path, ...]] = field(default=tuple, repr=False, compare=False)
    """Returns the places of all runs that are open now."""
    _views: dict[BotCommand, FileView] = field(default_factory=dict, repr=False, compare=False)
    """The view of each command."""
    _shown: list[Readable] = field(default_factory=list, repr=False, compare=False)
    """The readable paths of each program that runs."""

    @property
    def way(self) -> Way:
        """The name of the means that contains them, for the record."""
        if self.bwrap:
            return "bubblewrap"
        if not self.landlock:
            return "none"
        if self.has_filter and self.landlock >= landlock.ABI_SCOPES:
            return "landlock_filter"
        return "landlock"

    def readable(self, command: BotCommand) -> Readable:
        """Return what the program of a command may read if it is started now.

        The place of runs is made if it has to be covered: a missing folder cannot be covered.
        """
        view = self._views.get(command)
        kept = self.kept.and_also(self.others())
        if view is None or view.kept != kept:
            means = BUBBLEWRAP if self.bwrap else LANDLOCK
            view = FileView(command, kept, means)
            self._views[command] = view
        readable = view.look()
        runs = self.kept.runs
        if runs in readable.covered and not runs.exists():
            with suppress(OSError):  # if this arena cannot make it, no other arena can
                runs.mkdir()
                time.sleep(SETTLE_SECONDS)  # once: else each start would read the folder again
                readable = view.look()
        return readable

    @contextmanager
    def shown_to(self, command: BotCommand) -> Iterator[None]:
        """Remember what a program of this command may read while it runs."""
        shown = Readable(paths=())
        if self.way != "none":
            shown = self.readable(command)
        self._shown.append(shown)
        try:
            yield
        finally:
            self._shown.remove(shown)

    def shown_of(self, place: Path) -> Path | None:
        """Return a path by which a program that runs may read this place; None if there is none."""
        place_and_above = {place, *place.parents}
        for readable in self._shown:
            if not place_and_above.isdisjoint(readable.covered):
                continue
            for path in readable.paths:
                if path in place_and_above:
                    return path
        return None

    def launch(
        self, command: BotCommand, *, shared: Sequence[Path], scratch: Path | None = None
    ) -> tuple[list[str], dict[str, str]]:
        """Return the words of a program's supervisor and the environment of both, for one start.

        `shared` are the arena's Unix sockets it may use. `scratch` is its own folder if Landlock
        contains it; the supervisor removes it.
        """
        limits = self.limits
        most = (
            limits.memory_mib,
            limits.cpu_ms,
            limits.processes,
            limits.open_files,
            limits.file_mib,
        )
        environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        home = str(scratch or TEMPORARY)
        words = list(command.words)
        wrappers = 0
        rules: list[str] = []
        if self.bwrap:
            readable = self.readable(command)
            words = in_sandbox(
                self.bwrap, command, readable, shared=shared, file_mib=limits.file_mib
            )
            wrappers = WRAPPERS
        elif scratch is not None:
            rules = self._rules(self.readable(command).paths, scratch)
            program = program_path(words[0], command.directory)
            if program is not None:  # Python would read hidden folders to look for it
                words[0] = str(program)
        if self.way != "none":
            environment |= {"HOME": home, "TMPDIR": home}
        settings = (
            *most,
            int(limits.pondering),
            -1,
            self.groups,
            wrappers,
            len(rules),
        )
        return [*map(str, settings), *rules, *words], environment

    def _rules(
        self,
        readable: Sequence[Path],
        scratch: Path,
    ) -> list[str]:
        """Return the rules of Landlock; Python finds modules only in folders that it can list."""
        shown = [path for path in readable if not path.is_symlink()]
        folders = sorted({path.parent for path in shown})
        rules = [f"r{path}" for path in shown]
        rules += [f"l{folder}" for folder in folders if not is_broad(folder)]
        rules += ["r/proc", f"w{scratch}"]
        rules += [f"d/dev/{name}" for name in DEVICES]
        return rules

    def log_to(
        self,
        log: Log,
        launched: Sequence[BotSection],
        directory: Path,
    ) -> None:
        """Tell the operator which limits hold; warn if the sandbox of the plan is missing.

        The arena was started in `directory`.
        """
        is_as_planned = bool(self.bwrap) or self.limits.sandbox == "off"
        say = log.info if is_as_planned else log.warning
        say(
            "containment",
            words=f"{self.limits_in_words()}; {self.promises()}",
            contained_by=self.way,
            measures=self.measures,
            wanted=self.limits.sandbox,
        )
        secrets = [str(path) for path in self.kept.paths if path.is_file()]
        if secrets and self.way == "none":
            log.warning("secrets_in_reach", files=secrets)
        for about, note in self.notes(launched, directory):
            log.info("bots_may_read", name=about, words=note)

    def limits_in_words(self) -> str:
        """Describe which limits hold for launched bots and which do not, for the operator."""
        limits = self.limits
        cpu = f"{limits.cpu_ms / 1000:g} s of CPU time"
        files = (
            f"{limits.open_files} open files and files of {limits.file_mib} MiB each "
            "for every process"
        )
        if not self.measures:
            return (
                f"launched bots are limited to {cpu}, {files}; NOT LIMITED on this system: memory "
                "and the number of processes; a child that leaves its process group is not found"
            )
        text = (
            f"launched bots are limited to {limits.memory_mib} MiB of memory, "
            f"{limits.processes} processes and {cpu} with all they start; {files}"
        )
        if self.groups:
            text += "; control groups see to it"
        return text

    def promises(self) -> str:
        """Describe from what launched bots are kept and from what not, for the operator."""
        if self.bwrap:
            promises = (
                "no network, nothing to read but the system's programs and libraries, "
                "what runs them and their own folder, nothing to write to "
                f"but {self.limits.file_mib} MiB in /tmp"
            )
            if set(EMPTY_PROC).issubset(self.bwrap):
                promises += f"; {NO_PROC}"
            return promises
        if not self.landlock:
            return (
                f"NO SANDBOX ({self.why_no_sandbox}): they can use the network, read and write "
                "what you can, and end your processes; launch only programs you trust"
            )
        return (
            f"NO SANDBOX ({self.why_no_sandbox}), but Landlock {self.landlock}: they open no files "
            "but the system's programs and libraries, what runs them, their own folder, /proc and "
            "a folder for temporary files of their own; "
            f"NOT KEPT from them: {self.gaps()}; launch only programs you trust"
        )

    def gaps(self) -> str:
        """Describe what launched bots can still do under Landlock."""
        open_to_bots = [
            "Unix sockets of other programs",
            "names, sizes and times of files",
            "command lines of processes",
        ]
        if not self.has_filter:
            open_to_bots.append(
                "the network, modes and times of your files, limits of your processes"
            )
        if self.landlock < landlock.ABI_SCOPES:
            open_to_bots.append("abstract sockets, ending your processes")
        if self.landlock < landlock.ABI_TRUNCATE:
            open_to_bots.append("emptying files you can write")
        return ", ".join(open_to_bots)

    def notes(
        self,
        bots: Sequence[BotSection],
        directory: Path,
    ) -> Iterator[tuple[str, Said]]:
        """Yield notes for the operator on what bots may read: the bot or folder, and a sentence."""
        if self.way == "none":
            return
        paths_by_folder: dict[Path, set[tuple[Path, ...]]] = defaultdict(set)
        for bot in bots:
            command = command_of(bot, directory)
            for note in self.readable(command).notes:
                yield bot.entrant, Said("reads.note", {"name": bot.name, "note": note})
            paths = named_by(command).bot_paths
            for folder in set(map(folder_of, paths)):
                paths_by_folder[folder].add(paths)
        for folder in sorted(paths_by_folder, key=str):
            if len(paths_by_folder[folder]) > 1:
                yield str(folder), Said("reads.shared", {"folder": str(folder)})


def find_containment(
    plan: Plan,
    *,
    hidden: Sequence[Path],
    directory: Path,
    others: Callable[[], tuple[Path, ...]] = tuple,
) -> Containment:
    """Find the best containment that the plan allows. Raises `SandboxError`.

    That is for a plan that requires a sandbox on a system without one.

    `hidden` are the `places_of_run` of this run, and `others` gives those of all runs in the venue.
    `directory` is where the arena was started: names of files in the plan are relative to it.
    """
    limits = plan.limits
    bare = Containment(
        limits=limits,
        groups=_groups(),
        kept=_kept(plan, hidden, directory),
        others=others,
    )
    if limits.sandbox == "off":
        return replace(bare, why_no_sandbox='[limits] sandbox = "off"')
    try:
        bwrap = find_bwrap()
    except SandboxError as error:
        if limits.sandbox == "require":
            raise
        abi = landlock.version()
        has_filter = abi > 0 and syscall_filter.is_there()
        return replace(bare, landlock=abi, has_filter=has_filter, why_no_sandbox=str(error))
    return replace(bare, bwrap=bwrap)


_groups = functools.cache(cgroups.find_base)
"""The folder for control groups, found once per process: the search may move the process."""


def _kept(
    plan: Plan,
    hidden: Sequence[Path],
    directory: Path,
) -> HiddenPlaces:
    """Return the places that no bot of the plan may read."""
    runs = (directory / RUNS).resolve()
    paths = [*hidden, runs, *(directory / name for name in secret_files(plan))]
    bot_paths: set[Path] = set()
    for bot in plan.bot:
        if not bot.remote:
            named = named_by(command_of(bot, directory))
            bot_paths.update(path.resolve() for path in named.bot_paths)
    return HiddenPlaces(
        paths=tuple(real_places(paths)),
        bots=frozenset(bot_paths),
        runs=runs,
    )


def sandbox_problems(
    plan: Plan,
    directory: Path,
    hidden: Sequence[Path] = (),
) -> list[Said]:
    """Return why launched bots cannot be contained as planned, before anything begins.

    `hidden` are the places of this run.
    """
    kept = _kept(plan, hidden, directory)
    problems = []
    for bot in plan.bot:
        problems_of_bot = list(reads_problems(bot.reads, directory, kept))
        if bot.folder is not None:
            problems_of_bot += folder_problems(bot.folder, directory, kept)
        for problem in problems_of_bot:
            values = {"name": bot.name, "problem": problem}
            problems.append(Said("plan.of_bot", values))
    if plan.limits.sandbox == "require":
        try:
            find_bwrap()
        except SandboxError as error:
            problems.append(Said("sandbox.required", {"problem": error.said}))
    return problems


@functools.cache
def find_bwrap() -> tuple[str, ...]:
    """Return a bubblewrap that works here, with its strictest options. Raises `SandboxError`.

    It is tried once per process. `FURTHER` options are left out only if it works without them, and
    /proc is empty only if it works with none.
    """
    path = shutil.which("bwrap")
    if path is None:
        raise SandboxError(Said("sandbox.not_installed"))
    command = BotCommand(words=("true",), directory=Path("/"))
    readable = Readable(paths=system_files())
    reason = ""
    for options in ((*FURTHER, *OWN_PROC), OWN_PROC, (*FURTHER, *EMPTY_PROC), EMPTY_PROC):
        bwrap = (path, *options)
        line = in_sandbox(bwrap, command, readable, shared=(), file_mib=1)
        try:
            probe = subprocess.run(  # noqa: S603 - bubblewrap around `true`
                line,
                capture_output=True,
                text=True,
                timeout=PROBE_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            broken = Said("sandbox.broken", {"error": quoted(str(error))})
            raise SandboxError(broken) from error
        if probe.returncode == 0:
            return bwrap
        reason = probe.stderr.strip() or f"exit status {probe.returncode}"
    raise SandboxError(Said("sandbox.broken", {"error": quoted(reason)}))
