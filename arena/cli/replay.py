"""`arena replay`: put one turn of a recorded match to a bot again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from arena.cli.shared.boards import board_lines
from arena.cli.shared.language import told
from arena.cli.shared.output import CHECK_FAILED, echo_json, fail, json_option, output
from arena.cli.shared.playing import awaited_bot, name_and_command
from arena.cli.shared.streams import echo_coloured
from arena.own_programs import module_advice
from arena.records.files import TOURNAMENT_FILE
from arena.services.one_bot import command_words
from arena.services.plans import tournament_text
from arena.services.sources import attempts_of, tournament_of
from arena.words import joined, say

if TYPE_CHECKING:
    from arena.matches.facts import TurnFact
    from arena.server.setup.tournament_file import Plan
    from arena.services.rehearsal import Rehearsal, TurnQuestion


@click.command()
@click.argument("log", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--game",
    type=click.IntRange(1),
    help="Number of the game; needed with --turn if there are several.",
)
@click.option(
    "--turn",
    type=click.IntRange(1),
    help="Number of the turn; both sides' turns count.  [default: the one with which a game was forfeited first]",
)
@click.option(
    "--attempt", type=click.IntRange(1), help="Attempt at the match; the last one if not given."
)
@click.option(
    "--bot",
    metavar="COMMAND",
    help="What starts the bot; NAME=COMMAND also checks whose turn it is.",
)
@click.option(
    "--remote",
    metavar="NAME",
    help="The bot to move, if it connects by itself to the address that is printed.",
)
@click.option(
    "--listen",
    metavar="ADDRESS",
    default="tcp:127.0.0.1:0",
    show_default=False,
    help="Where a remote bot connects.",
)
@json_option("Print one JSON object.")
def command(
    log: Path,
    game: int | None,
    turn: int | None,
    attempt: int | None,
    bot: str | None,
    remote: str | None,
    listen: str,
    *,
    as_json: bool,
) -> None:
    """Put one turn of a recorded match to a bot again, and judge its answer beside the one on record.

    LOG is a file under matches/ of a run folder. The turn may have been played, rejected or not
    answered. The bot gets the same ruleset, position, dice and clock as then, under the limits of
    the run; nothing is recorded. Without --turn it is the turn of the first forfeit, of the bot if
    it has a name here; then LOG may be a run folder. The evidence of a forfeit contains the whole
    command. Exits 0 if the answer is legal and in time, 1 if not.

    \b
    Examples:
      arena replay my-run --bot bo="python bo.py"
      arena replay my-run/matches/r1-anna-v-bo.jsonl --game 1 --turn 7 --bot "python bo.py"
      arena replay my-run/matches/r1-anna-v-bo.jsonl --game 1 --turn 7 --bot bo="python bo.py"
    """
    import trio

    from arena.server.io import secret_values
    from arena.server.io.clock import RunningClock
    from arena.server.programs.bot_command import BotCommand, command_of
    from arena.server.programs.containment import SandboxError, find_containment
    from arena.server.programs.program import Host, launched
    from arena.server.programs.start_problems import program_problems
    from arena.services.rehearsal import rehearse
    from arena.tournaments.names import plain_id

    if (bot is None) == (remote is None):
        fail('give the bot as --bot COMMAND, such as --bot "python bo.py", or as --remote NAME')
    name, arguments = remote, []
    if bot is not None:
        name, line = name_and_command(bot)
        arguments = command_words(line)
        if not arguments:
            fail(f'--bot {bot!r}: expected COMMAND or NAME=COMMAND, such as --bot "python bo.py"')
    if turn is None:
        forfeits = (
            one
            for one in _forfeits(log, name)
            if attempt in (None, one[1]) and game in (None, one[2])
        )
        first = next(forfeits, None)
        if first is None:
            whose = "" if name is None else f" by {name}"
            fail(
                f"no such game of {log} was forfeited{whose} in a turn; give a match record, --game and --turn"
            )
        log, attempt, game, turn = first
    elif log.is_dir():
        fail(
            f"{log} is a folder; give a record under its matches/, or leave out --turn for the first forfeit"
        )
    question, recorded, unanswered = _question(log, game, turn, attempt)
    by_name = dict(zip(question.opened.shown, question.opened.entrants, strict=True))
    if name is not None and by_name.get(name, plain_id(name)) != question.name:
        where = f"turn {turn} of game {question.game.number}"
        fail(f"{where} is {question.shown}'s, not {name}'s; the turns beside it are the other's")
    name = question.name
    plan = _plan(log.parent.parent)
    if remote is None:
        section = next((section for section in plan.bot if section.entrant == name), None)
        command = BotCommand(words=tuple(arguments), directory=Path.cwd())
        if section is not None:
            command = command_of(section, Path.cwd(), arguments)
        if problems := program_problems({name: command}):
            fail(joined(problems))
        try:
            containment = find_containment(plan, hidden=[log.parent.parent], directory=Path.cwd())
        except SandboxError as error:
            fail(f'the run says sandbox = "require", but {error}')
        host: Host = partial(launched, command, containment, name=name)
        ready_ms = question.opened.terms.startup_ms
    else:
        token = secret_values.new_token()
        host = awaited_bot(
            listen, name, token, invitation="waiting for the bot; start it with:", shown=token
        )
        ready_ms = plan.limits.join_ms
    found = trio.run(rehearse, question, host, ready_ms, clock=RunningClock())
    if as_json:
        echo_json(_plain(question, recorded, found), default=bytes.hex)
    else:
        _print(question, recorded, unanswered, found)
    raise SystemExit(0 if _is_good(found) else CHECK_FAILED)


def _forfeits(path: Path, name: str | None) -> Iterator[tuple[Path, int, int, int]]:
    """Yield record, attempt, game and turn of every forfeit here, or of those of a bot, the first first.

    The turn is the last one that was put to the loser; a game without one is left out.
    """
    from arena.matches.facts import GameEnded
    from arena.matches.state import other
    from arena.records.facts import FixtureSettled
    from arena.records.files import match_record
    from arena.records.lines import RecordError
    from arena.records.replay import find_turn
    from arena.tournaments.names import plain_id

    logs = [path]
    if path.is_dir():
        settled = [fact for fact in tournament_of(path)[1] if isinstance(fact, FixtureSettled)]
        logs = [
            path / match_record(fact.fixture)
            for fact in settled
            if any(one.cause for one in fact.games)
        ]
    for log, attempt in ((one, attempt) for one in logs for attempt in attempts_of(one)):
        opened = attempt.opened
        by_name = dict(zip(opened.shown, opened.entrants, strict=True))
        for _, fact in attempt.facts:
            if (
                not isinstance(fact, GameEnded)
                or fact.result.cause is None
                or fact.result.winner is None
            ):
                continue
            loser = other(fact.result.winner)
            is_wanted = (
                name is None or by_name.get(name, plain_id(name)) == opened.entrants[loser - 1]
            )
            for turn in (fact.turns + 1, fact.turns) if is_wanted else ():
                with suppress(RecordError):  # it has no such turn
                    if find_turn(attempt, fact.game, turn)[1].mover == loser:
                        yield log, opened.attempt, fact.game, turn
                        break


def _question(
    log: Path, game: int | None, turn: int, number: int | None
) -> tuple[TurnQuestion, list[TurnFact], str]:
    """The turn, what is recorded of it, and why it was never answered, if so; ends the command if there is none."""
    from arena.matches.facts import DiceCalled, TurnFact, TurnRejected
    from arena.records.lines import RecordError
    from arena.records.reasons import why_unanswered
    from arena.records.replay import find_turn
    from arena.services.rehearsal import TurnQuestion

    try:
        attempts = {one.opened.attempt: one for one in attempts_of(log)}
        attempt = attempts.get(number or max(attempts, default=0))
        if attempt is None:
            fail(
                f"{log} has no attempt {number or 1}; it has {', '.join(map(str, attempts)) or 'none'}"
            )
        if game is None and attempt.opened.terms.games > 1:
            fail(
                f"{attempt.opened.match} has {attempt.opened.terms.games} games; say which with --game"
            )
        setting, state = find_turn(attempt, game or 1, turn)
    except RecordError as error:
        fail(f"the turn cannot be found: {error}")
    facts = [fact for _, fact in attempt.facts if isinstance(fact, TurnFact)]
    recorded = [fact for fact in facts if (fact.game, fact.turn) == (state.number, turn)]
    is_answered = bool(recorded) and not (
        isinstance(recorded[-1], DiceCalled)
        or (isinstance(recorded[-1], TurnRejected) and recorded[-1].left >= 0)
    )
    unanswered = "" if is_answered else say(why_unanswered(attempt, state.number, state.mover))
    return TurnQuestion(setting=setting, game=state), recorded, unanswered


def _plan(folder: Path) -> Plan:
    from arena.server.setup.tournament_file import Plan, PlanError, parse_plan

    file = folder / TOURNAMENT_FILE
    if not file.exists():
        return Plan()
    try:
        return parse_plan(tournament_text(file, is_of_run=True))
    except PlanError as error:
        fail(f"{file} cannot be used: {error}")


def _is_good(found: Rehearsal) -> bool:
    from arena.matches.facts import FlagFell, TurnRejected

    return found.verdict is not None and not isinstance(found.verdict, TurnRejected | FlagFell)


def _plain(question: TurnQuestion, recorded: list[TurnFact], found: Rehearsal) -> dict[str, Any]:
    game = question.game
    return {
        "match": question.opened.match,
        "attempt": question.opened.attempt,
        "game": game.number,
        "turn": game.turn,
        "bot": question.name,
        "position": question.rules.to_plain(game.position),
        "dice": game.dice,
        "recorded": [msgspec.to_builtins(fact) for fact in recorded],
        "legal": _is_good(found),
        "verdict": None if found.verdict is None else msgspec.to_builtins(found.verdict),
        "failure": "" if found.failure is None else say(found.failure),
        "stdout": found.guest.stdout,
        "stderr": found.guest.stderr,
    }


def _print(
    question: TurnQuestion, recorded: list[TurnFact], unanswered: str, found: Rehearsal
) -> None:
    """The position, what was answered then and now, and the verdicts; what the bot printed goes to standard error."""
    game, rules, console = question.game, question.rules, output()
    rolls = f" rolls {'-'.join(map(str, game.dice))}" if game.dice else ""
    opened = question.opened
    head = f"{opened.match}, attempt {opened.attempt}, game {game.number}, turn {game.turn}: {question.shown}{rolls}"
    console.print(head)
    echo_coloured(board_lines(rules.picture(game.position, dice=game.dice or ()), "  "))
    for fact in recorded:
        console.print(f"then: {_answer_words(question, fact)}")
    if unanswered:
        console.print(f"then: no answer: {unanswered}")
    said = (
        f"no answer: {say(found.failure)}"
        if found.verdict is None
        else _answer_words(question, found.verdict)
    )
    console.print(f"now:  {said}")
    for text in (found.guest.stdout, found.guest.stderr):
        click.echo(text, err=True, nl=False)
    if advice := module_advice(found.guest.stderr):
        click.echo(say(advice), err=True)


def _answer_words(question: TurnQuestion, fact: TurnFact) -> str:
    from arena.matches.facts import DiceCalled, DrawAgreed, FlagFell, TurnRejected

    if isinstance(fact, FlagFell):
        return f"no answer in time: {fact.spent_ms} ms have passed"
    after = f"after {fact.spent_ms} ms"
    if isinstance(fact, TurnRejected):
        said = str(fact.moves) if fact.moves is not None else ""
        if isinstance(fact.choice, int):
            said = f"choice {fact.choice}"
        elif isinstance(fact.call, int):
            said = f"a call for {fact.call}"
        said = f"{said} " if said else ""
        return f"{said}{after}: rejected ({fact.code}, {fact.clause}): {told(fact.said)}"
    if isinstance(fact, DiceCalled):
        return f"calls for {fact.dice} {after}: allowed"
    if isinstance(fact, DrawAgreed):
        return f"accepts the draw {after}: allowed"
    rules, position = question.rules, question.game.position
    verdict: Any = rules.judge(position, tuple(fact.dice), fact.moves)
    return f"{rules.format_turn(fact.moves, position, verdict.ending)} {after}: legal"
