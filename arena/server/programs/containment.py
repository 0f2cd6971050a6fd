"""Containment of launched bots: which limits a run keeps, by what means, and the words that say so."""

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
    HiddenPlaces,
    Readable,
    View,
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
"""What a bot gets of the arena's own environment; contained, it has another home."""
DEVICES: Final = ("null", "zero", "full", "random", "urandom", "tty")
PROBE_SECONDS: Final = 10
WRAPPERS: Final = 2
"""How many processes of bubblewrap stand above the program: itself, and the first process of the
new namespace."""
USER: Final = "65533"
"""The number of the user, and of his group, that a bot seems to be; made up, and no system gives it
to anybody."""
TEMPORARY: Final = "/tmp"  # noqa: S108 - the bot's own, kept in memory
"""The one folder a bot may write to: its home, and for temporary files."""
FURTHER: Final = ("--disable-userns",)
"""Keeps programs from making a sandbox of their own in it, where they could mount what nobody
measures.

A bubblewrap before 0.8 does not know it, and with some systems it does not work.
"""
MADE_UP: Final = Path(__file__).with_name("made_up")
"""The folder of the files that stand in place of those of the same names in /etc."""


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

    The root of its files is empty but for what is `readable`, the arena's Unix sockets in `shared`,
    an own /tmp, /proc of its own processes and the few devices that every program needs. There is
    room for `file_mib` in each of the folders it may write to, which are kept in memory and end
    with it. It has no network and a user of its own. What is covered cannot be opened. Where the
    command begins is empty unless it is readable.
    """
    begins = command.directory.resolve()
    empty = ("--size", str(file_mib * MIB), "--tmpfs")
    return [
        *bwrap,
        *("--unshare-all", "--unshare-user", "--uid", USER, "--gid", USER),
        *("--die-with-parent", "--cap-drop", "ALL", "--hostname", "sandbox"),
        *("--proc", "/proc", "--dev", "/dev"),
        *(*empty, "/dev/shm"),  # noqa: S108 - a memory of its own instead of everybody's
        *(*empty, TEMPORARY),
        *(word for path in readable.paths for word in _mount(path)),
        *(word for path in readable.covered for word in _cover(path)),
        *(
            word
            for path in sorted(MADE_UP.iterdir())
            for word in ("--ro-bind", str(path), f"/etc/{path.name}")
        ),
        *(word for path in shared for word in ("--ro-bind", str(path), str(path))),
        *("--dir", str(begins), "--chdir", str(begins)),
        *(
            "--remount-ro",
            "/dev",
            "--remount-ro",
            "/",
        ),  # bubblewrap makes both, and leaves them to be written
        *("--", *command.words),
    ]


def _mount(path: Path) -> list[str]:
    """Return the options that show a path; one that is gone since it was found is passed over."""
    if path.is_symlink():
        return ["--symlink", str(path.readlink()), str(path)]
    return ["--ro-bind-try", str(path), str(path)]


def _cover(path: Path) -> list[str]:
    """Return the options that cover a path within a folder that is shown; none if it is not there.

    A covered folder is empty and can be entered, so that a program may begin in it. A covered file
    cannot be opened: devices have no effect in the sandbox but for those in its own /dev.
    """
    if path.is_symlink():
        return []  # where it leads the bot sees nothing
    if path.is_dir():
        return ["--perms", "0111", "--tmpfs", str(path), "--remount-ro", str(path)]
    return ["--ro-bind", os.devnull, str(path)] if path.exists() else []


@dataclass(frozen=True, slots=True, kw_only=True)
class Containment:
    """The limits of launched programs, and what keeps them from everything else if there is such a thing."""

    limits: LimitsSection
    bwrap: tuple[str, ...] = ()
    """A bubblewrap that works, and `FURTHER` if it takes it; empty if there is none."""
    landlock: int = 0
    """The version of Landlock that contains them in place of a sandbox; 0 if it does not."""
    has_filter: bool = False
    """Whether a filter of system calls helps Landlock."""
    why_no_sandbox: str = ""
    measures: bool = family.HAS_PROC
    """Whether this system lets a supervisor measure what a program has started, and find all of it."""
    groups: str = ""
    """The folder in which a control group can be made for each program; empty if there is none."""
    kept: HiddenPlaces = field(default_factory=HiddenPlaces)
    """What no bot may read."""
    others: Callable[[], tuple[Path, ...]] = field(default=tuple, repr=False, compare=False)
    """Gives the places of all runs that are open, as they come and go."""
    _views: dict[BotCommand, View] = field(default_factory=dict, repr=False, compare=False)
    """What each command may read."""
    _shown: list[Readable] = field(default_factory=list, repr=False, compare=False)
    """What each program may read that runs."""

    @property
    def way(self) -> Way:
        """The name of what contains them, for the record."""
        if self.bwrap:
            return "bubblewrap"
        if not self.landlock:
            return "none"
        return (
            "landlock_filter"
            if self.has_filter and self.landlock >= landlock.ABI_SCOPES
            else "landlock"
        )

    def readable(self, command: BotCommand) -> Readable:
        """Return what the program of a command may read if it is started now.

        The place of runs is made if it is to be covered: what is not there cannot be.
        """
        view = self._views.get(command)
        kept = self.kept.and_also(self.others())
        if view is None or view.kept != kept:
            means = BUBBLEWRAP if self.bwrap else LANDLOCK
            view = self._views[command] = View(command, kept, means)
        readable = view.look()
        runs = self.kept.runs
        if runs in readable.covered and not runs.exists():
            with suppress(OSError):  # what this arena cannot make, another one cannot either
                runs.mkdir()
                time.sleep(
                    SETTLE_SECONDS
                )  # once: else the folder would be read again at the next start
                readable = view.look()
        return readable

    @contextmanager
    def shown_to(self, command: BotCommand) -> Iterator[None]:
        """Keep in mind, while a program of this command runs, what it may read."""
        shown = Readable(paths=()) if self.way == "none" else self.readable(command)
        self._shown.append(shown)
        try:
            yield
        finally:
            self._shown.remove(shown)

    def shown_of(self, place: Path) -> Path | None:
        """Return a path by which a program that runs may read this place; None if there is none."""
        for readable in self._shown:
            above = {place, *place.parents}
            if above.isdisjoint(readable.covered):
                for path in readable.paths:
                    if path in above:
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
        wrappers, rules, words = 0, list[str](), list(command.words)
        if self.bwrap:
            readable = self.readable(command)
            words = in_sandbox(
                self.bwrap, command, readable, shared=shared, file_mib=limits.file_mib
            )
            wrappers = WRAPPERS
        elif scratch is not None:
            rules = self._rules(self.readable(command).paths, scratch)
            program = program_path(words[0], command.directory)
            if program is not None:  # to look for it, Python reads what the rules do not allow
                words[0] = str(program)
        if self.way != "none":
            environment |= {"HOME": home, "TMPDIR": home}
        settings = map(str, (*most, int(limits.pondering), -1, self.groups, wrappers, len(rules)))
        return [*settings, *rules, *words], environment

    def _rules(
        self,
        readable: Sequence[Path],
        scratch: Path,
    ) -> list[str]:
        """The rules of Landlock for a program; Python finds modules only in folders that it can list."""
        shown = [path for path in readable if not path.is_symlink()]
        listed = [
            folder for folder in sorted({path.parent for path in shown}) if not is_broad(folder)
        ]
        rules = [*(f"r{path}" for path in shown), *(f"l{folder}" for folder in listed)]
        return [*rules, "r/proc", f"w{scratch}", *(f"d/dev/{name}" for name in DEVICES)]

    def log_to(
        self,
        log: Log,
        launched: Sequence[BotSection],
        directory: Path,
    ) -> None:
        """Tell the operator what holds; a sandbox that was wanted and is not to be had is a warning.

        The arena was started in `directory`.
        """
        say = log.info if self.bwrap or self.limits.sandbox == "off" else log.warning
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
        kept = f"{limits.open_files} open files and files of {limits.file_mib} MiB each for every process"
        if self.measures:
            together = f"{limits.memory_mib} MiB of memory, {limits.processes} processes and {cpu} with all they start"
            text = f"launched bots are limited to {together}; {kept}"
            return f"{text}; control groups see to it" if self.groups else text
        return (
            f"launched bots are limited to {cpu}, {kept}; NOT LIMITED on this system: memory and the number of "
            "processes; a child that leaves its process group is not found"
        )

    def promises(self) -> str:
        """Describe what launched bots are kept from and what they are not, for the operator."""
        if self.bwrap:
            return (
                "no network, nothing to read but the system's programs and libraries, what runs them and "
                f"their own folder, nothing to write to but {self.limits.file_mib} MiB in /tmp"
            )
        if not self.landlock:
            return (
                f"NO SANDBOX ({self.why_no_sandbox}): they can use the network, read and write what you can, and "
                "end your processes; launch only programs you trust"
            )
        return (
            f"NO SANDBOX ({self.why_no_sandbox}), but Landlock {self.landlock}: they open no files but the system's "
            "programs and libraries, what runs them, their own folder, /proc and a folder for temporary files of "
            f"their own; NOT KEPT from them: {self.gaps()}; launch only programs you trust"
        )

    def gaps(self) -> str:
        """Describe what Landlock does not keep from launched bots."""
        open_to_bots = [
            "Unix sockets of other programs, names, sizes and times of files, command lines of processes"
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
        """Yield what an operator should know of what launched bots may read: the bot or folder, and a sentence."""
        if self.way == "none":
            return
        programs: dict[Path, set[tuple[Path, ...]]] = defaultdict(set)
        for bot in bots:
            command = command_of(bot, directory)
            for note in self.readable(command).notes:
                yield bot.entrant, Said("reads.note", {"name": bot.name, "note": note})
            paths = named_by(command).bot_paths
            for folder in set(map(folder_of, paths)):
                programs[folder].add(paths)
        for folder in sorted(programs, key=str):
            if len(programs[folder]) > 1:
                yield str(folder), Said("reads.shared", {"folder": str(folder)})


def find_containment(
    plan: Plan,
    *,
    hidden: Sequence[Path],
    directory: Path,
    others: Callable[[], tuple[Path, ...]] = tuple,
) -> Containment:
    """Find as much of the plan's containment as there is; raises `SandboxError` if it requires a sandbox and has none.

    `hidden` are the `places_of_run` of this run, and `others` gives those of all runs in the venue.
    `directory` is where the arena was started: names of files in the plan are relative to it.
    """
    limits = plan.limits
    bare = Containment(
        limits=limits, groups=_groups(), kept=_kept(plan, hidden, directory), others=others
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
"""Where control groups can be made: looked for once per process, which may be moved by it."""


def _kept(plan: Plan, hidden: Sequence[Path], directory: Path) -> HiddenPlaces:
    runs = (directory / RUNS).resolve()
    paths = [*hidden, runs, *(directory / name for name in secret_files(plan))]
    commands = [command_of(bot, directory) for bot in plan.bot if not bot.remote]
    own = [path.resolve() for command in commands for path in named_by(command).bot_paths]
    return HiddenPlaces(paths=tuple(real_places(paths)), bots=frozenset(own), runs=runs)


def sandbox_problems(
    plan: Plan,
    directory: Path,
    hidden: Sequence[Path] = (),
) -> list[Said]:
    """Return what keeps launched bots from being contained as planned; an operator's mistake, told before all begins.

    `hidden` are the places of this run.
    """
    kept = _kept(plan, hidden, directory)
    problems = []
    for bot in plan.bot:
        wrong = [*reads_problems(bot.reads, directory, kept)]
        if bot.folder is not None:
            wrong += folder_problems(bot.folder, directory, kept)
        problems += [
            Said("plan.of_bot", {"name": bot.name, "problem": problem}) for problem in wrong
        ]
    if plan.limits.sandbox == "require":
        try:
            find_bwrap()
        except SandboxError as error:
            problems.append(Said("sandbox.required", {"problem": error.said}))
    return problems


@functools.cache
def find_bwrap() -> tuple[str, ...]:
    """Return a bubblewrap that works here, with all that it can keep from programs; raises `SandboxError`.

    Tried once per process. If it does not work with the further options, they are left out only if
    it works without.
    """
    path = shutil.which("bwrap")
    if path is None:
        raise SandboxError(Said("sandbox.not_installed"))
    said = ""
    for bwrap in ((path, *FURTHER), (path,)):
        command, readable = (
            BotCommand(words=("true",), directory=Path("/")),
            Readable(paths=system_files()),
        )
        line = in_sandbox(bwrap, command, readable, shared=(), file_mib=1)
        try:
            tried = subprocess.run(  # noqa: S603 - bubblewrap around `true`
                line, capture_output=True, text=True, timeout=PROBE_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SandboxError(Said("sandbox.broken", {"error": quoted(str(error))})) from error
        if tried.returncode == 0:
            return bwrap
        said = tried.stderr.strip() or f"exit status {tried.returncode}"
    raise SandboxError(Said("sandbox.broken", {"error": quoted(said)}))
