"""Shared by commands that put something to one bot: under what plan, and what starts it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from arena.cli.shared.output import fail
from arena.cli.shared.playing import command_words, given_fields, given_text
from arena.own_programs import with_own_programs
from arena.words import joined

if TYPE_CHECKING:
    from arena.server.programs.program import Host
    from arena.server.setup.tournament_file import Plan

_TWO_ENTRANTS: Final = '[[bot]]\nname = "checked"\nremote = true\n[[bot]]\nname = "opponent"\nremote = true\n'
"""The field of a check without a tournament."""


def plan_for_one(tournament: Path | None, ruleset: str | None, sets: Sequence[str]) -> Plan:
    """The plan of a tournament, or a default one for this ruleset; ends the command if it cannot be used."""
    from arena.server.setup.tournament_file import PlanError, parse_plan

    if tournament is not None and ruleset is not None:
        fail(f"{tournament} says everything about the tournament already; leave out --ruleset")
    fields = given_fields(sets, {"--ruleset": ("tournament.ruleset", ruleset)})
    text = _TWO_ENTRANTS if tournament is None else given_text(tournament)
    try:
        return parse_plan(text, fields, tell_lines=tournament is not None)
    except PlanError as error:
        what = "the bot cannot be checked" if tournament is None else f"{tournament} cannot be used"
        fail(f"{what}:", error.problems)


def environment_line(address: object, name: str, token: str) -> str:
    """Return the beginning of the command that starts a bot elsewhere; the token is given as a shell reads it."""
    return f"ARENA_ADDRESS={shlex.quote(str(address))} ARENA_NAME={shlex.quote(name)} ARENA_TOKEN={token}"


def launched_bot(words: tuple[str, ...], plan: Plan, name: str) -> Host:
    """Return a way to start a bot under the limits of a plan; ends the command if there is no such program."""
    from arena.server.programs.bot_command import BotCommand
    from arena.server.programs.containment import SandboxError, find_containment
    from arena.server.programs.program import launched
    from arena.server.programs.start_problems import program_problems, without_cd

    arguments = command_words(words[0]) if len(words) == 1 else list(with_own_programs(words))
    if not arguments:
        fail('the command is empty; give what starts the bot, such as "python mybot.py"')
    if arguments[0] == "cd":
        folder, line = without_cd(arguments)
        fail(f"no shell reads the command, so it has no cd; type cd {shlex.quote(folder)} first, and give {line!r}")
    command = BotCommand(words=tuple(arguments), directory=Path.cwd())
    if problems := program_problems({"that is checked": command}):
        fail(joined(problems))
    try:
        containment = find_containment(plan, hidden=(), directory=Path.cwd())
    except SandboxError as error:
        fail(f'sandbox "require": {error}; install bubblewrap, or say "auto" or "off"')
    return partial(launched, command, containment, name=name)
