"""Files that a launched bot may read: what it needs to run, its own folder, and what the operator adds.

What it needs to run (interpreters, their libraries, what they read of the system) is found by
looking: a program may not say by itself what it wants to read. A folder that also holds what a bot
may not see (runs, credentials, other bots) is given by its entries: what is made in it later is not
there. With many entries that would take too long. Then the folder is shown whole, and what the bot
may not see is covered.
"""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from arena.regular_files import why_missing
from arena.server.programs.bot_command import BotCommand, Named, folder_of, named_by
from arena.server.programs.folder_walk import PRIVATE, is_run, runs_above, walk_of
from arena.server.programs.runtimes import runtime_files
from arena.server.programs.system_files import home_advice, is_broad, outermost, steps, system_files
from arena.words import Said

RUNS: Final = "runs"
"""Where runs lie whose folder nobody named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """How a container keeps a part of a folder from a bot."""

    most_listed: int
    """How many entries it can show by themselves, in place of the folder."""
    most_covered: int
    """How many things it can cover within a folder that it shows whole."""


BUBBLEWRAP: Final = Means(most_listed=50, most_covered=50)
"""The time of bubblewrap grows with the square of what it mounts: 50 take some 10 ms, 1,000 two
seconds."""
LANDLOCK: Final = Means(most_listed=5_000, most_covered=0)
"""A rule takes 20 us. There is none that takes something away again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenPlaces:
    """Places that no bot of a run may read, wherever they lie."""

    paths: tuple[Path, ...] = ()
    """Run folders, credentials, and the place where runs are made."""
    bots: frozenset[Path] = frozenset()
    """What the commands of all bots name as their own: none may read the folder of another."""
    runs: Path | None = None
    """The place where runs are made, which is one of the paths."""

    def and_also(self, places: Sequence[Path]) -> "HiddenPlaces":
        """Return these places, and others."""
        more = [path for path in places if path not in self.paths]
        return replace(self, paths=(*self.paths, *more)) if more else self


@dataclass(frozen=True, slots=True, kw_only=True)
class Readable:
    """Files and folders that one bot may read."""

    paths: tuple[Path, ...]
    """Files, folders with all they hold, and symbolic links; none lies in another."""
    covered: tuple[Path, ...] = ()
    """What is in these folders and may not be read; some of it may not be there yet."""
    notes: tuple[Said, ...] = ()
    """What an operator should know of it, in words that follow the name of the bot."""


class View:
    """What one bot may read, as its files are now: it is looked at before each start of the bot."""

    def __init__(self, command: BotCommand, kept: HiddenPlaces, means: Means) -> None:
        self._command = command
        self.kept = kept
        self._means = means
        own = filter(_is_own, map(folder_of, named_by(command).bot_paths))
        folders = [*own, *(path for path in command.reads if path.is_dir())]
        self._walks = {folder: walk_of(folder, frozenset(kept.paths)) for folder in folders}
        self._below: dict[Path, frozenset[Path] | None] | None = None
        self._readable = Readable(paths=())

    def look(self) -> Readable:
        """Return what the bot may read now.

        Entries of a folder stay as they were at the first look, until there is something new to be
        hidden.
        """
        below = {folder: walk.look() for folder, walk in self._walks.items()}
        if below != self._below:
            self._below = below
            self._readable = _readable_by(self._command, self.kept, self._means, below)
        return self._readable


def _is_own(folder: Path) -> bool:
    """Return whether a folder is a bot's own, and not one of many things in which its program lies."""
    return not is_broad(folder) and not runs_above(folder)


def _readable_by(
    command: BotCommand,
    kept: HiddenPlaces,
    means: Means,
    below: Mapping[Path, frozenset[Path] | None],
) -> Readable:
    """`below` has the runs and credentials in the folders of the bot; None of those that are too large to be known."""
    named = named_by(command)
    places = {path.resolve() for path in kept.paths} | set(_others(kept.bots, named, command.reads))
    named_files = {path.resolve() for path in (*named.bot_paths, *named.files, *command.reads)}
    for private in below.values():
        places |= (private or frozenset()) - named_files
    shown = _Shown(places, means)
    for path in system_files():
        shown.add(path)
    notes = [Said("reads.unseen_folder", {"folder": folder}) for folder in named.folders]
    for program in named.programs:
        for path in runtime_files(program):
            shown.add(path)
    for path in named.bot_paths:
        folder = folder_of(path)
        is_whole = below.get(folder) is not None and shown.add(folder)
        if not is_whole and path == folder:
            notes.append(Said("reads.own_unseen", {"folder": str(path)}))
        elif not is_whole:
            notes.append(Said("reads.sees_alone", {"path": str(path)}))
    for path in (*named.bot_paths, *named.files):
        if path.is_file():
            shown.add(path)
    for path in command.reads:
        if not shown.add(path):
            notes.append(Said("reads.too_much_hidden", {"path": str(path)}))
        elif path.is_dir() and below[path] is None:
            notes.append(Said("reads.too_large", {"path": str(path)}))
    if command.reads:
        notes.insert(0, Said("reads.reads", {"paths": ", ".join(map(str, command.reads))}))
    return shown.readable(notes)


