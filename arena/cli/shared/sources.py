"""The records that a command reads: those of a run folder, or one match record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.shared.output import fail, run_folder
from arena.nearest import meant
from arena.records.files import MATCHES, TOURNAMENT_RECORD, match_records
from arena.words import Said
from arena.words.system_errors import system_reason

if TYPE_CHECKING:
    from arena.records.lines import Attempt


@dataclass(frozen=True, slots=True)
class RecordSource:
    """Records by name as in a run folder, read on demand."""

    path: Path
    """The path that was given: a run folder or a match record."""
    files: Mapping[str, bytes]


def source_of(path: Path) -> RecordSource:
    """The records of a run folder, or of one match of it; ends the command if the path is neither."""
    from arena.server.io.disk import read_inside
    from arena.server.setup.run_folder import RunFiles

    if not path.exists():
        fail(Said("not_run.missing", {"path": str(path)}))
    if path.is_dir():
        return RecordSource(run_folder(path), RunFiles(path))
    name = f"{MATCHES}{path.name}"
    if path.suffix != ".jsonl" or path.name == TOURNAMENT_RECORD:
        fail(Said("record.not_of_match", {"path": str(path)}))
    if path.absolute().parent.name != MATCHES.rstrip("/"):  # a record by itself, for example sent by mail
        found = path.resolve()
        try:
            return RecordSource(path, {name: read_inside(found.parent, found.name)})
        except OSError as error:
            fail(Said("unreadable.file", {"path": str(path), "reason": system_reason(error)}))
    return RecordSource(path, RunFiles(path.absolute().parent.parent, name))


def attempts_of(log: Path) -> list[Attempt]:
    """Every attempt in one match record; ends the command if the file is not one. Raises `RecordError`."""
    from arena.records.lines import read_attempts, whole_lines

    files = source_of(log).files
    return [one for name in match_records(files) for one in read_attempts(name, whole_lines(files[name]))]


def entrant_named(wanted: str, names: Mapping[str, str]) -> str:
    """Return the id of an entrant that is given by its id or its name; ends the command if there is none.

    `names` has what every entrant is called on screens, by id.
    """
    if wanted in names:
        return wanted
    for entrant, name in names.items():
        if name == wanted:
            return entrant
    from arena.tournaments.names import listed

    there = listed(list(names.values())) or "-"
    return fail(Said("no_bot", {"name": repr(wanted), "there": there, "meant": meant(wanted, names)}))
