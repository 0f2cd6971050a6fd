"""Files of this system: those that all programs may read, and folders of more than one bot."""

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
"""The folders where a system keeps its programs and libraries."""
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
"""Files that runtimes read in /etc; all others there stay hidden."""
OWN: Final = tuple(Path(path).resolve() for path in (*arena.__path__, *protocol.__path__))
"""The arena's own packages: bots in Python use the kit and the engine."""
TOP: Final = frozenset(
    Path("/") / name
    for name in (
        "dev",
        "etc",
        "home",
        "mnt",
        "opt",
        "proc",
        "root",
        "run",
        "srv",
        "sys",
        "var",
    )
)
"""Folders of a system that hold the folders of many programs or users."""
MOST_LINKS: Final = 40
"""Symbolic links that the system follows on the way to a path."""


@functools.cache
def system_files() -> tuple[Path, ...]:
    """Return the paths that all programs may read: the system's files and the arena's packages."""
    places = [*map(Path, SYSTEM), *OWN]
    for pattern in ETC:
        places += Path("/etc").glob(pattern)
    places += library_folders(Path("/etc/ld.so.conf"))
    readable: set[Path] = set()
    for place in places:
        if place.exists():
            readable.update(steps(place))
    return outermost(readable)


def library_folders(conf: Path) -> Iterator[Path]:
    """Yield the folders in which the system's loader looks for libraries, by its configuration."""
    try:
        lines = conf.read_text(errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        words = line.partition("#")[0].split()
        if not words:
            continue
        if words[0] == "include":
            for pattern in words[1:]:
                yield from _included_folders(conf, pattern)
        elif words[0].startswith("/") and not is_broad(Path(words[0])):
            yield Path(words[0])


def _included_folders(conf: Path, pattern: str) -> Iterator[Path]:
    below_root = str(conf.parent / pattern).lstrip("/")
    for file in sorted(Path("/").glob(below_root)):
        yield from library_folders(file)


def steps(path: Path) -> Iterator[Path]:
    """Yield the symbolic links on the way to a path, and last its real place."""
    place = Path("/")
    parts = list(path.absolute().parts[1:])
    links = 0
    while parts:
        part = parts.pop(0)
        if part == "..":
            place = place.parent
            continue
        place /= part
        if not place.is_symlink():
            continue
        links += 1
        if links > MOST_LINKS:
            return
        yield place
        target = place.readlink()
        place = Path("/") if target.is_absolute() else place.parent
        target_parts = [part for part in target.parts if part != "/"]
        parts = target_parts + parts
    yield place


def real_places(places: Iterable[Path]) -> list[Path]:
    """Return places without links on the way; Path.resolve fails where links lead in a circle."""
    return [Path(os.path.realpath(place)) for place in places]


def outermost(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Return the paths without those that lie in another, in order, those above first."""
    paths = set(paths)
    folders = {path for path in paths if not path.is_symlink()}
    outer = [path for path in paths if folders.isdisjoint(path.parents)]
    return tuple(sorted(outer, key=lambda path: (len(path.parts), path)))


def exists(path: Path) -> bool:
    """Return whether a path is there; False also for a word that is too long for a path."""
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises then, and without permission


def home_advice(name: str) -> Said | str:
    """Return what to write for a name with `~`, which only a shell replaces; else empty."""
    path = os.path.expanduser(name)  # noqa: PTH111 - Path.expanduser raises for an unknown user
    if path == name:
        return ""
    return Said("start.home", {"path": path})


def is_broad(folder: Path) -> bool:
    """Return whether a folder holds far more than one program.

    Such folders are homes, folders for temporary files, and folders above them.
    """
    path = folder.resolve()
    if path in TOP:
        return True
    return any(path == place or path in place.parents for place in _places())


@functools.cache
def _places() -> frozenset[Path]:
    """Return the folders that are too broad to be shown: homes, and those for temporary files."""
    homes = {Path(os.path.expanduser("~"))}  # noqa: PTH111 - Path.home raises where there is none
    with suppress(KeyError):  # in some containers the user has no line there
        homes.add(Path(pwd.getpwuid(os.getuid()).pw_dir))
    temporary = ("/var/tmp", "/dev/shm", tempfile.gettempdir(), "/tmp")  # noqa: S108 - not used
    places = [*homes, *map(Path, temporary)]
    for home in homes:
        places += (home / ".local", home / ".config", home / ".cache")
    return frozenset(place.resolve() for place in places)
