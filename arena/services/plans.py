"""Tournament files as they are given: their text, and the plan they make with the fields that go beside them."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.records.files import TOURNAMENT_FILE
from arena.services.errors import RefusedError
from arena.words import Said, joined
from arena.words.system_errors import system_reason


class TournamentFileError(RefusedError):
    """A tournament file cannot be read."""


class PlanRefusedError(RefusedError):
    """A tournament cannot be played as it is planned; `problems` has every reason."""


def tournament_text(file: Path, *, is_of_run: bool = False) -> str:
    """Return a tournament file's text, without a byte order mark. Raises `TournamentFileError`."""
    from arena.regular_files import read_regular
    from arena.server.io.disk import read_inside

    try:
        data = read_inside(file.parent, file.name) if is_of_run else read_regular(file)
    except OSError as error:
        values = {"file": str(file), "reason": system_reason(error)}
        raise TournamentFileError(Said("tournament_file.unreadable", values)) from error
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) or b"\0" in data[:2]:
        raise TournamentFileError(Said("tournament_file.utf_16", {"file": str(file)}))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TournamentFileError(Said("tournament_file.not_utf_8", {"file": str(file), "line": line})) from error


def given_text(tournament: Path) -> str:
    """Return the text of a tournament file, or of the one that is frozen in a run folder.

    Raises `TournamentFileError`.
    """
    if not tournament.is_dir():
        return tournament_text(tournament)
    if not (tournament / TOURNAMENT_FILE).exists():
        raise TournamentFileError(Said("not_run.no_file", {"path": str(tournament)}))
    return tournament_text(tournament / TOURNAMENT_FILE, is_of_run=True)


def given_ruleset(given: str) -> str | Mapping[str, Any]:
    """Return the name of a ruleset, or the fields of the one in a tournament file.

    Raises `TournamentFileError`, and `PlanRefusedError` for a file that cannot be used.
    """
    if not given.endswith(".toml"):
        return given
    from arena.server.setup.tournament_file import PlanError, parse_plan

    try:
        return parse_plan(tournament_text(Path(given)), tell_lines=True).game().ruleset
    except PlanError as error:
        values = {"file": given, "problem": joined(error.problems)}
        raise PlanRefusedError(Said("tournament_file.unusable", values)) from error
