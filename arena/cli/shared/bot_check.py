"""The check of launched bots before a run or a comparison starts, and what the commands say of it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from arena.cli.shared.output import CHECK_FAILED, fail, messages

if TYPE_CHECKING:
    from arena.conformance.rehearsal import BotFinding
    from arena.server.setup.tournament_file import Plan

_NOT_THERE: Final = re.compile(r"No such file|can't open|cannot find|could not find|Unable to access", re.IGNORECASE)

anyway_option = click.option(
    "--anyway", is_flag=True, help="Start even if a launched bot does not log in or does not answer a turn."
)
"""The option of every command that tries out bots before it starts."""


def find_unfit(plan: Plan, names: Collection[str], hidden: Path | None) -> list[BotFinding]:
    """Try out the launched bots of these names; `hidden` is the run folder, if it is known. May be interrupted."""
    import trio

    from arena.conformance.rehearsal import check_bots
    from arena.server.io.clock import RunningClock

    folders = [] if hidden is None else [hidden]
    with messages().status("trying out the bots"):
        return trio.run(check_bots, plan, names, Path.cwd(), folders, clock=RunningClock())


def check_before_start(plan: Plan, names: Collection[str], hidden: Path, *, anyway: bool, hint: str = "") -> None:
    """Try out these bots, and tell of those that fail; ends the command if there are any, unless it may go on.

    `hint` says why files may not be there.
    """
    if plan.limits.check_bots == "off" or not names:
        return
    found = find_unfit(plan, names, hidden)
    for one in found:
        if one.warning:
            click.echo(f"bot {one.name} answers its first turn illegally: {one.warning}", err=True)
    problems = [
        (f"bot {one.name}: {one.problem}; {last_words(one)}", what_to_do(plan, one)) for one in found if one.problem
    ]
    if not problems:
        return
    if anyway or plan.limits.check_bots == "warn":
        for line, _ in problems:
            click.echo(f"{line}; the run starts anyway", err=True)
        return
    told = "\n".join(f"  {line}" for problem, more in problems for line in (problem, *more))
    told += f"\n{hint}" if hint and any(map(lacks_a_file, found)) else ""
    how = 'mend them, or start with --anyway (in a tournament file: [limits] check_bots = "warn")'
    fail(f"nothing was started, because a bot failed the check before the start:\n{told}\n{how}", code=CHECK_FAILED)


def lacks_a_file(found: BotFinding) -> bool:
    """Return whether a bot failed because a file was not there."""
    return bool(found.problem) and bool(_NOT_THERE.search(found.last_words))


def last_words(found: BotFinding) -> str:
    """Return what a bot said last on standard error."""
    return f"last words: {found.last_words}" if found.last_words else "it said nothing on standard error"


def what_to_do(plan: Plan, found: BotFinding) -> list[str]:
    """Lines to put below the problem of a bot: more of what it said last, and what to do."""
    lines = [f"    {line}" for line in found.last_lines[:-1]]
    if found.advice:
        lines.append(f"  to do: {found.advice}")
    lines.append(
        f"  {'see all of it' if found.last_lines else 'try it by itself'}: {_check_command(plan, found.entrant)}"
    )
    return lines


def _check_command(plan: Plan, entrant: str) -> str:
    """The command that puts a launched bot through all situations, in the game of the plan."""
    from arena.games import DEFAULT
    from arena.server.setup.toml_places import toml_value

    command = next(bot.command for bot in plan.bot if bot.entrant == entrant)
    ruleset, options = plan.tournament.ruleset, plan.tournament.options
    words = ["arena", "check"]
    if isinstance(ruleset, str) and (ruleset, options) != (DEFAULT, ()):
        words += [
            "--ruleset",
            ruleset,
            *(["--set", f"tournament.options={toml_value(list(options))}"] if options else []),
        ]
    if isinstance(command, str):
        line = f'"{command}"' if not set(command) & set('"$`\\!') else shlex.quote(command)
        return f"{shlex.join(words)} {line}"
    return shlex.join([*words, "--", *(command or ())])
