"""Output of `arena run --dry-run`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from arena.cli.shared.language import translate
from arena.cli.shared.output import echo_json, note
from arena.words import Said, say

if TYPE_CHECKING:
    from arena.server.setup.bot_section import BotSection
    from arena.server.setup.tournament_file import Plan
    from arena.services.bot_check import BotFinding, DryRun


def print_as_json(plan: Plan, checked: DryRun) -> None:
    """Print one JSON object."""
    bots = [_as_json(bot, checked.findings.get(bot.entrant)) for bot in plan.bot]
    listen = None
    if plan.from_elsewhere:
        listen = str(plan.listen.where)
    entry = {
        "fit": not checked.unfit,
        "bots": bots,
        "listen": listen,
        "warnings": [*map(say, checked.warnings)],
    }
    echo_json(entry)


def print_dry_run(plan: Plan, checked: DryRun) -> None:
    """Print a line for each bot, what to do, and whether the tournament can start."""
    _print_bots(plan, checked)
    if plan.from_elsewhere:
        where = plan.listen.where
        free: Said | str = ""
        if not getattr(where, "port", 1):
            free = Said("check.free_port")
        click.echo(translate(Said("check.awaited_at", {"address": str(where), "free": free})))
    if checked.hint:
        click.echo(translate(checked.hint))
    verdict = Said("check.can_start")
    if checked.unfit:
        verdict = Said("check.unfit", {"unfit": checked.unfit, "count": len(checked.findings)})
    waits: Said | str = ""
    if plan.tournament.absent == "wait":
        waits = Said("check.waits")
    summary = {
        "count": len(plan.names),
        "ruleset": plan.game().name,
        "format": plan.format.name,
        "waits": waits,
        "verdict": verdict,
    }
    click.echo(translate(Said("check.nothing_played", summary)))
    for warning in checked.warnings:
        note(Said("check.warning", {"warning": warning}))


def _print_bots(plan: Plan, checked: DryRun) -> None:
    from rich.cells import cell_len, set_cell_size

    from arena.services.bot_check import what_to_do

    width = max(map(cell_len, plan.names.values()))
    for bot in plan.bot:
        finding = checked.findings.get(bot.entrant)
        words = translate(_words(bot, finding, plan.listen.pages))
        click.echo(f"{set_cell_size(bot.name, width)}  {words}")
        if finding is None or not finding.problem:
            continue
        for line in what_to_do(plan, finding):
            click.echo(f"{' ' * width}  {translate(line)}")


def _words(bot: BotSection, finding: BotFinding | None, pages: str) -> Said:
    if finding is None and bot.person and pages:
        return Said("check.by_hand", {"pages": pages})
    if finding is None and bot.token_file is None:
        return Said("check.remote", {"name": bot.entrant})
    if finding is None:
        return Said("check.remote_with_token", {"name": bot.entrant, "file": bot.token_file})
    if finding.problem:
        return Said("check.fails", {"problem": finding.problem, "last": finding.said_last})
    if finding.warning:
        return Said("check.illegal_turn", {"why": finding.warning})
    if finding.spent_ms is None:
        return Said("check.thinks")
    return Said("check.fit", {"number": finding.spent_ms})


def _as_json(bot: BotSection, finding: BotFinding | None) -> dict[str, object]:
    if finding is None:
        return {
            "name": bot.entrant,
            "tried": False,
            "token_file": bot.token_file,
        }
    return {
        "name": bot.entrant,
        "tried": True,
        "problem": finding.problem and say(finding.problem),
        "warning": finding.warning and say(finding.warning),
        "last_words": finding.last_words,
        "last_lines": finding.last_lines,
        "advice": finding.advice and say(finding.advice),
        "spent_ms": finding.spent_ms,
    }
