"""One bot by itself: the plan for its turn, and the start of its program."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from arena.own_programs import with_own_programs
from arena.services.errors import RefusedError
from arena.services.plans import PlanRefusedError, given_text
from arena.words import Said, joined, quoted

if TYPE_CHECKING:
    from arena.server.programs.program import Host
    from arena.server.setup.given_fields import GivenField
    from arena.server.setup.tournament_file import Plan

_TWO_ENTRANTS: Final = (
    '[[bot]]\nname = "checked"\nremote = true\n[[bot]]\nname = "opponent"\nremote = true\n'
)
"""The field of a check without a tournament."""


class BotCommandError(RefusedError):
    """The command of a bot cannot be used."""


def plan_for_one(tournament: Path | None, fields: Sequence[GivenField] = ()) -> Plan:
    """Return the plan of a tournament, or a default one, with these fields.

    Raises `TournamentFileError` and `PlanRefusedError`.
    """
    from arena.server.setup.tournament_file import PlanError, parse_plan

    text = _TWO_ENTRANTS
    if tournament is not None:
        text = given_text(tournament)
    try:
        return parse_plan(text, fields, tell_lines=tournament is not None)
    except PlanError as error:
        refusal = Said("one_bot.refused")
        if tournament is not None:
            refusal = Said("one_bot.file_refused", {"file": str(tournament)})
        raise PlanRefusedError(refusal, error.problems) from error


def environment_line(address: object, name: str, token: str) -> str:
    """Return the beginning of the command that starts a bot elsewhere; a shell reads the token."""
    address_and_name = f"ARENA_ADDRESS={shlex.quote(str(address))} ARENA_NAME={shlex.quote(name)}"
    return f"{address_and_name} ARENA_TOKEN={token}"


def command_words(line: str) -> list[str]:
    """Return the words of a command, with the arena's own programs. Raises `BotCommandError`."""
    try:
        return list(with_own_programs(shlex.split(line)))
    except ValueError as error:
        reason = {"command": repr(line), "reason": quoted(str(error))}
        raise BotCommandError(Said("command.unreadable", reason)) from error


def launched_bot(words: Sequence[str], plan: Plan, name: str) -> Host:
    """Return a way to start a bot under the limits of a plan. Raises `BotCommandError`.

    A single word is the whole command line.
    """
    from arena.server.programs.bot_command import BotCommand
    from arena.server.programs.containment import SandboxError, find_containment
    from arena.server.programs.program import launched
    from arena.server.programs.start_problems import program_problems, without_cd

    arguments = list(with_own_programs(words))
    if len(words) == 1:
        arguments = command_words(words[0])
    if not arguments:
        raise BotCommandError(Said("one_bot.empty"))
    if arguments[0] == "cd":
        folder, line = without_cd(arguments)
        advice = {"folder": shlex.quote(folder), "line": repr(line)}
        raise BotCommandError(Said("one_bot.no_cd", advice))
    command = BotCommand(words=tuple(arguments), directory=Path.cwd())
    if problems := program_problems({"that is checked": command}):
        raise BotCommandError(quoted(joined(problems)))
    try:
        containment = find_containment(plan, hidden=(), directory=Path.cwd())
    except SandboxError as error:
        raise BotCommandError(Said("one_bot.no_sandbox", {"reason": error.said})) from error
    return partial(launched, command, containment, name=name)
