"""Files that a launched bot may read: what it needs to run, its own folder, and what the operator adds.

What it needs to run (interpreters, their libraries, what they read of the system) is found by looking: a program may
not say by itself what it wants to read. A folder that also holds what a bot may not see (runs, credentials, other bots)
is given by its entries, as they are when the bot is first started: what comes later is not there for it either.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.records.files import MATCHES, TOURNAMENT_RECORD
from arena.server.programs.bot_command import BotCommand, Named, folder_of, named_by
from arena.server.programs.runtimes import runtime_files
from arena.server.programs.system_files import exists, is_broad, outermost, steps, system_files
from arena.server.setup.run_folder import LOCK_FILE, SECRETS_FILE

RUNS: Final = "runs"
"""Where runs lie whose folder nobody named."""
PRIVATE: Final = (".token", ".key", SECRETS_FILE)
"""How the names of files end that are kept from bots even if no tournament file names them."""
MOST_ENTRIES: Final = 100_000
"""How many files of a bot's own folder are looked through for runs; a folder with more is not shown whole."""


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


def readable_by(command: BotCommand, kept: HiddenPlaces) -> Readable:
    """Return what the program of a command may read."""
    named = named_by(command)
    hidden = {path.resolve() for path in kept.paths} | set(_others(kept.bots, named, command.reads))
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
    for path in command.reads:
        below = private_below(path) if path.is_dir() else set()
        shown.update(_visible(path, hidden | (below or set())))
    if command.reads:
        notes.insert(0, f"reads {', '.join(map(str, command.reads))}")
    return Readable(paths=outermost(shown), notes=tuple(notes))


def reads_problems(reads: Sequence[str], directory: Path, kept: HiddenPlaces) -> list[str]:
    """Return what is wrong with the paths that a tournament file adds for a bot."""
    problems = []
    for name in reads:
        path = (directory / name).resolve()
        if not path.exists():
            problems.append(f"reads {name!r}: there is no such file or folder")
        elif is_broad(path):
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


def is_run(folder: Path) -> bool:
    """Return whether a folder is that of a run, of this arena or another; also of one that begins just now."""
    begins = exists(folder / LOCK_FILE) and exists(folder / MATCHES)
    return begins or exists(folder / TOURNAMENT_RECORD)


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
