"""The records that are read: those of a run folder, or one match record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from arena.nearest import meant_by
from arena.records.files import MATCHES, TOURNAMENT_RECORD, match_record, match_records
from arena.services.errors import FailedError, RefusedError
from arena.words import Said
from arena.words.system_errors import system_reason

if TYPE_CHECKING:
    from arena.records.facts import TournamentFact, TournamentOpened
    from arena.records.lines import Attempt


class SourceError(RefusedError):
    """There are no records to be read at this path."""


class NoBeginningError(FailedError):
    """The record of a tournament does not begin with its opening."""


class NoEntrantError(RefusedError):
    """No entrant has this id or name."""


@dataclass(frozen=True, slots=True)
class RecordSource:
    """Records by name as in a run folder, read on demand."""

    path: Path
    """The path that was given: a run folder or a match record."""
    files: Mapping[str, bytes]
    notes: Sequence[Said] = ()
    """Notes for the reader on a match that was played elsewhere."""


def run_folder(path: Path) -> Path:
    """Return the folder, if it has a run. Raises `SourceError`."""
    if path.is_file():
        above = (*path.parents[:2], *path.absolute().parents[:2])
        runs = [place for place in above if (place / TOURNAMENT_RECORD).exists()]
        if runs:
            raise SourceError(Said("not_run.in_run", {"path": str(path), "run": str(runs[0])}))
        raise SourceError(Said("not_run.file", {"path": str(path)}))
    if not (path / TOURNAMENT_RECORD).exists():
        raise SourceError(Said("not_run.no_record", {"path": str(path)}))
    return path


def tournament_of(run: Path) -> tuple[TournamentOpened, list[TournamentFact]]:
    """Return the opening of a run, and every fact of its tournament record so far.

    Raises `SourceError`, `NoBeginningError` and `RecordError`.
    """
    from arena.records.facts import TournamentOpened
    from arena.records.lines import read_tournament, whole_lines
    from arena.server.setup.run_folder import RunFiles

    path = run_folder(run) / TOURNAMENT_RECORD
    record = whole_lines(RunFiles(run)[path.name])
    facts = [fact for _, fact in read_tournament(path.name, record)]
    opened = facts[0] if facts else None
    if not isinstance(opened, TournamentOpened):
        raise NoBeginningError(Said("record.no_beginning", {"path": str(path)}))
    return opened, facts


def source_of(path: Path) -> RecordSource:
    """Return the records of a run folder, of one match of it, or of a match played elsewhere.

    Raises `SourceError`.
    """
    from arena.server.io.disk import read_inside
    from arena.server.setup.run_folder import RunFiles
    from arena.services.foreign.reading import KINDS

    if not path.exists():
        raise SourceError(Said("not_run.missing", {"path": str(path)}))
    if path.is_dir():
        return RecordSource(run_folder(path), RunFiles(path))
    if path.suffix.lower() in KINDS:
        return _foreign_source(path)
    name = f"{MATCHES}{path.name}"
    if path.suffix != ".jsonl" or path.name == TOURNAMENT_RECORD:
        raise SourceError(Said("record.not_of_match", {"path": str(path)}))
    if path.absolute().parent.name == MATCHES.rstrip("/"):
        return RecordSource(path, RunFiles(path.absolute().parent.parent, name))
    alone = path.resolve()  # a record by itself, for example sent by mail
    try:
        return RecordSource(path, {name: read_inside(alone.parent, alone.name)})
    except OSError as error:
        values = {"path": str(path), "reason": system_reason(error)}
        raise SourceError(Said("unreadable.file", values)) from error


def _foreign_source(path: Path) -> RecordSource:
    """Return the record of a match that was played elsewhere. Raises `SourceError`."""
    from arena.services.foreign.mat import MatError
    from arena.services.foreign.reading import read_foreign

    try:
        foreign = read_foreign(path)
    except (OSError, MatError) as error:
        reason = error.said if isinstance(error, MatError) else system_reason(error)
        values = {"path": str(path), "reason": reason}
        raise SourceError(Said("unreadable.file", values)) from error
    record = b"\n".join([*foreign.lines, b""])
    return RecordSource(path, {match_record(foreign.opened.match): record}, foreign.notes)


def attempts_of(log: Path) -> list[Attempt]:
    """Return every attempt in one match record. Raises as `source_of`, and `RecordError`."""
    return attempts_in(source_of(log).files)


def attempts_in(files: Mapping[str, bytes]) -> list[Attempt]:
    """Return every attempt in some match records. Raises `RecordError`."""
    from arena.records.lines import read_attempts, whole_lines

    attempts: list[Attempt] = []
    for name in match_records(files):
        attempts += read_attempts(name, whole_lines(files[name]))
    return attempts


def entrant_named(wanted: str, names: Mapping[str, str]) -> str:
    """Return the id of the entrant with this id or name. Raises `NoEntrantError`.

    `names` has the display name of every entrant, by id. The message lists display names, and so
    suggests one, also for an id that is nearly right.
    """
    if wanted in names:
        return wanted
    for entrant, name in names.items():
        if name == wanted:
            return entrant
    from arena.tournaments.names import join_names

    listing = join_names(list(names.values())) or "-"
    suggestions = {name: name for name in names.values()}
    values = {
        "name": repr(wanted),
        "there": listing,
        "meant": meant_by(wanted, suggestions | dict(names)),
    }
    raise NoEntrantError(Said("no_bot", values))
