"""The files of this system: what every program may read, and folders that hold far more than one bot."""

import functools
import os
import pwd
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import arena
import protocol
from arena.words import Said

SYSTEM: Final = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
)
"""Where a system keeps its programs and libraries."""
ETC: Final = (
    "alternatives",  # symbolic links to the chosen version of a program
    "crypto-policies",
    "java*",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "locale.alias",
    "localtime",
    "python3*",
    "ssl/certs",
    "ssl/openssl.cnf",
)
"""What runtimes read in /etc; everything else there is left out."""
OWN: Final = tuple(
    Path(path).resolve() for package in (arena, protocol) for path in package.__path__
)
"""The arena's own packages: bots in Python use the kit and the engine, wherever they are installed."""
TOP: Final = frozenset(
    Path("/") / name
    for name in ("dev", "etc", "home", "mnt", "opt", "proc", "root", "run", "srv", "sys", "var")
)
"""Folders of a system that hold those of many."""
MOST_LINKS: Final = 40
"""As many symbolic links as the system follows."""


@functools.cache
def system_files() -> tuple[Path, ...]:
    """Return what every program may read: the system's programs and libraries, and the arena's packages."""
    etc = [path for pattern in ETC for path in sorted(Path("/etc").glob(pattern))]
    found = [*map(Path, SYSTEM), *etc, *library_folders(Path("/etc/ld.so.conf")), *OWN]
    return outermost(step for path in found if path.exists() for step in steps(path))


def library_folders(conf: Path) -> Iterator[Path]:
    """The folders that the system's loader looks through for libraries, as its configuration names them."""
    try:
        lines = conf.read_text(errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        words = line.partition("#")[0].split()
        if words[:1] == ["include"]:
            for pattern in words[1:]:
                for file in sorted(Path("/").glob(str(conf.parent / pattern).lstrip("/"))):
                    yield from library_folders(file)
        elif words and words[0].startswith("/") and not is_broad(Path(words[0])):
            yield Path(words[0])


def steps(path: Path) -> Iterator[Path]:
    """Every symbolic link on the way to a path, and last where it really is."""
    at, left, links = Path("/"), [*path.absolute().parts[1:]], 0
    while left:
        part = left.pop(0)
        if part == "..":
            at = at.parent
            continue
        at /= part
        if at.is_symlink():
            links += 1
            if links > MOST_LINKS:
                return
            yield at
            target = at.readlink()
            at = Path("/") if target.is_absolute() else at.parent
            left = [part for part in target.parts if part != "/"] + left
    yield at


def real_places(places: Iterable[Path]) -> list[Path]:
    """Return places without links on the way to them; Path.resolve fails where links lead in a circle."""
    return [Path(os.path.realpath(place)) for place in places]


def outermost(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The paths without those that lie in another; in order, those above first."""
    all_of_them = set(paths)
    folders = {path for path in all_of_them if not path.is_symlink()}
    kept = [path for path in all_of_them if not any(parent in folders for parent in path.parents)]
    return tuple(sorted(kept, key=lambda path: (len(path.parts), path)))


def exists(path: Path) -> bool:
    """Return whether a path is there; False as well for a word that is too long to be one."""
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises for such a word, and without permission


def home_advice(name: str) -> Said | str:
    """Return what to write for a name with a `~`, which only a shell replaces; empty for another name."""
    whole = os.path.expanduser(name)  # noqa: PTH111 - Path.expanduser raises for a user that is not there
    return Said("start.home", {"path": whole}) if whole != name else ""


def is_broad(folder: Path) -> bool:
    """Return whether a folder holds far more than one program: a home, a folder for temporary files, or one above."""
    found = folder.resolve()
    return found in TOP or any(found == place or found in place.parents for place in _places())


@functools.cache
def _places() -> frozenset[Path]:
    homes = {Path(os.path.expanduser("~"))}  # noqa: PTH111 - Path.home raises where there is none
    with suppress(KeyError):  # in some containers the user has no line there
        homes.add(Path(pwd.getpwuid(os.getuid()).pw_dir))
    inside = {home / name for home in homes for name in (".local", ".config", ".cache")}
    shared = map(Path, ("/var/tmp", "/dev/shm", tempfile.gettempdir(), "/tmp"))  # noqa: S108 - kept from bots, not used
    return frozenset(place.resolve() for place in (*homes, *inside, *shared))