@dataclass(slots=True)
class _Shown:
    """Collects what a bot is shown."""

    hidden: set[Path]
    """What it may not see, with all below."""
    means: Means
    paths: set[Path] = field(default_factory=set)
    covered: set[Path] = field(default_factory=set)
    _above_hidden: set[Path] = field(default_factory=set)

    def __post_init__(self) -> None:
        for path in self.hidden:
            for folder in path.parents:
                if folder in self._above_hidden:
                    break
                self._above_hidden.add(folder)

    def add(self, path: Path) -> bool:
        """Show a path, with the links on the way to it; returns False if it is hidden, or too much of it."""
        *links, real = steps(path)
        if real in self.hidden or self._is_below_hidden(real) or runs_above(real):
            return False
        entries: Collection[Path] = [real]
        if real in self._above_hidden:
            entries = self._listed(real)
            if len(entries) > self.means.most_listed:
                inside = [place for place in self.hidden if real in place.parents]
                if len(inside) > self.means.most_covered:
                    return False
                entries = [real]
                self.covered.update(inside)
        self.paths.update(link for link in links if not self._is_below_hidden(link))
        self.paths.update(entries)
        return True

    def _is_below_hidden(self, path: Path) -> bool:
        return not self.hidden.isdisjoint(path.parents)

    def _listed(self, folder: Path) -> list[Path]:
        """Return the entries in place of a folder, without what is hidden; one more than the most if there are more."""
        listed: list[Path] = []
        waiting = [folder]
        while waiting:
            place = waiting.pop()
            for name in _names_in(place):
                entry = place / name
                if entry in self.hidden:
                    continue
                if entry in self._above_hidden and not entry.is_symlink():
                    waiting.append(entry)
                    continue
                listed.append(entry)
                if len(listed) > self.means.most_listed:
                    return listed
        return listed

    def readable(self, notes: Sequence[Said]) -> Readable:
        """Return all of it."""
        return Readable(
            paths=outermost(self.paths), covered=outermost(self.covered), notes=tuple(notes)
        )


def _names_in(folder: Path) -> Iterator[str]:
    """Yield the names in a folder, of which most may not be needed; none if it cannot be listed."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            yield entry.name


def folder_problems(name: str, directory: Path, kept: HiddenPlaces) -> Iterator[Said]:
    """Yield what is wrong with the folder that a tournament file gives to a bot."""
    path = (directory / name).resolve()
    if not path.exists():
        problem: Said | None = Said("folder.missing", {"home": home_advice(name)})
    elif not path.is_dir():
        problem = Said("folder.is_file")
    elif is_broad(path):
        problem = Said("folder.broad")
    else:
        problem = _run_around(path, kept)
    if problem is not None:
        yield Said("folder.problem", {"name": repr(name), "problem": problem})


def _run_around(path: Path, kept: HiddenPlaces) -> Said | None:
    """Say that a folder lies in a run, or holds a run or a secret of the operator; None if it does not."""
    above = runs_above(path) + [
        place for place in kept.paths if place == path or place in path.parents
    ]
    if above:
        return Said("folder.run", {"run": str(above[0])})
    below = [place for place in kept.paths if path in place.parents]
    private = walk_of(path, frozenset(kept.paths)).look() or frozenset()
    below += sorted(filter(is_run, private))
    return Said("folder.holds", {"path": str(below[0])}) if below else None


def reads_problems(reads: Sequence[str], directory: Path, kept: HiddenPlaces) -> Iterator[Said]:
    """Yield what is wrong with the paths that a tournament file adds for a bot."""
    for name in reads:
        problem = _reads_problem(name, directory, kept)
        if problem is not None:
            yield Said("reads.problem", {"name": repr(name), "problem": problem})


def _reads_problem(name: str, directory: Path, kept: HiddenPlaces) -> Said | None:
    why = why_missing(directory / name)
    if why is not None:
        return Said("reads.missing", {"why": why, "home": home_advice(name)})
    path = (directory / name).resolve()
    if is_broad(path):
        return Said("reads.broad")
    if runs_above(path) or any(
        path == one or path in one.parents or one in path.parents for one in kept.paths
    ):
        return Said("reads.hidden")
    return Said("reads.credential") if path.name.endswith(PRIVATE) else None


def _others(bots: frozenset[Path], named: Named, reads: Sequence[Path]) -> Iterator[Path]:
    """The folders of other bots; those that lie in the very folder of this one share it, with the modules in it."""
    mine = {path.resolve() for path in (*named.bot_paths, *named.files, *reads)}
    folders = set(map(folder_of, named.bot_paths))
    for folder in set(map(folder_of, bots)) - folders:
        if any(above in folders for above in folder.parents) and not any(
            folder in own.parents for own in mine
        ):
            yield folder
