"""`arena check`: put a bot through every situation, and print a checklist."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.shared.output import (
    A_FILE,
    CHECK_FAILED,
    INTERRUPTED,
    echo_json,
    fail,
    json_option,
    output,
    printable,
)
from arena.cli.shared.playing import awaited_bot, set_option
from arena.nearest import nearest
from arena.services.one_bot import launched_bot, plan_for_one
from arena.services.plans import given_fields

if TYPE_CHECKING:
    from rich.console import Console

    from arena.conformance.play import PlayedSituation
    from arena.conformance.situation import Situation
    from arena.server.programs.program import Host
    from arena.server.setup.tournament_file import Plan

LONGEST_LINE = 2000
"""Characters, enough for the longest hexadecimal and the longest decoded answer; a bot may send far
more."""


@click.command()
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.option("--ruleset", metavar="NAME", help="Name of the ruleset; vasa by default.")
@click.option(
    "--tournament",
    type=click.Path(exists=True, path_type=Path),
    help="A tournament file or run folder, of which ruleset, clocks and limits are taken.",
)
@set_option
@click.option(
    "--only", "names", multiple=True, metavar="NAME", help="A situation; may be repeated."
)
@click.option("--list", "is_list", is_flag=True, help="Print the situations; start nothing.")
@click.option(
    "--connect",
    "--listen",
    "listen",
    metavar="ADDRESS",
    help="Wait here for a bot that connects by itself, such as tcp:127.0.0.1:4711.",
)
@click.option("--name", default="checked", help="What the bot has to log in as.")
@click.option(
    "--token-file",
    type=A_FILE,
    help="With --connect: the token it has to log in with; else a new one is made and told.",
)
@click.option(
    "--wait",
    "patience_s",
    type=click.FloatRange(0.1, 3600),
    help="Seconds to wait for the bot to connect, and for each word, though never less than its delay; 10, with "
    "--connect 60.",
)
@json_option("Print one JSON object.")
def command(
    words: tuple[str, ...],
    ruleset: str | None,
    tournament: Path | None,
    sets: tuple[str, ...],
    names: tuple[str, ...],
    listen: str | None,
    name: str,
    token_file: Path | None,
    patience_s: float | None,
    *,
    is_list: bool,
    as_json: bool,
) -> None:
    """Put a bot through scripted situations, and print a checklist of what it does right.

    COMMAND starts the bot, once for every situation: in quotes, or as words after `--`. With
    --connect you start the bot yourself, in a loop, and it connects. For every mistake the
    checklist shows what the bot sent, in hexadecimal and decoded, what was expected, and which part
    of the documentation says so. The clocks are those of a tournament: a bot that would lose its
    games on time fails. --set gives a field of the file, as with `arena run`. Exits 0 if everything
    required goes well, 1 if not, 2 for wrong use.

    \b
    Examples:
      arena check "python mybot.py"
      arena check --tournament friday.toml "python mybot.py"
      arena check --set clock.delay_ms=200 --set limits.sandbox=off "python mybot.py"
      arena check --ruleset backgammon --only entering -- python mybot.py
      arena check --connect tcp:127.0.0.1:4711
    """
    from arena.conformance.situations import situations

    if tournament is not None and ruleset is not None:
        fail(f"{tournament} says everything about the tournament already; leave out --ruleset")
    plan = plan_for_one(
        tournament, given_fields(sets, {"--ruleset": ("tournament.ruleset", ruleset)})
    )
    game = plan.game()
    known = {situation.name: situation for situation in situations(game, plan.clock)}
    for wanted in names:
        if wanted not in known:
            there = f"there are {', '.join(known)}{nearest(wanted, known)}"
            fail(f"no situation is called {wanted!r} in this game; {there}")
    chosen = [situation for situation in known.values() if not names or situation.name in names]
    if is_list and as_json:
        told = [{"name": one.name, "what": one.what, "required": one.is_required} for one in chosen]
        echo_json({"situations": told})
        return
    if is_list:
        for one in chosen:
            click.echo(f"{one.name:<17} {one.what}{'' if one.is_required else '; optional'}")
        return
    if (listen is None) == (not words):
        fail(
            'give the command that starts the bot, such as "python mybot.py", or --connect ADDRESS; one of the two'
        )
    if listen is None:
        if token_file is not None:
            fail("--token-file is for --connect; a program that is started here gets a new token")
        host, wait_s = launched_bot(words, plan, name), plan.limits.startup_ms / 1000
    else:
        host, wait_s = _connecting(listen, name, token_file, len(chosen)), 60
    results = _run(chosen, host, plan, patience_s or wait_s, as_json=as_json)
    _conclude(results, ruleset=game.name, as_json=as_json)


def _run(
    chosen: list[Situation], host: Host, plan: Plan, patience_s: float, *, as_json: bool
) -> list[PlayedSituation]:
    import trio

    from arena.conformance.game_length import turns_of_long_games
    from arena.conformance.play import check
    from arena.server.io.clock import RunningClock

    console = output()
    told: set[tuple[str, ...]] = set()

    def report(result: PlayedSituation) -> None:
        if not as_json:
            _print(console, result, told)

    turns = turns_of_long_games(plan.tournament.ruleset)
    play = partial(
        check, chosen, host, clock=plan.clock, turns=turns, patience_s=patience_s, report=report
    )
    is_interrupted = False
    results: list[PlayedSituation] = []
    try:
        results = trio.run(play, clock=RunningClock())
    except* KeyboardInterrupt:
        is_interrupted = True
    if is_interrupted:
        fail("interrupted; the printed results are valid", code=INTERRUPTED)
    return results


def _connecting(listen: str, name: str, token_file: Path | None, times: int) -> Host:
    """Listen for a bot that connects by itself so many times; ends the command if one cannot listen there."""
    from arena.server.io import secret_values
    from arena.server.setup.credentials import TokenError, read_token

    invitation = f"waiting for the bot, which has to come {times} times; start it in a loop with:"
    if token_file is None:
        token = secret_values.new_token()
        return awaited_bot(listen, name, token, invitation=invitation, shown=token)
    try:
        token = read_token(token_file)
    except TokenError as error:
        fail(f"--token-file {token_file} cannot be used: {error}")
    shown = f"$(cat {shlex.quote(str(token_file))})"
    return awaited_bot(listen, name, token, invitation=invitation, shown=shown)


def _print(console: Console, result: PlayedSituation, told: set[tuple[str, ...]]) -> None:
    from rich.text import Text

    situation = result.situation
    mark, style = (
        ("ok  ", "green")
        if result.is_passed
        else ("skip", "yellow")
        if result.skipped
        else ("FAIL", "red")
    )
    if result.deviation is not None and not situation.is_required:
        mark, style = "no  ", "yellow"
    optional = "" if situation.is_required else "; optional"
    took = f"; at most {max(result.spent_ms)} ms a turn" if result.spent_ms else ""
    aside = f" ({result.skipped or result.note})" if result.skipped or result.note else ""
    line = Text.assemble(
        (mark, style), f" {situation.name:<17} {situation.what}{optional}{took}{aside}"
    )
    console.print(line)
    for label, text in _explained(result, told):
        console.print(Text(f"     {label + ':':<9} {printable(text)[:LONGEST_LINE]}"))


def _explained(result: PlayedSituation, told: set[tuple[str, ...]]) -> list[tuple[str, str]]:
    """Return what went wrong, as labels and texts; `told` collects the standard error shown, to show it once."""
    deviation = result.deviation
    if deviation is None:
        return []
    lines = [("found", f"the bot {deviation.found}"), ("expected", deviation.expected)]
    if result.end and result.end not in deviation.found:
        lines.append(("program", result.end))
    said = tuple(result.last_words)
    if said in told:
        lines.append(("stderr", "as above"))
    else:
        lines += [("stderr", line) for line in said]
        if result.advice:
            lines.append(("to do", result.advice))
    if len(said) > 1:
        told.add(said)
    if deviation.frame:
        lines += [
            ("hex", deviation.hex),
            ("decoded", deviation.decoded or "cannot be decoded as msgpack"),
        ]
    return [*lines, ("see", f"docs/{result.situation.section}")]


def _plain(result: PlayedSituation) -> dict[str, Any]:
    situation, deviation = result.situation, result.deviation
    found: dict[str, Any] = {
        "name": situation.name,
        "what": situation.what,
        "required": situation.is_required,
        "see": f"docs/{situation.section}",
        "result": "passed" if result.is_passed else "skipped" if result.skipped else "failed",
        "spent_ms": result.spent_ms,
        "note": result.note,
    }
    if result.skipped:
        found["skipped"] = result.skipped
    if deviation is not None:
        found |= {"found": deviation.found, "expected": deviation.expected, "program": result.end}
        found |= {"stderr": result.last_words, "hex": deviation.hex, "decoded": deviation.decoded}
    return found


def _conclude(results: Sequence[PlayedSituation], *, ruleset: str, as_json: bool) -> None:
    is_good = all(result.is_good for result in results)
    passed = sum(result.is_passed for result in results)
    skipped = Counter(result.skipped for result in results if result.skipped)
    if as_json:
        told = {
            "ruleset": ruleset,
            "conforms": is_good,
            "situations": [_plain(result) for result in results],
        }
        echo_json(told)
    else:
        verdict = (
            "all that is required goes well" if is_good else "something that is required goes wrong"
        )
        aside = "".join(f", {count} not played ({reason})" for reason, count in skipped.items())
        well = f"{passed} of {len(results)} situations go well under {ruleset}{aside}"
        output().print(f"{well}: {verdict}.")
    if not is_good:
        raise SystemExit(CHECK_FAILED)
