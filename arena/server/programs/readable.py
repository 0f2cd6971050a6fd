"""Files that a launched bot may read: what it needs to run, its own folder, and what the operator adds.

What it needs to run (interpreters, their libraries, what they read of the system) is found by looking: a program may
not say by itself what it wants to read. A folder that also holds what a bot may not see (runs, credentials, other bots)
is given by its entries, as they are when the bot is first started: what comes later is not there for it either.
"""

import functools
import os
import pwd
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import arena
import protocol
from arena.records.files import MATCHES, TOURNAMENT_RECORD
from arena.regular_files import why_missing
from arena.server.setup.run_folder import LOCK_FILE, SECRETS_FILE

RUNS: Final = "runs"
"""Where runs lie whose folder nobody named."""
PRIVATE: Final = (".token", ".key", SECRETS_FILE)
"""How the names of files end that are kept from bots even if no tournament file names them."""
MOST_ENTRIES: Final = 100_000
"""How many files of a bot's own folder are looked through for runs; a folder with more is not shown whole."""
SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
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
OWN: Final = tuple(Path(path).resolve() for package in (arena, protocol) for path in package.__path__)
"""The arena's own packages: bots in Python use the kit and the engine, wherever they are installed."""
PROGRAM_FOLDERS: Final = ("bin", "sbin", "shims")
TOP: Final = frozenset(
    Path("/") / name for name in ("dev", "etc", "home", "mnt", "opt", "proc", "root", "run", "srv", "sys", "var")
)
"""Folders of a system that hold those of many."""
MOST_LINKS: Final = 40
"""As many symbolic links as the system follows."""
MOST_INTERPRETERS: Final = 5
"""How many programs may start one another by `#!`."""
SHEBANG_BYTES: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Paths that the words of a command name."""

    programs: tuple[Path, ...]
    """Installed programs: interpreters, and what starts them."""
    own: tuple[Path, ...]
    """The bot itself: a program or script, or the folder of one."""
    files: tuple[Path, ...]
    """Other files that are there now."""
    folders: tuple[str, ...]
    """Words that name other folders; they are not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenPlaces:
    """Places that no bot of a run may read, wherever they lie."""

    paths: tuple[Path, ...] = ()
    """Run folders, credentials, and the place where runs are made."""
    bots: frozenset[Path] = frozenset()
    """What the commands of all bots name as their own: none may read the folder of another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readable:
    """Files and folders that one bot may read."""

    paths: tuple[Path, ...]
    """Files, folders with all they hold, and symbolic links; none lies in another."""
    notes: tuple[str, ...] = ()
    """What an operator should know of it, in words that follow the name of the bot."""


def named_by(command: Sequence[str], directory: Path) -> Named:
    """Look for what the words of a command name; `directory` is where it begins."""
    program = program_path(command[0], directory)
    if at := _started_at(command):
        named = named_by([*command[at:], *command[1:at]], directory)
        return replace(named, programs=(*named.programs, *([] if program is None else [program])))
    programs: list[Path] = []
    own: list[Path] = []
    files: list[Path] = []
    folders: list[str] = []
    if program is not None:
        (own if "/" in command[0] and _prefix(program) is None else programs).append(program)
    is_script_next = not own
    previous = ""
    for word in command[1:]:
        found = _existing(directory, word) or _existing(directory, *word.split(os.pathsep))
        if not found and previous == "-m":
            found = _existing(directory, first := word.partition(".")[0], f"{first}.py")
        is_script = bool(found) and is_script_next
        found = found or _existing(directory, word.partition("=")[2])
        if is_script:
            own += found
            is_script_next = False
        elif found:
            files += [path for path in found if not path.is_dir()]
            folders += [str(path) for path in found if path.is_dir()]
        elif is_script_next and "/" not in word and not word.startswith("-"):
            program = program_path(word, directory)  # of `nice python bot.py`
            programs += [] if program is None else [program]
        previous = word
    programs += [path for path in own if path.is_file()]  # which may name an interpreter
    return Named(programs=tuple(programs), own=tuple(own), files=tuple(files), folders=tuple(folders))


def _started_at(command: Sequence[str]) -> int:
    """Return the index of PROGRAM in `env X=1 PROGRAM` or `arena adapter stdio -- PROGRAM`; 0 if neither."""
    match Path(command[0]).name:
        case "env":
            behind = [at for at, word in enumerate(command) if at and not word.startswith("-") and "=" not in word]
            return behind[0] if behind else 0
        case "arena" if "--" in command[:-1]:
            return command.index("--") + 1
    return 0


def readable_by(command: Sequence[str], *, directory: Path, reads: Sequence[Path], kept: HiddenPlaces) -> Readable:
    """Return what the program of a command may read; `reads` are the files and folders that the operator adds."""
    named = named_by(command, directory)
    hidden = {path.resolve() for path in kept.paths} | set(_others(kept.bots, named, reads))
    shown = {seen for path in system_files() for seen in _visible(path, hidden)}
    notes = [f"does not see the folder {folder} that its command names; add it to `reads`" for folder in named.folders]
    for program in named.programs:
        for path in runtime_files(program):
            shown.update(_visible(path, hidden))
    for path in named.own:
        folder = folder_of(path)
        below = None if is_broad(folder) or runs_above(folder) else private_below(folder)
        if below is not None:
            shown.update(_visible(folder, hidden | below))
        if below is None or folder in hidden:
            notes.append(f"sees {path} alone, not the folder it is in, which holds more than a bot; add `reads`")
    for path in (*named.own, *named.files):
        if path.is_file():
            shown.update(_visible(path, hidden))
    for path in reads:
        below = private_below(path) if path.is_dir() else set()
        shown.update(_visible(path, hidden | (below or set())))
    if reads:
        notes.insert(0, f"reads {', '.join(map(str, reads))}")
    return Readable(paths=outermost(shown), notes=tuple(notes))


def reads_problems(reads: Sequence[str], directory: Path, kept: HiddenPlaces) -> list[str]:
    """Return what is wrong with the paths that a tournament file adds for a bot."""
    problems = []
    for name in reads:
        if why := why_missing(directory / name):
            problems.append(f"reads {name!r}: {why}")
            continue
        path = (directory / name).resolve()
        if is_broad(path):
            problems.append(f"reads {name!r}: that is far more than a bot needs; name the folders in it")
        elif runs_above(path) or any(path == one or path in one.parents or one in path.parents for one in kept.paths):
            problems.append(f"reads {name!r}: it holds runs or credentials; name the folders in it that hold none")
        elif path.name.endswith(PRIVATE):
            problems.append(f"reads {name!r}: that looks like a credential")
    return problems


def _others(bots: frozenset[Path], named: Named, reads: Sequence[Path]) -> Iterator[Path]:
    """The folders of other bots; those that lie in the very folder of this one share it, with the modules in it."""
    mine = {path.resolve() for path in (*named.own, *named.files, *reads)}
    folders = set(map(folder_of, named.own))
    for folder in set(map(folder_of, bots)) - folders:
        if any(above in folders for above in folder.parents) and not any(folder in own.parents for own in mine):
            yield folder


def folder_of(own: Path) -> Path:
    """The folder of a bot, of which its command names this."""
    return own.resolve() if own.is_dir() else own.resolve().parent


def _existing(directory: Path, *names: str) -> list[Path]:
    return [path for name in names if name and _is_there(path := (directory / name).absolute())]


def _is_there(path: Path) -> bool:
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises for a word too long to be a path, and without permission


def is_run(folder: Path) -> bool:
    """Return whether a folder is that of a run, of this arena or another; also of one that begins just now."""
    begins = _is_there(folder / LOCK_FILE) and _is_there(folder / MATCHES)
    return begins or _is_there(folder / TOURNAMENT_RECORD)


def runs_above(path: Path) -> list[Path]:
    """The run folders that a path lies in, itself included."""
    real = path.resolve()
    return [folder for folder in (real, *real.parents) if is_run(folder)]


def private_below(folder: Path) -> set[Path] | None:
    """The run folders in a folder, and the files that look like credentials; None if it is too large to look through.

    Symbolic links are not followed: where they lead a bot sees nothing.
    """
    found: set[Path] = set()
    entries = 0
    for place, folders, files in os.walk(folder.resolve()):
        entries += len(folders) + len(files)
        if entries > MOST_ENTRIES:
            return None
        if is_run(Path(place)):
            found.add(Path(place))
            folders.clear()
        found.update(Path(place) / name for name in files if name.endswith(PRIVATE))
    return found


def _visible(path: Path, hidden: set[Path]) -> Iterator[Path]:
    """The links on the way to a path, and the path or those of its entries that may be seen."""
    *links, real = steps(path)
    if _is_within(real, hidden) or runs_above(real):
        return
    yield from (link for link in links if not _is_within(link, hidden))
    yield from _without(real, hidden)


def _without(path: Path, hidden: set[Path]) -> Iterator[Path]:
    if not any(path in one.parents for one in hidden):
        yield path
        return
    try:
        entries = sorted(path.iterdir())
    except OSError:
        return  # what cannot be listed is not shown
    for entry in entries:
        if not _is_within(entry, hidden):
            is_link = os.path.islink(entry)  # noqa: PTH114 - Path.is_symlink raises without permission
            yield from [entry] if is_link else _without(entry, hidden)


def _is_within(path: Path, hidden: set[Path]) -> bool:
    return path in hidden or any(one in path.parents for one in hidden)


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


def outermost(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The paths without those that lie in another; in order, those above first."""
    all_of_them = set(paths)
    folders = {path for path in all_of_them if not path.is_symlink()}
    kept = [path for path in all_of_them if not any(parent in folders for parent in path.parents)]
    return tuple(sorted(kept, key=lambda path: (len(path.parts), path)))


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


