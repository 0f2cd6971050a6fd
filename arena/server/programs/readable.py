"""Files that a launched bot may read: its own, those it needs to run, and the operator's.

The arena finds by itself what a program needs to run (interpreters, their libraries, files of the
system): a program may not ask for files. A folder that also holds hidden things (runs, credentials,
other bots) is shown by its entries: files that are made in it later are not there. With many
entries that would take too long. Then the folder is shown whole, and hidden things are covered.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
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
"""The folder of runs without a folder of their own name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """Limits of a container that hides a part of a folder from a bot."""

    most_listed: int
    """Number of entries that it can show one by one, in place of the folder."""
    most_covered: int
    """Number of paths that it can cover within a folder that it shows whole."""


BUBBLEWRAP: Final = Means(most_listed=50, most_covered=50)
"""The time of bubblewrap grows with the square of its mounts: 10 ms for 50, 2 s for 1,000."""
LANDLOCK: Final = Means(most_listed=5_000, most_covered=0)
"""A rule takes 20 us. No rule can take a right away again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenPlaces:
    """Places that no bot of a run may read, wherever they lie."""

    paths: tuple[Path, ...] = ()
    """Run folders, credentials, and the place where runs are made."""
    bots: frozenset[Path] = frozenset()
    """The paths of all bots: none may read the folder of another."""
    runs: Path | None = None
    """The place where runs are made, which is one of the paths."""

    def and_also(self, places: Sequence[Path]) -> "HiddenPlaces":
        """Return these places together with others."""
        more = [path for path in places if path not in self.paths]
        if not more:
            return self
        return replace(self, paths=(*self.paths, *more))


@dataclass(frozen=True, slots=True, kw_only=True)
class Readable:
    """Files and folders that one bot may read."""

    paths: tuple[Path, ...]
    """Files, folders with all they hold, and symbolic links; none lies in another."""
    covered: tuple[Path, ...] = ()
    """Paths in these folders that may not be read; some of them may not exist yet."""
    notes: tuple[Said, ...] = ()
    """Notes for the operator, in words that follow the name of the bot."""


class FileView:
    """The files that one bot may read now; it looks again before each start of the bot."""

    def __init__(
        self,
        command: BotCommand,
        kept: HiddenPlaces,
        means: Means,
    ) -> None:
        self._command = command
        self.kept = kept
        self._means = means
        bot_folders = map(folder_of, named_by(command).bot_paths)
        folders = list(filter(_is_own, bot_folders))
        folders += filter(Path.is_dir, command.reads)
        self._walks = {folder: walk_of(folder, frozenset(kept.paths)) for folder in folders}
        self._below: dict[Path, frozenset[Path] | None] | None = None
        self._readable = Readable(paths=())

    def look(self) -> Readable:
        """Return what the bot may read now.

        The entries of a folder stay those of the first look until a new path has to be hidden.
        """
        below = {folder: walk.look() for folder, walk in self._walks.items()}
        if below != self._below:
            self._below = below
            self._readable = _readable_by(self._command, self.kept, self._means, below)
        return self._readable


def _is_own(folder: Path) -> bool:
    """Return whether a folder is a bot's own, and not shared with many other things."""
    return not is_broad(folder) and not runs_above(folder)


def _readable_by(
    command: BotCommand,
    kept: HiddenPlaces,
    means: Means,
    below: Mapping[Path, frozenset[Path] | None],
) -> Readable:
    """Return what a bot may read.

    `below` has the runs and credentials in the folders of the bot, None for a folder that is too
    large to search.
    """
    named = named_by(command)
    shown = _Shown(_hidden_from(command, named, kept, below), means)
    for path in system_files():
        shown.add(path)
    for program in named.programs:
        for path in runtime_files(program):
            shown.add(path)
    notes = []
    if command.reads:
        paths = ", ".join(map(str, command.reads))
        notes.append(Said("reads.reads", {"paths": paths}))
    notes += [Said("reads.unseen_folder", {"folder": folder}) for folder in named.folders]
    notes += _show_bot(named, shown, below)
    notes += _show_reads(command.reads, shown, below)
    return shown.readable(notes)


def _hidden_from(
    command: BotCommand,
    named: Named,
    kept: HiddenPlaces,
    below: Mapping[Path, frozenset[Path] | None],
) -> set[Path]:
    """Return the paths that a bot may not see, with all below."""
    paths = (*named.bot_paths, *named.files, *command.reads)
    named_files = {path.resolve() for path in paths}
    hidden = {path.resolve() for path in kept.paths}
    hidden.update(_others(kept.bots, named, command.reads))
    for private in below.values():
        if private is not None:
            hidden |= private - named_files
    return hidden


