"""The sandbox of launched bots: what bubblewrap (`bwrap`) is told, and whether it works on this machine."""

from __future__ import annotations

import functools
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.server.programs.runtime import system_files

PROBE_SECONDS: Final = 10
WRAPPERS: Final = 2
"""How many processes of bubblewrap stand above the program: itself, and the first process of the new namespace."""
USER: Final = "65533"
"""The number of the user, and of his group, that a bot seems to be; made up, and no system gives it to anybody."""
TEMPORARY: Final = "/tmp"  # noqa: S108 - the bot's own, kept in memory
"""The one folder a bot may write to: its home, and for temporary files."""
FURTHER: Final = ("--disable-userns",)
"""Keeps programs from making a sandbox of their own in it, where they could mount what nobody measures.

A bubblewrap before 0.8 does not know it, and with some systems it does not work.
"""
MADE_UP: Final = Path(__file__).with_name("made_up")
"""The folder of the files that stand in place of those of the same names in /etc."""


class SandboxError(Exception):
    """There is no working sandbox here; says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bubblewrap:
    """The program."""

    path: str
    options: tuple[str, ...] = ()
    """Those of `FURTHER` if it takes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """A working bubblewrap, and what it is told."""

    bwrap: Bubblewrap
    scratch_bytes: int
    """Room in each of the folders a bot may write to; they are kept in memory and end with the program."""

    def wrap(
        self, command: Sequence[str], *, readable: Sequence[Path], directory: Path, shared: Sequence[Path]
    ) -> list[str]:
        """The command line that runs a command in the sandbox.

        The root of its files is empty but for what is `readable`, the arena's Unix sockets in `shared`, an own /tmp of
        limited size, /proc of its own processes and the few devices that every program needs. It has no network and a
        user of its own, and begins in `directory`, which is empty unless it is readable.
        """
        begins = directory.resolve()
        return [
            self.bwrap.path,
            *("--unshare-all", "--unshare-user", "--uid", USER, "--gid", USER, *self.bwrap.options),
            *("--die-with-parent", "--cap-drop", "ALL", "--hostname", "sandbox"),
            *("--proc", "/proc", "--dev", "/dev"),
            *self._empty_folder("/dev/shm"),  # noqa: S108 - a memory of its own instead of everybody's
            *self._empty_folder(TEMPORARY),
            *(word for path in readable for word in _mount(path)),
            *(word for path in sorted(MADE_UP.iterdir()) for word in ("--ro-bind", str(path), f"/etc/{path.name}")),
            *(word for path in shared for word in ("--ro-bind", str(path), str(path))),
            *("--dir", str(begins), "--chdir", str(begins)),
            *("--remount-ro", "/dev", "--remount-ro", "/"),  # bubblewrap makes both, and leaves them to be written
            *("--", *command),
        ]

    def _empty_folder(self, path: str) -> list[str]:
        return ["--size", str(self.scratch_bytes), "--tmpfs", path]


def _mount(path: Path) -> list[str]:
    """Return the options that show a path; one that is gone since it was found is passed over."""
    if path.is_symlink():
        return ["--symlink", str(path.readlink()), str(path)]
    return ["--ro-bind-try", str(path), str(path)]


@functools.cache
def find_bwrap() -> Bubblewrap:
    """A bubblewrap that works here, with all that it can keep from programs; raises `SandboxError`.

    Tried once per process. If it does not work with the further options, they are left out only if it works without.
    """
    path = shutil.which("bwrap")
    if path is None:
        raise SandboxError("bubblewrap (bwrap) is not installed")
    found = Bubblewrap(path=path, options=FURTHER)
    tried = _try(found)
    if tried.returncode != 0:
        found = Bubblewrap(path=path)
        tried = _try(found)
    if tried.returncode != 0:
        said = tried.stderr.strip() or f"exit status {tried.returncode}"
        raise SandboxError(f"bubblewrap does not work here: {said}")
    return found


def _try(bwrap: Bubblewrap) -> subprocess.CompletedProcess[str]:
    sandbox = Sandbox(bwrap=bwrap, scratch_bytes=1 << 20)
    line = sandbox.wrap(["true"], readable=system_files(), directory=Path("/"), shared=())
    try:
        return subprocess.run(line, capture_output=True, text=True, timeout=PROBE_SECONDS, check=False)  # noqa: S603 - our own words
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxError(f"bubblewrap does not work here: {error}") from error
