"""`arena run --dry-run`: all that is checked before a run starts, told bot by bot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.shared.bot_check import find_unfit, lacks_a_file, last_words, what_to_do
from arena.cli.shared.language import told
from arena.cli.shared.output import CHECK_FAILED, fail
from arena.cli.shared.playing import stopped

if TYPE_CHECKING:
    from arena.conformance.rehearsal import BotFinding
    from arena.server.setup.tournament_file import BotSection, Plan


def dry_run(plan: Plan, out: Path | None, *, as_json: bool, hint: str = "") -> None:
    """Try out the launched bots of a plan that is in order; ends the command with 1 if one is not fit to play."""
    from rich.cells import cell_len, set_cell_size

    from arena.server.io.operator_log import readable_files
    from arena.server.setup.credentials import open_secrets
    from arena.server.setup.run_folder import FolderError, RunFolder

    try:
        if out is not None:
            RunFolder(out).refuse_strangers()
        found = find_unfit(plan, plan.entrants, out)
    except FolderError as error:
        fail(str(error))
    except (KeyboardInterrupt, OSError, BaseExceptionGroup) as error:
        stopped(error, None)
    by_entrant = {one.entrant: one for one in found}
    unfit = sum(bool(one.problem) for one in found)
    files = open_secrets(plan, Path.cwd())
    warnings = [told(readable_files(files))] if files else []
    if as_json:
        bots = [_plain(bot, by_entrant.get(bot.entrant)) for bot in plan.bot]
        click.echo(json.dumps({"fit": not unfit, "bots": bots, "warnings": warnings}))
    else:
        width = max(map(cell_len, plan.names.values()))
        for bot in plan.bot:
            one = by_entrant.get(bot.entrant)
            words = _words_from_elsewhere(bot) if one is None else _words(one)
            click.echo(f"{set_cell_size(bot.name, width)}  {words}")
            for line in what_to_do(plan, one) if one is not None and one.problem else ():
                click.echo(f"{' ' * width}  {line}")
        played = f"{len(plan.names)} entrants, {plan.game().name}, {plan.format.name}"
        if hint and any(map(lacks_a_file, found)):
            click.echo(hint)
        verdict = f"{unfit} of {len(found)} bots failed the check" if unfit else "the tournament can start"
        click.echo(f"{played}: {verdict}; nothing was played")
    for warning in () if as_json else warnings:
        click.echo(f"[warning] {warning}", err=True)
    if unfit:
        raise SystemExit(CHECK_FAILED)


def _words_from_elsewhere(bot: BotSection) -> str:
    """Describe how a remote bot has to log in."""
    token = "a token that the run makes" if bot.token_file is None else f"the token in {bot.token_file}"
    return f"connects from elsewhere as {bot.entrant} with {token}; not tried"


def _words(found: BotFinding) -> str:
    """Return the result of the check of a launched bot, in words."""
    if found.problem:
        return f"FAILS: {found.problem}; {last_words(found)}"
    if found.warning:
        return f"answers its first turn illegally: {found.warning}"
    if found.spent_ms is None:
        return "ok, still thinks about its first turn within its delay"
    return f"ok, answers its first turn in {found.spent_ms} ms"


def _plain(bot: BotSection, found: BotFinding | None) -> dict[str, object]:
    """The same for a program."""
    if found is None:
        return {"name": bot.entrant, "tried": False, "token_file": bot.token_file}
    return {
        "name": bot.entrant,
        "tried": True,
        "problem": found.problem or None,
        "warning": found.warning or None,
        "last_words": found.last_words,
        "last_lines": found.last_lines,
        "advice": found.advice or None,
        "spent_ms": found.spent_ms,
    }