def program_path(word: str, directory: Path) -> Path | None:
    """The file that is started by a word of a command; None if there is none."""
    if "/" in word:
        path = (directory / word).absolute()
        return path if _is_there(path) else None
    found = shutil.which(word)
    return None if found is None else Path(found).absolute()


def runtime_files(program: Path) -> Iterator[Path]:
    """Yield what an interpreter, or another installed program, needs beside the system: the folder it is installed in.

    Follows its symbolic links, the `home` of a virtual environment, and the interpreter that a script names.
    """
    for _ in range(MOST_INTERPRETERS):
        for at in (program, *steps(program)):
            prefix = _prefix(at)
            if prefix is None:
                yield at
            else:
                yield prefix
                yield from _base(prefix)
        words = shebang(program)
        if words and Path(words[0]).name == "env":
            words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        following = program_path(words[0], Path("/")) if words else None
        if following is None:
            return
        program = following


def _prefix(program: Path) -> Path | None:
    """Return the folder of the installation that a program belongs to: in `bin` beside libraries, or a venv."""
    prefix = program.parent.parent
    if program.parent.name not in PROGRAM_FOLDERS or is_broad(prefix):
        return None
    is_installed = (prefix / "pyvenv.cfg").exists() or any((prefix / name).is_dir() for name in ("lib", "libexec"))
    return prefix if is_installed else None


def _base(prefix: Path) -> Iterator[Path]:
    """The installation a virtual environment was made from."""
    try:
        lines = (prefix / "pyvenv.cfg").read_text(errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        name, _, value = line.partition("=")
        if name.strip() == "home" and (base := _prefix(Path(value.strip()) / "python")) is not None:
            yield base


def shebang(script: Path) -> list[str]:
    """The words after `#!` in the first line of a script; none of another file."""
    try:
        with script.open("rb") as file:
            line = file.read(SHEBANG_BYTES).partition(b"\n")[0]
    except OSError:
        return []
    return line[2:].decode(errors="replace").split() if line.startswith(b"#!") else []


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
