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
from arena.cli.shared.output import CHECK_FAILED, fail, messages
from arena.cli.shared.playing import stopped

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

    with messages().status("trying out the bots"):
        return trio.run(check_bots, plan, names, Path.cwd(), hidden, clock=RunningClock())


def check_before_start(
    plan: Plan, names: Collection[str], hidden: Sequence[Path], *, anyway: bool, hint: str = ""
) -> None:
    """Try out these bots; ends the command if one fails and may not. None may see the `hidden` places.

    `hint` says why files may not be there.
    """
    if plan.limits.check_bots == "off" or not names:
        return
    found = _find_unfit(plan, names, hidden)
    for one in found:
        if one.warning:
            click.echo(f"bot {one.name} answers its first turn illegally: {one.warning}", err=True)
    problems = [
        (f"bot {one.name}: {one.problem}; {_last_words(one)}", _what_to_do(plan, one)) for one in found if one.problem
    ]
    if not problems:
        return
    if anyway or plan.limits.check_bots == "warn":
        for line, _ in problems:
            click.echo(f"{line}; the run starts anyway", err=True)
        return
    told = "\n".join(f"  {line}" for problem, more in problems for line in (problem, *more))
    told += f"\n{hint}" if hint and any(map(_lacks_a_file, found)) else ""
    how = 'mend them, or start with --anyway (in a tournament file: [limits] check_bots = "warn")'
    fail(f"nothing was started, because a bot failed the check before the start:\n{told}\n{how}", code=CHECK_FAILED)


def dry_run(plan: Plan, out: Path | None, hidden: Sequence[Path], *, as_json: bool, hint: str = "") -> None:
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
    warnings = [told(readable_files(files))] if files else []
    where, is_listening = plan.listen.where, bool(plan.from_elsewhere)
    if as_json:
        bots = [_plain(bot, by_entrant.get(bot.entrant)) for bot in plan.bot]
        listen = str(where) if is_listening else None
        click.echo(json.dumps({"fit": not unfit, "bots": bots, "listen": listen, "warnings": warnings}))
    else:
        width = max(map(cell_len, plan.names.values()))
        for bot in plan.bot:
            one = by_entrant.get(bot.entrant)
            words = _words(bot, one, plan.listen.pages)
            click.echo(f"{set_cell_size(bot.name, width)}  {words}")
            for line in _what_to_do(plan, one) if one is not None and one.problem else ():
                click.echo(f"{' ' * width}  {line}")
        if is_listening:
            free = "; port 0 is a free one, told when the run starts; [listen] address or --set listen.address fixes it"
            click.echo(f"bots from elsewhere are awaited at {where}{'' if getattr(where, 'port', 1) else free}")
        waits = ", waits for bots that are away" if plan.tournament.absent == "wait" else ""
        played = f"{len(plan.names)} entrants, {plan.game().name}, {plan.format.name}{waits}"
        if hint and any(map(_lacks_a_file, found)):
            click.echo(hint)
        verdict = f"{unfit} of {len(found)} bots failed the check" if unfit else "the tournament can start"
        click.echo(f"{played}: {verdict}; nothing was played")
    for warning in () if as_json else warnings:
        click.echo(f"[warning] {warning}", err=True)
    if unfit:
        raise SystemExit(CHECK_FAILED)


def _words(bot: BotSection, found: BotFinding | None, pages: str) -> str:
    if found is None and bot.person and pages:
        return f"plays by hand in a browser; arena run prints the link, which is served on {pages}"
    if found is None:
        token = "a token that the run makes" if bot.token_file is None else f"the token in {bot.token_file}"
        return f"connects from elsewhere as {bot.entrant} with {token}; not tried"
    if found.problem:
        return f"FAILS: {found.problem}; {_last_words(found)}"
    if found.warning:
        return f"answers its first turn illegally: {found.warning}"
    if found.spent_ms is None:
        return "ok, still thinks about its first turn within its delay"
    return f"ok, answers its first turn in {found.spent_ms} ms"


def _plain(bot: BotSection, found: BotFinding | None) -> dict[str, object]:
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


def _lacks_a_file(found: BotFinding) -> bool:
    return bool(found.problem) and bool(_NOT_THERE.search(found.last_words))


def _last_words(found: BotFinding) -> str:
    return f"last words: {found.last_words}" if found.last_words else "it said nothing on standard error"


def _what_to_do(plan: Plan, found: BotFinding) -> list[str]:
    """Lines to put below the problem of a bot: more of what it said last, and what to do."""
    lines = [f"    {line}" for line in found.last_lines[:-1]]
    if found.advice:
        lines.append(f"  to do: {found.advice}")
    how = "see all of it" if found.last_lines else "try it by itself"
    return [*lines, f"  {how}: {_check_command(plan, found.entrant)}"]


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
