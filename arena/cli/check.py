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
    make_printable,
    output,
)
from arena.cli.shared.playing import awaited_bot, set_option
from arena.nearest import nearest
from arena.services.one_bot import launched_bot, plan_for_one
from arena.services.plans import given_fields

if TYPE_CHECKING:
    from arena.conformance.play import PlayedSituation
    from arena.conformance.situation import Situation
    from arena.server.programs.program import Host
    from arena.server.setup.tournament_file import Plan

LONGEST_LINE = 2000
"""Characters for the longest hexadecimal or decoded answer; a bot may send far more."""


@click.command()
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.option("--ruleset", metavar="NAME", help="Name of the ruleset; vasa by default.")
@click.option(
    "--tournament",
    type=click.Path(exists=True, path_type=Path),
    help="A tournament file or run folder that gives ruleset, clocks and limits.",
)
@set_option
@click.option(
    "--only",
    "names",
    multiple=True,
    metavar="NAME",
    help="A situation; may be repeated.",
)
@click.option("--list", "is_list", is_flag=True, help="Print the situations; start nothing.")
@click.option(
    "--connect",
    "--listen",
    "listen",
    metavar="ADDRESS",
    help="Wait here for a bot that connects by itself, such as tcp:127.0.0.1:4711.",
)
@click.option("--name", default="checked", help="Name with which the bot has to log in.")
@click.option(
    "--token-file",
    type=A_FILE,
    help="With --connect: the token for its login; without it a new one is made and printed.",
)
@click.option(
    "--wait",
    "patience_s",
    type=click.FloatRange(0.1, 3600),
    help="Seconds to wait for the bot to connect, and for each message, but never less than "
    "its delay; 10, with --connect 60.",
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
    of the documentation explains it. The clocks are those of a tournament: a bot that would lose
    its games on time fails. --set gives a field of the file, as with `arena run`. Exits 0 if
    everything required goes well, 1 if not, 2 for wrong use.

    \b
    Examples:
      arena check "python mybot.py"
      arena check --tournament friday.toml "python mybot.py"
      arena check --set clock.delay_ms=200 --set limits.sandbox=off "python mybot.py"
      arena check --ruleset backgammon --only entering -- python mybot.py
      arena check --connect tcp:127.0.0.1:4711
    """
    if tournament is not None and ruleset is not None:
        fail(f"{tournament} defines the tournament already; leave out --ruleset")
    fields = given_fields(sets, {"--ruleset": ("tournament.ruleset", ruleset)})
    plan = plan_for_one(tournament, fields)
    situations = _choose_situations(plan, names)
    if is_list:
        _list(situations, as_json=as_json)
        return
    if (listen is None) == (not words):
        example = 'such as "python mybot.py", or --connect ADDRESS'
        fail(f"give the command that starts the bot, {example}; one of the two")
    if listen is None:
        if token_file is not None:
            fail("--token-file is for --connect; a program that is started here gets a new token")
        host, wait_s = launched_bot(words, plan, name), plan.limits.startup_ms / 1000
    else:
        host, wait_s = _remote_bot(listen, name, token_file, len(situations)), 60
    played = _run(situations, host, plan, patience_s or wait_s, as_json=as_json)
    _conclude(played, ruleset=plan.game().name, as_json=as_json)


def _choose_situations(plan: Plan, names: Sequence[str]) -> list[Situation]:
    """Return the situations of these names, or all; end the command for an unknown name."""
    from arena.conformance.situations import situations

    by_name = {situation.name: situation for situation in situations(plan.game(), plan.clock)}
    for name in names:
        if name not in by_name:
            known = f"there are {', '.join(by_name)}{nearest(name, by_name)}"
            fail(f"no situation is called {name!r} in this game; {known}")
    if not names:
        return [*by_name.values()]
    return [situation for situation in by_name.values() if situation.name in names]


def _list(situations: Sequence[Situation], *, as_json: bool) -> None:
    if as_json:
        entries = []
        for situation in situations:
            entry = {"name": situation.name, "what": situation.what}
            entries.append({**entry, "required": situation.is_required})
        echo_json({"situations": entries})
        return
    for situation in situations:
        optional = "" if situation.is_required else "; optional"
        click.echo(f"{situation.name:<17} {situation.what}{optional}")


def _run(
    situations: list[Situation],
    host: Host,
    plan: Plan,
    patience_s: float,
    *,
    as_json: bool,
) -> list[PlayedSituation]:
    """Play the situations, and print each when it is over; end the command at Ctrl-C."""
    import trio

    from arena.conformance.game_length import turns_of_long_games
    from arena.conformance.play import check
    from arena.server.io.clock import RunningClock

    checklist = Checklist()

    def report(played: PlayedSituation) -> None:
        if not as_json:
            checklist.print(played)

    turns = turns_of_long_games(plan.tournament.ruleset)
    play = partial(
        check,
        situations,
        host,
        clock=plan.clock,
        turns=turns,
        patience_s=patience_s,
        report=report,
    )
    is_interrupted = False
    played: list[PlayedSituation] = []
    try:
        played = trio.run(play, clock=RunningClock())
    except* KeyboardInterrupt:
        is_interrupted = True
    if is_interrupted:
        fail("interrupted; the printed results are valid", code=INTERRUPTED)
    return played


def _remote_bot(listen: str, name: str, token_file: Path | None, times: int) -> Host:
    """Listen for a bot that connects by itself this many times; end the command if that fails."""
    from arena.server.io import secret_values
    from arena.server.setup.credentials import TokenError, read_token

    invitation = f"waiting for the bot, which has to come {times} times; start it in a loop with:"
    if token_file is None:
        token = secret_values.new_token()
        return awaited_bot(listen, name, token, invitation=invitation, shown_token=token)
    try:
        token = read_token(token_file)
    except TokenError as error:
        fail(f"--token-file {token_file} cannot be used: {error}")
    shown_token = f"$(cat {shlex.quote(str(token_file))})"
    return awaited_bot(listen, name, token, invitation=invitation, shown_token=shown_token)


class Checklist:
    """Prints the situations, and a text that bots write to standard error only once."""

    def __init__(self) -> None:
        self._console = output()
        self._printed: set[tuple[str, ...]] = set()
        """Standard error of bots that was printed, if it has several lines."""

    def print(self, played: PlayedSituation) -> None:
        """Print a situation in one line, and below it what went wrong."""
        from rich.text import Text

        situation = played.situation
        line = f" {situation.name:<17} {situation.what}"
        if not situation.is_required:
            line += "; optional"
        if played.spent_ms:
            line += f"; at most {max(played.spent_ms)} ms a turn"
        aside = played.skipped or played.note
        if aside:
            line += f" ({aside})"
        self._console.print(Text.assemble(_mark(played), line))
        for label, text in self._explain(played):
            shown = make_printable(text)[:LONGEST_LINE]
            self._console.print(Text(f"     {label + ':':<9} {shown}"))

    def _explain(self, played: PlayedSituation) -> list[tuple[str, str]]:
        """Return what went wrong, as labels and texts."""
        deviation = played.deviation
        if deviation is None:
            return []
        lines = [("found", f"the bot {deviation.found}"), ("expected", deviation.expected)]
        if played.end and played.end not in deviation.found:
            lines.append(("program", played.end))
        last_words = tuple(played.last_words)
        if last_words in self._printed:
            lines.append(("stderr", "as above"))
        else:
            lines += [("stderr", line) for line in last_words]
            if played.advice:
                lines.append(("to do", played.advice))
        if len(last_words) > 1:
            self._printed.add(last_words)
        if deviation.frame:
            lines.append(("hex", deviation.hex))
            decoded = deviation.decoded or "cannot be decoded as msgpack"
            lines.append(("decoded", decoded))
        lines.append(("see", f"docs/{played.situation.section}"))
        return lines


def _mark(played: PlayedSituation) -> tuple[str, str]:
    """Return the mark of a situation, and its colour."""
    if played.deviation is not None and not played.situation.is_required:
        return "no  ", "yellow"
    if played.is_passed:
        return "ok  ", "green"
    if played.skipped:
        return "skip", "yellow"
    return "FAIL", "red"


def _as_json(played: PlayedSituation) -> dict[str, Any]:
    situation, deviation = played.situation, played.deviation
    verdict = "failed"
    if played.is_passed:
        verdict = "passed"
    elif played.skipped:
        verdict = "skipped"
    entry: dict[str, Any] = {
        "name": situation.name,
        "what": situation.what,
        "required": situation.is_required,
        "see": f"docs/{situation.section}",
        "result": verdict,
        "spent_ms": played.spent_ms,
        "note": played.note,
    }
    if played.skipped:
        entry["skipped"] = played.skipped
    if deviation is not None:
        entry |= {
            "found": deviation.found,
            "expected": deviation.expected,
            "program": played.end,
            "stderr": played.last_words,
            "hex": deviation.hex,
            "decoded": deviation.decoded,
        }
    return entry


def _conclude(played: Sequence[PlayedSituation], *, ruleset: str, as_json: bool) -> None:
    is_good = all(situation.is_good for situation in played)
    if as_json:
        entry = {
            "ruleset": ruleset,
            "conforms": is_good,
            "situations": [_as_json(situation) for situation in played],
        }
        echo_json(entry)
    else:
        passed = sum(situation.is_passed for situation in played)
        summary = f"{passed} of {len(played)} situations go well under {ruleset}"
        skipped = Counter(situation.skipped for situation in played if situation.skipped)
        for reason, count in skipped.items():
            summary += f", {count} not played ({reason})"
        verdict = "something that is required goes wrong"
        if is_good:
            verdict = "all that is required goes well"
        output().print(f"{summary}: {verdict}.")
    if not is_good:
        raise SystemExit(CHECK_FAILED)
