"""`arena replay`: put one turn of a recorded match to a bot again."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.common import CHECK_FAILED, fail, output

if TYPE_CHECKING:
    from arena.server.plan import Plan
    from arena.server.rehearsal import Outcome, Question


@click.command()
@click.argument("log", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--game", type=click.IntRange(1), required=True, help="Number of the game in the match.")
@click.option("--turn", type=click.IntRange(1), required=True, help="Number of the turn; both sides' turns count.")
@click.option("--attempt", type=click.IntRange(1), help="Attempt at the match; the last one if not given.")
@click.option("--bot", metavar="NAME=COMMAND", help="The bot to move in that turn, and the command that starts it.")
@click.option("--remote", metavar="NAME", help="The bot to move, which connects by itself to the address it is told.")
@click.option("--listen", metavar="ADDRESS", default="tcp:127.0.0.1:0", help="Where a remote bot connects.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    log: Path,
    game: int,
    turn: int,
    attempt: int | None,
    bot: str | None,
    remote: str | None,
    listen: str,
    *,
    as_json: bool,
) -> None:
    """Put one turn of a recorded match to a bot again, and judge its answer.

    LOG is a file under matches/ of a run folder. The bot gets the same ruleset, position, dice and clock as then,
    under the limits of its run; nothing is recorded. Evidence of a forfeit holds the whole command. Exits 0 if the
    answer is legal and in time, 1 if not.

    \b
    Example:
      arena replay my-run/matches/r1-anna-v-bo.jsonl --game 1 --turn 7 --bot bo="python bo.py"
    """  # noqa: D301 - click's mark for a block that keeps its lines
    import json

    import trio

    from arena.server.address import ListenError
    from arena.server.containment import find_containment
    from arena.server.launcher import program_problems
    from arena.server.rehearsal import rehearse_launched, rehearse_remote
    from arena.server.sandbox import SandboxError

    if (bot is None) == (remote is None):
        fail('give the bot as --bot NAME=COMMAND, such as --bot bo="python bo.py", or as --remote NAME')
    name, equals, line = (bot or f"{remote}=").partition("=")
    arguments = _arguments(line)
    if bot is not None and (not equals or not arguments):
        fail(f'--bot {bot!r}: expected NAME=COMMAND, such as --bot bo="python bo.py"')
    question = _question(log, game, turn, attempt)
    if name != question.name:
        fail(f"turn {turn} of game {game} is {question.name}'s, not {name}'s; the turns beside it are the other's")
    plan = _plan(log.parent.parent)
    if remote is None:
        if problems := program_problems({name: arguments}, Path.cwd()):
            fail("; ".join(problems))
        try:
            containment = find_containment(plan, hidden=[log.parent.parent], directory=Path.cwd())
        except SandboxError as error:
            fail(f'the run says sandbox = "require", but {error}')
        found = trio.run(rehearse_launched, question, arguments, containment, Path.cwd())
    else:

        def tell(address: str, token: str) -> None:
            click.echo(f"waiting for ARENA_ADDRESS={address} ARENA_NAME={name} ARENA_TOKEN={token}", err=True)

        try:
            found = trio.run(rehearse_remote, question, listen, plan.limits.join_ms, tell)
        except ListenError as error:
            fail(str(error))
    if as_json:
        click.echo(json.dumps(_plain(question, found), default=bytes.hex))
    else:
        _print(question, found)
    raise SystemExit(0 if _is_good(found) else CHECK_FAILED)


def _arguments(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        fail(f"the command {line!r} cannot be read as a shell would: {error}")


def _question(log: Path, game: int, turn: int, number: int | None) -> Question:
    """The turn that was asked for; ends the command if the record has none such."""
    from arena.records.lines import RecordError
    from arena.records.reading import read_attempts, whole_lines
    from arena.records.replay import find_turn
    from arena.server.rehearsal import Question

    try:
        attempts = {one.opened.attempt: one for one in read_attempts(log.name, whole_lines(log.read_bytes()))}
        attempt = attempts.get(number or max(attempts, default=0))
        if attempt is None:
            fail(f"{log} has no attempt {number or 1}; it has {', '.join(map(str, attempts)) or 'none'}")
        rules, state = find_turn(attempt, game, turn)
    except RecordError as error:
        fail(f"the turn cannot be found: {error}")
    return Question(opened=attempt.opened, rules=rules, game=state)


def _plan(folder: Path) -> Plan:
    """The tournament file of the run, for the limits of its bots; the usual limits for a record by itself."""
    from arena.server.plan import Plan, PlanError, parse_plan

    file = folder / "tournament.toml"
    if not file.exists():
        return Plan()
    try:
        return parse_plan(file.read_text())
    except (OSError, UnicodeDecodeError, PlanError) as error:
        fail(f"{file} cannot be used: {error}")


def _is_good(found: Outcome) -> bool:
    from arena.matches.facts import FlagFell, TurnRejected

    return found.verdict is not None and not isinstance(found.verdict, TurnRejected | FlagFell)


def _plain(question: Question, found: Outcome) -> dict[str, Any]:
    """Everything there is to say, for a program."""
    import msgspec

    game = question.game
    return {
        "match": question.opened.match,
        "attempt": question.opened.attempt,
        "game": game.number,
        "turn": game.turn,
        "bot": question.name,
        "position": question.rules.to_plain(game.position),
        "dice": game.dice,
        "legal": _is_good(found),
        "verdict": None if found.verdict is None else msgspec.to_builtins(found.verdict),
        "failure": found.failure,
        "stdout": found.stdout,
        "stderr": found.stderr,
    }


def _print(question: Question, found: Outcome) -> None:
    """The position, the answer and the verdict, for a person; what the bot printed goes to standard error."""
    from arena.matches.facts import DiceCalled, DrawAgreed, FlagFell, TurnRejected

    game, rules, console = question.game, question.rules, output()
    rolls = f" rolls {'-'.join(map(str, game.dice))}" if game.dice else ""
    opened = question.opened
    head = f"{opened.match}, attempt {opened.attempt}, game {game.number}, turn {game.turn}: {question.name}{rolls}"
    console.print(head, markup=False)
    console.print("\n".join(f"    {line}" for line in rules.draw(game.position).splitlines()), markup=False)
    verdict = found.verdict
    if verdict is None:
        said = f"no answer: {found.failure}"
    elif isinstance(verdict, FlagFell):
        said = f"no answer in time: {verdict.spent_ms} ms have passed"
    elif isinstance(verdict, TurnRejected):
        moves = "" if verdict.moves is None else f"answer: {verdict.moves}\n"
        said = f"{moves}rejected ({verdict.code}, {verdict.clause}): {verdict.message}"
    elif isinstance(verdict, DiceCalled):
        said = f"answer: calls for {verdict.dice} after {verdict.spent_ms} ms\nallowed"
    elif isinstance(verdict, DrawAgreed):
        said = f"answer: accepts the draw after {verdict.spent_ms} ms\nallowed"
    else:
        said = f"answer: {rules.format_turn(verdict.moves)} after {verdict.spent_ms} ms\nlegal"
    console.print(said, markup=False)
    for text in (found.stdout, found.stderr):
        click.echo(text, err=True, nl=False)
