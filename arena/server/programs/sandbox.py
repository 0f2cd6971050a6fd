"""The sandbox of launched bots: what bubblewrap (`bwrap`) is told, and whether it works on this machine."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import arena
import protocol

PROBE_SECONDS: Final = 10
HIDDEN: Final = tuple(map(Path, ("/tmp", "/var/tmp", "/run")))  # noqa: S108 - they are hidden, not used
"""Folders in which other programs leave files and sockets; a bot gets empty ones."""
OWN: Final = tuple(Path(path).resolve() for package in (arena, protocol) for path in package.__path__)
"""The arena's own packages: bots in Python use the kit and the engine, wherever they are installed."""
WRAPPERS: Final = 2
"""How many processes of bubblewrap stand above the program: itself, and the first process of the new namespace."""


class SandboxError(Exception):
    """There is no working sandbox here; says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """A working bubblewrap, and what of this run it has to hide."""

    bwrap: str
    """Path of the program."""
    scratch_bytes: int
    """Room in each of the folders a bot may write to; they are kept in memory and end with the program."""
    hidden: tuple[Path, ...] = ()
    """Folders that a bot sees empty, beside those of every system: the run folder."""
    blank: tuple[Path, ...] = ()
    """Files that a bot sees empty: tokens of others."""

    def wrap(self, command: Sequence[str], *, directory: Path, shared: Sequence[Path]) -> list[str]:
        """The command line that runs a command in the sandbox.

        There it has no network, its own process numbers and an empty /tmp of limited size; everything else can be
        read, but not written. `directory` is where it begins; `shared` are the arena's Unix sockets it may use.
        What the command needs inside a hidden folder can be read all the same: `directory`, the folder of each word
        that is a path (for `.../bin/python` the folder above, where its libraries are), and the arena's packages.
        """
        folders = [path.resolve() for path in (*HIDDEN, *self.hidden) if path.is_dir()]
        masks = {path: self._empty_folder(path) for path in folders}
        mounts = {path: ["--ro-bind", str(path), str(path)] for path in _needed(command, directory, list(masks))}
        mounts |= masks
        mounts |= {
            path.resolve(): ["--ro-bind", os.devnull, str(path.resolve())] for path in self.blank if path.exists()
        }
        mounts |= {path: ["--ro-bind", str(path), str(path)] for path in shared}
        ordered = sorted(mounts, key=lambda path: len(path.parts))  # what lies deeper is laid over what is above it
        return [
            self.bwrap,
            *("--unshare-all", "--die-with-parent", "--cap-drop", "ALL"),
            *("--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"),
            *self._empty_folder(Path("/dev/shm")),  # noqa: S108 - a memory of its own instead of everybody's
            *(word for path in ordered for word in mounts[path]),
            *("--setenv", "TMPDIR", "/tmp"),  # noqa: S108 - its own
            *("--chdir", str(directory), "--", *command),
        ]

    def _empty_folder(self, path: Path) -> list[str]:
        return ["--size", str(self.scratch_bytes), "--tmpfs", str(path)]


def _needed(command: Sequence[str], directory: Path, masks: Sequence[Path]) -> Iterator[Path]:
    """What lies in a hidden folder and must be seen all the same."""
    candidates = [directory.absolute(), *OWN]
    for word in (shutil.which(command[0]) or command[0], *command[1:]):
        path = directory / word
        if word and os.path.exists(path):  # noqa: PTH110 - Path.exists raises for a word too long to be a path
            for named in (path.absolute(), path.resolve()):
                folder = named if named.is_dir() else named.parent
                folder = folder.parent if folder.name == "bin" else folder
                candidates.append(named if folder in masks else folder)
    for path in candidates:
        if any(mask in path.parents for mask in masks):
            yield path


@functools.cache
def find_bwrap() -> str:
    """The path of a bubblewrap that works here; raises `SandboxError`. Tried once per process."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise SandboxError("bubblewrap (bwrap) is not installed")
    line = Sandbox(bwrap=bwrap, scratch_bytes=1 << 20).wrap(["true"], directory=Path("/"), shared=())
    try:
        tried = subprocess.run(line, capture_output=True, text=True, timeout=PROBE_SECONDS, check=False)  # noqa: S603 - our own words
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxError(f"bubblewrap does not work here: {error}") from error
    if tried.returncode != 0:
        said = tried.stderr.strip() or f"exit status {tried.returncode}"
        raise SandboxError(f"bubblewrap does not work here: {said}")
    return bwrap
