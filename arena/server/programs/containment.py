"""How launched bots are contained: which limits a run keeps, by what means, and the words that say so."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.server.io.operator_log import Log
from arena.server.programs import supervisor
from arena.server.programs.sandbox import WRAPPERS, Sandbox, SandboxError, find_bwrap
from arena.server.setup.tournament_file import LimitsSection, Plan

SUPERVISOR: Final = Path(supervisor.__file__)
MIB: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Containment:
    """The limits of launched programs, and the sandbox they run in if there is one."""

    limits: LimitsSection
    sandbox: Sandbox | None
    why_no_sandbox: str = ""
    measures: bool = supervisor.HAS_PROC
    """Whether this system lets a supervisor measure what a program has started, and find all of it."""

    def command_line(self, command: Sequence[str], *, directory: Path, shared: Sequence[Path]) -> list[str]:
        """The supervisor's command line for a program that begins in `directory`; see `Sandbox.wrap` for `shared`."""
        limits = self.limits
        numbers = (limits.memory_mib, limits.cpu_ms, limits.processes, limits.open_files, limits.file_mib)
        wrappers = 0
        if self.sandbox is not None:
            command = self.sandbox.wrap(command, directory=directory, shared=shared)
            wrappers = WRAPPERS
        # -I and -S: nothing of the environment or of the bot's folder gets into the supervisor, and it starts sooner.
        return [sys.executable, "-I", "-S", str(SUPERVISOR), *map(str, numbers), str(wrappers), *command]

    def log_to(self, log: Log) -> None:
        """Tell the operator; a sandbox that was wanted and is not to be had is a warning."""
        say = log.info if self.sandbox is not None or self.limits.sandbox == "off" else log.warning
        say("containment", words=self.describe(), sandbox=self.sandbox is not None, measures=self.measures)

    def describe(self) -> str:
        """Which limits hold for launched bots and which do not, for the operator."""
        limits = self.limits
        cpu = f"{limits.cpu_ms / 1000:g} s of CPU time"
        kept = f"{limits.open_files} open files and files of {limits.file_mib} MiB each for every process"
        if self.measures:
            together = f"{limits.memory_mib} MiB of memory, {limits.processes} processes and {cpu} with all they start"
            text = f"launched bots are limited to {together}; {kept}"
        else:
            text = (
                f"launched bots are limited to {cpu}, {kept}; NOT LIMITED on this system: memory and the number of "
                "processes; a child that leaves its process group is not found"
            )
        if self.sandbox is not None:
            return f"{text}; sandbox: no network, nothing to write to but {limits.file_mib} MiB in /tmp"
        return (
            f"{text}; NO SANDBOX ({self.why_no_sandbox}): they can use the network, read and write what you can, and "
            "end your processes; launch only programs you trust"
        )


def find_containment(plan: Plan, *, hidden: Sequence[Path], directory: Path) -> Containment:
    """What can be had of what the plan asks for; raises `SandboxError` if it requires a sandbox and there is none.

    `hidden` are folders that no bot may see: that of the run. `directory` is where commands begin and the operator's
    own secrets lie.
    """
    limits = plan.limits
    if limits.sandbox == "off":
        return Containment(limits=limits, sandbox=None, why_no_sandbox='[limits] sandbox = "off"')
    try:
        bwrap = find_bwrap()
    except SandboxError as error:
        if limits.sandbox == "require":
            raise
        return Containment(limits=limits, sandbox=None, why_no_sandbox=str(error))
    secrets = [plan.listen.key, *(bot.token_file for bot in plan.bot)]
    blank = tuple(directory / name for name in secrets if name is not None)
    sandbox = Sandbox(bwrap=bwrap, scratch_bytes=limits.file_mib * MIB, hidden=tuple(hidden), blank=blank)
    return Containment(limits=limits, sandbox=sandbox)


def sandbox_problems(plan: Plan) -> list[str]:
    """Whether the plan requires a sandbox where there is none; an operator's mistake, told before anything begins."""
    if plan.limits.sandbox != "require":
        return []
    try:
        find_bwrap()
    except SandboxError as error:
        return [f'[limits] sandbox = "require": {error}; install bubblewrap, or use "auto" or "off"']
    return []
