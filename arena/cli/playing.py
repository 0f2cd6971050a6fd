"""What the commands that play share: checking the plan, a folder nobody named, how they end when they cannot go on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from arena.cli.common import CHECK_FAILED, INTERRUPTED, WRONG_USE, fail

if TYPE_CHECKING:
    from arena.server.plan import Plan

sandbox_option = click.option(
    "--sandbox",
    type=click.Choice(["auto", "require", "off"]),
    default="auto",
    show_default=True,
    help="Start bots in bubblewrap: where it works, or not at all without it, or never.",
)
"""The option of every command that launches bots under limits it sets itself."""


def checked_plan(text: str, refusal: str) -> Plan:
    """Read a tournament file; ends the command with `refusal` and every problem that keeps it from being played."""
    from arena.server.containment import sandbox_problems
    from arena.server.credentials import credential_problems
    from arena.server.launcher import program_problems
    from arena.server.plan import PlanError, parse_plan

    try:
        plan = parse_plan(text)
    except PlanError as error:
        problems = list(error.problems)
    else:
        here = Path.cwd()
        problems = program_problems({bot.name: bot.arguments for bot in plan.bot if bot.arguments}, here)
        problems += credential_problems(plan, here) + sandbox_problems(plan)
    if problems:
        fail(f"{refusal}:\n" + "\n".join(f"  {problem}" for problem in problems))
    return plan


def stopped(error: BaseException, again: str) -> NoReturn:
    """End the command when play could not go on; anything unexpected is a bug and keeps its traceback.

    `again` is the command to go on with.
    """
    from arena.records.lines import RecordError
    from arena.server.address import ListenError
    from arena.server.reporting import causes
    from arena.server.workers.crew import WorkerError

    found = list(causes(error))
    if any(isinstance(cause, KeyboardInterrupt) for cause in found):
        click.echo(f"stopped; go on with: {again}", err=True)
        raise SystemExit(INTERRUPTED)
    if not all(isinstance(cause, OSError | ListenError | RecordError | WorkerError) for cause in found):
        raise error
    reasons = "; ".join(map(str, found))
    code = WRONG_USE if all(isinstance(cause, ListenError) for cause in found) else CHECK_FAILED
    fail(f"{reasons}; what was finished is safe, go on with: {again}", code=code)


def new_folder(name: str) -> Path:
    """A folder for a run nobody named: runs/<name>-<number>."""
    import re

    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "run"
    number = 1
    while (folder := Path("runs") / f"{slug}-{number}").exists():
        number += 1
    return folder
