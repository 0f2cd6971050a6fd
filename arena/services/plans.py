"""Tournament files as people give them: their text, fields beside it, and the plan of both."""

from __future__ import annotations

import shlex
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from arena.records.files import TOURNAMENT_FILE
from arena.services.errors import RefusedError
from arena.services.progress import Note
from arena.words import Said, joined
from arena.words.system_errors import system_reason

if TYPE_CHECKING:
    from arena.server.setup.given_fields import GivenField
    from arena.server.setup.tournament_file import Plan


class TournamentFileError(RefusedError):
    """A tournament file cannot be read."""


class PlanRefusedError(RefusedError):
    """A planned tournament cannot be played; `problems` has every reason."""


def tournament_text(file: Path, *, is_of_run: bool = False) -> str:
    """Return a tournament file's text, without a byte order mark. Raises `TournamentFileError`."""
    try:
        content = _content(file, is_of_run=is_of_run)
    except OSError as error:
        values = {"file": str(file), "reason": system_reason(error)}
        raise TournamentFileError(Said("tournament_file.unreadable", values)) from error
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) or b"\0" in content[:2]:
        raise TournamentFileError(Said("tournament_file.utf_16", {"file": str(file)}))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        place = {"file": str(file), "line": line}
        raise TournamentFileError(Said("tournament_file.not_utf_8", place)) from error


def _content(file: Path, *, is_of_run: bool) -> bytes:
    """Read a file that a person gives, or one inside a run folder."""
    from arena.regular_files import read_regular
    from arena.server.io.disk import read_inside

    if is_of_run:
        return read_inside(file.parent, file.name)
    return read_regular(file)


def given_text(tournament: Path) -> str:
    """Return the text of a tournament file, or of the one that is frozen in a run folder.

    Raises `TournamentFileError`.
    """
    if not tournament.is_dir():
        return tournament_text(tournament)
    if not (tournament / TOURNAMENT_FILE).exists():
        raise TournamentFileError(Said("not_run.no_file", {"path": str(tournament)}))
    return tournament_text(tournament / TOURNAMENT_FILE, is_of_run=True)


def given_ruleset(name: str) -> str | Mapping[str, Any]:
    """Return the name of a ruleset, or the fields of the one in a tournament file.

    Raises `TournamentFileError`, and `PlanRefusedError` for a file that cannot be used.
    """
    if not name.endswith(".toml"):
        return name
    from arena.server.setup.tournament_file import PlanError, parse_plan

    try:
        return parse_plan(tournament_text(Path(name)), tell_lines=True).game().ruleset
    except PlanError as error:
        values = {"file": name, "problem": joined(error.problems)}
        raise PlanRefusedError(Said("tournament_file.unusable", values)) from error


def given_fields(
    sets: Sequence[str],
    options: Mapping[str, tuple[str, Any]] = MappingProxyType({}),
) -> list[GivenField]:
    """Return the fields that `sets` give, as in clock.delay_ms=500. Raises `GivenFieldError`.

    `options` have their own names for fields: `{"--games": ("tournament.games", 5)}`. A value of
    None gives nothing.
    """
    from arena.server.setup.given_fields import GivenField, parse_set

    fields: list[GivenField] = []
    for option, (path, setting) in options.items():
        if setting is not None:
            keys = tuple(path.split("."))
            fields.append(GivenField(option=f"{option} {setting}", path=keys, value=setting))
    return fields + [parse_set(text) for text in sets]


def checked_plan(
    text: str,
    fields: Sequence[GivenField],
    refusal: Said,
    hidden: Sequence[Path],
    *,
    is_file: bool = False,
    hint: Said | None = None,
    note: Note,
) -> tuple[Plan, str]:
    """Read a tournament file with fields; return the plan, and the file with these fields in it.

    Raises `PlanRefusedError`, which begins with `refusal` and has every problem. No bot may read
    the `hidden` places. `hint` says why programs may not be there; `note` is called for bots that
    are left out and ids that are made up.
    """
    from arena.server.setup.entrant_ids import made_up
    from arena.server.setup.given_fields import text_of_installed, with_fields
    from arena.server.setup.guarded_toml import TomlLimitError
    from arena.server.setup.problems import first_problems
    from arena.server.setup.tournament_file import PlanError, parse_plan

    try:
        plan = parse_plan(text, fields, tell_lines=is_file, by_options=not is_file)
        text, absent = text_of_installed(with_fields(text, fields))
        for sentence in absent:
            note(sentence)
        if absent:
            plan = parse_plan(text)
    except PlanError as error:
        raise PlanRefusedError(refusal, error.problems) from error
    except TomlLimitError as error:
        raise PlanRefusedError(refusal, [Said("set.together", {"problem": error.said})]) from error
    problems = _problems_of(plan, Path.cwd(), hidden, hint)
    names_and_ids = [(bot.name, bot.id) for bot in plan.bot]
    for entrant, name in made_up(names_and_ids).items():
        note(Said("id.made_up", {"name": name, "id": entrant}))
    if problems:
        raise PlanRefusedError(refusal, first_problems(problems))
    return plan, text


def _problems_of(
    plan: Plan, directory: Path, hidden: Sequence[Path], hint: Said | None
) -> list[Said]:
    """Return why the programs, the credentials or the sandbox of a plan cannot be used."""
    from arena.server.programs.bot_command import command_of
    from arena.server.programs.containment import sandbox_problems
    from arena.server.programs.start_problems import program_problems
    from arena.server.setup.credentials import credential_problems

    commands = {bot.name: command_of(bot, directory) for bot in plan.bot if not bot.remote}
    problems = program_problems(commands)
    if problems and hint:
        problems.append(hint)
    problems += credential_problems(plan, directory)
    problems += sandbox_problems(plan, directory, hidden)
    return problems


def hint_at_folder(tournament: Path | None, last_folder: Path | None) -> Said | None:
    """Return a hint if this working folder, where commands of bots run, may be the wrong one.

    None if it seems right. `last_folder` is where they ran so far.
    """
    if last_folder is not None and last_folder != Path.cwd():
        values = {"folder": str(last_folder), "command": _cd(last_folder)}
        return Said("commands_run.before", values)
    if tournament is None or tournament.is_dir() or tournament.parent.resolve() == Path.cwd():
        return None
    return Said("commands_run.here", {"file": tournament.name, "command": _cd(tournament.parent)})


def _cd(folder: Path) -> str:
    return shlex.join(["cd", str(folder)])
