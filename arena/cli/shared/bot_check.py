"""The check of launched bots before a run or a comparison starts, or instead of it, and what the commands say."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from arena.cli.shared.language import told
from arena.cli.shared.output import CHECK_FAILED, fail, messages, note
from arena.cli.shared.playing import stopped
from arena.words import Said, say

if TYPE_CHECKING:
    from arena.conformance.rehearsal import BotFinding
    from arena.server.setup.bot_section import BotSection
    from arena.server.setup.tournament_file import Plan

_NOT_THERE: Final = re.compile(r"No such file|can't open|cannot find|could not find|Unable to access", re.IGNORECASE)

anyway_option = click.option(
    "--anyway", is_flag=True, help="Start even if a launched bot does not log in or does not answer a turn."
)
"""The option of every command that tries out bots before it starts."""


def _find_unfit(plan: Plan, names: Collection[str], hidden: Sequence[Path]) -> list[BotFinding]:
    """Try out the launched bots of these names; none may see the `hidden` places. May be interrupted."""
    import trio

    from arena.conformance.rehearsal import check_bots
    from arena.server.io.clock import RunningClock

    with messages().status(told(Said("check.trying"))):
        return trio.run(check_bots, plan, names, Path.cwd(), hidden, clock=RunningClock())


def check_before_start(
    plan: Plan, names: Collection[str], hidden: Sequence[Path], *, anyway: bool, hint: Said | None = None
) -> None:
    """Try out these bots; ends the command if one fails and may not. None may see the `hidden` places.

    `hint` says why files may not be there.
    """
    if plan.limits.check_bots == "off" or not names:
        return
    found = _find_unfit(plan, names, hidden)
    for one in found:
        if one.warning:
            note(Said("check.illegal", {"name": one.name, "why": one.warning}))
    unfit = [one for one in found if one.problem]
    if not unfit:
        return
    if anyway or plan.limits.check_bots == "warn":
        for one in unfit:
            note(Said("check.anyway", {"problem": _problem(one)}))
        return
    lines: list[Said | str] = []
    for one in unfit:
        lines += [_problem(one), *_what_to_do(plan, one)]
    below = [hint] if hint and any(map(_lacks_a_file, found)) else []
    fail(Said("check.failed"), lines, below=[*below, Said("check.mend")], code=CHECK_FAILED)


def dry_run(plan: Plan, out: Path | None, hidden: Sequence[Path], *, as_json: bool, hint: Said | None = None) -> None:
    """Try out the launched bots of a plan that is in order; ends the command with 1 if one is not fit to play."""
    from rich.cells import cell_len, set_cell_size

    from arena.server.io.operator_log import readable_files
    from arena.server.setup.credentials import open_secrets
    from arena.server.setup.run_folder import RunFolder

    try:
        if out is not None:
            RunFolder(out).refuse_strangers()
        found = _find_unfit(plan, plan.entrants, hidden)
    except (KeyboardInterrupt, OSError, BaseExceptionGroup) as error:
        stopped(error, None)
    by_entrant = {one.entrant: one for one in found}
    unfit = sum(bool(one.problem) for one in found)
    files = open_secrets(plan, Path.cwd())
    warnings = [readable_files(files)] if files else []
    where, is_listening = plan.listen.where, bool(plan.from_elsewhere)
    if as_json:
        bots = [_plain(bot, by_entrant.get(bot.entrant)) for bot in plan.bot]
        listen = str(where) if is_listening else None
        plain = {"fit": not unfit, "bots": bots, "listen": listen, "warnings": [*map(say, warnings)]}
        click.echo(json.dumps(plain))
    else:
        width = max(map(cell_len, plan.names.values()))
        for bot in plan.bot:
            one = by_entrant.get(bot.entrant)
            words = told(_words(bot, one, plan.listen.pages))
            click.echo(f"{set_cell_size(bot.name, width)}  {words}")
            for line in _what_to_do(plan, one) if one is not None and one.problem else ():
                click.echo(f"{' ' * width}  {told(line)}")
        if is_listening:
            free = "" if getattr(where, "port", 1) else Said("check.free_port")
            click.echo(told(Said("check.awaited_at", {"address": str(where), "free": free})))
        if hint and any(map(_lacks_a_file, found)):
            click.echo(told(hint))
        verdict = Said("check.can_start")
        if unfit:
            verdict = Said("check.unfit", {"unfit": unfit, "count": len(found)})
        played = {
            "count": len(plan.names),
            "ruleset": plan.game().name,
            "format": plan.format.name,
            "waits": Said("check.waits") if plan.tournament.absent == "wait" else "",
            "verdict": verdict,
        }
        click.echo(told(Said("check.nothing_played", played)))
        for warning in warnings:
            note(Said("check.warning", {"warning": warning}))
    if unfit:
        raise SystemExit(CHECK_FAILED)


def _words(bot: BotSection, found: BotFinding | None, pages: str) -> Said:
    if found is None and bot.person and pages:
        return Said("check.by_hand", {"pages": pages})
    if found is None and bot.token_file is None:
        return Said("check.remote", {"name": bot.entrant})
    if found is None:
        return Said("check.remote_with_token", {"name": bot.entrant, "file": bot.token_file})
    if found.problem:
        return Said("check.fails", {"problem": found.problem, "last": _last_words(found)})
    if found.warning:
        return Said("check.illegal_turn", {"why": found.warning})
    if found.spent_ms is None:
        return Said("check.thinks")
    return Said("check.fit", {"number": found.spent_ms})


def _plain(bot: BotSection, found: BotFinding | None) -> dict[str, object]:
    if found is None:
        return {"name": bot.entrant, "tried": False, "token_file": bot.token_file}
    return {
        "name": bot.entrant,
        "tried": True,
        "problem": found.problem and say(found.problem),
        "warning": found.warning and say(found.warning),
        "last_words": found.last_words,
        "last_lines": found.last_lines,
        "advice": found.advice and say(found.advice),
        "spent_ms": found.spent_ms,
    }


def _lacks_a_file(found: BotFinding) -> bool:
    return bool(found.problem) and bool(_NOT_THERE.search(found.last_words))


def _problem(found: BotFinding) -> Said:
    return Said("check.problem", {"name": found.name, "problem": found.problem, "last": _last_words(found)})


def _last_words(found: BotFinding) -> Said:
    if found.last_words:
        return Said("check.last_words", {"words": found.last_words})
    return Said("operator.silent")


def _what_to_do(plan: Plan, found: BotFinding) -> list[Said | str]:
    """Lines to put below the problem of a bot: more of what it said last, and what to do."""
    lines: list[Said | str] = [f"    {line}" for line in found.last_lines[:-1]]
    if found.advice:
        lines.append(Said("check.to_do", {"advice": found.advice}))
    how = "check.see_all" if found.last_lines else "check.try_alone"
    return [*lines, Said(how, {"command": _check_command(plan, found.entrant)})]


def _check_command(plan: Plan, entrant: str) -> str:
    from arena.games import DEFAULT
    from arena.server.setup.sections import toml_value

    bot = next(bot for bot in plan.bot if bot.entrant == entrant)
    command, begins = bot.command, "" if bot.folder is None else f"cd {shlex.quote(bot.folder)} && "
    ruleset, options = plan.tournament.ruleset, plan.tournament.options
    words = ["arena", "check"]
    if isinstance(ruleset, str) and (ruleset, options) != (DEFAULT, ()):
        words += ["--ruleset", ruleset]
        words += ["--set", f"tournament.options={toml_value(list(options))}"] if options else []
    if isinstance(command, str):
        line = f'"{command}"' if not set(command) & set('"$`\\!') else shlex.quote(command)
        return f"{begins}{shlex.join(words)} {line}"
    return f"{begins}{shlex.join([*words, '--', *(command or ())])}"