def _show_bot(
    named: Named,
    shown: "_Shown",
    below: Mapping[Path, frozenset[Path] | None],
) -> list[Said]:
    """Show a bot its folder and files; return notes on folders that stay hidden."""
    notes = []
    for path in named.bot_paths:
        folder = folder_of(path)
        is_whole = below.get(folder) is not None and shown.add(folder)
        if is_whole:
            continue
        if path == folder:
            notes.append(Said("reads.own_unseen", {"folder": str(path)}))
        else:
            notes.append(Said("reads.sees_alone", {"path": str(path)}))
    for path in (*named.bot_paths, *named.files):
        if path.is_file():
            shown.add(path)
    return notes


def _show_reads(
    reads: Sequence[Path],
    shown: "_Shown",
    below: Mapping[Path, frozenset[Path] | None],
) -> list[Said]:
    """Show a bot the paths that the operator adds; return notes on those that stay hidden."""
    notes = []
    for path in reads:
        if not shown.add(path):
            notes.append(Said("reads.too_much_hidden", {"path": str(path)}))
        elif path.is_dir() and below[path] is None:
            notes.append(Said("reads.too_large", {"path": str(path)}))
    return notes


@dataclass(slots=True)
class _Shown:
    """Collects the paths that a bot is shown."""

    hidden: set[Path]
    """Paths that it may not see, with all below."""
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
        """Show a path, with the links on the way to it; return False if it stays hidden."""
        *links, place = steps(path)
        if place in self.hidden or self._is_below_hidden(place) or runs_above(place):
            return False
        if place not in self._above_hidden:
            self.paths.add(place)
        elif not self._add_in_part(place):
            return False
        self.paths.update(link for link in links if not self._is_below_hidden(link))
        return True

    def _add_in_part(self, folder: Path) -> bool:
        """Show a folder without the hidden paths in it; return False if they are too many."""
        entries = self._listed(folder)
        if len(entries) <= self.means.most_listed:
            self.paths.update(entries)
            return True
        inside = [place for place in self.hidden if folder in place.parents]
        if len(inside) > self.means.most_covered:
            return False
        self.paths.add(folder)
        self.covered.update(inside)
        return True

    def _is_below_hidden(self, path: Path) -> bool:
        return not self.hidden.isdisjoint(path.parents)

    def _listed(self, folder: Path) -> list[Path]:
        """Return the entries to show in place of a folder, up to one more than are allowed."""
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
        """Return the collected paths."""
        return Readable(
            paths=outermost(self.paths),
            covered=outermost(self.covered),
            notes=tuple(notes),
        )


def _names_in(folder: Path) -> Iterator[str]:
    """Yield the names in a folder one by one, since few may be needed; none if unreadable."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            yield entry.name


def folder_problems(
    name: str,
    directory: Path,
    kept: HiddenPlaces,
) -> Iterator[Said]:
    """Yield the problem, if any, of the folder that a tournament file gives to a bot."""
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
    """Say that a folder lies in a run, or holds a run or a secret of the operator, if it does."""
    above = runs_above(path)
    above += [place for place in kept.paths if place in (path, *path.parents)]
    if above:
        return Said("folder.run", {"run": str(above[0])})
    below = [place for place in kept.paths if path in place.parents]
    private = walk_of(path, frozenset(kept.paths)).look() or frozenset()
    below += sorted(filter(is_run, private))
    if not below:
        return None
    return Said("folder.holds", {"path": str(below[0])})


def reads_problems(
    reads: Sequence[str],
    directory: Path,
    kept: HiddenPlaces,
) -> Iterator[Said]:
    """Yield the problems of the paths that a tournament file adds for a bot."""
    for name in reads:
        problem = _reads_problem(name, directory, kept)
        if problem is not None:
            yield Said("reads.problem", {"name": repr(name), "problem": problem})


def _reads_problem(
    name: str,
    directory: Path,
    kept: HiddenPlaces,
) -> Said | None:
    """Return why a bot may not read this path; None if it may."""
    why = why_missing(directory / name)
    if why is not None:
        return Said("reads.missing", {"why": why, "home": home_advice(name)})
    path = (directory / name).resolve()
    if is_broad(path):
        return Said("reads.broad")
    if runs_above(path) or any(_overlap(path, place) for place in kept.paths):
        return Said("reads.hidden")
    if path.name.endswith(PRIVATE):
        return Said("reads.credential")
    return None


def _overlap(path: Path, place: Path) -> bool:
    """Return whether one of two paths is the other, or lies in it."""
    return path == place or path in place.parents or place in path.parents


def _others(
    bots: frozenset[Path],
    named: Named,
    reads: Sequence[Path],
) -> Iterator[Path]:
    """Yield the folders of other bots, unless this bot's command names a path in them.

    Bots that lie in the very folder of this one share it, with the modules in it.
    """
    paths = {path.resolve() for path in (*named.bot_paths, *named.files, *reads)}
    folders = set(map(folder_of, named.bot_paths))
    for folder in set(map(folder_of, bots)) - folders:
        is_inside = not folders.isdisjoint(folder.parents)
        is_named = any(folder in path.parents for path in paths)
        if is_inside and not is_named:
            yield folder
