"""`arena replay`: put one turn of a recorded match to a bot again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import msgspec

from arena.cli.shared.boards import board_lines
from arena.cli.shared.language import translate
from arena.cli.shared.output import CHECK_FAILED, echo_json, fail, json_option, output, read_source
from arena.cli.shared.playing import awaited_bot, name_and_command
from arena.cli.shared.streams import echo_coloured
from arena.matches.time_control import TimeControl
from arena.own_programs import module_advice
from arena.records.files import TOURNAMENT_FILE, match_record
from arena.services.one_bot import command_words
from arena.services.plans import tournament_text
from arena.services.sources import attempts_in, attempts_of, tournament_of
from arena.words import joined, say

if TYPE_CHECKING:
    from arena.games.result import Seat
    from arena.matches.facts import GameEnded, MatchOpened, TurnFact, TurnRejected
    from arena.matches.state import GameState, Setting
    from arena.records.lines import Attempt
    from arena.server.programs.program import Host
    from arena.server.setup.tournament_file import Plan
    from arena.services.rehearsal import Rehearsal, TurnQuestion


class ForfeitedTurn(NamedTuple):
    """Turn in which a game was forfeited."""

    log: Path
    attempt: int
    game: int
    turn: int


class PastTurn(NamedTuple):
    """Turn that is put to a bot, and what the record says of it."""

    question: TurnQuestion
    recorded: list[TurnFact]
    unanswered: str
    """Why it was not answered then; empty if it was."""


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
    help="Number of the turn; both sides' turns count.  "
    "[default: the turn of the first forfeited game]",
)
@click.option(
    "--attempt",
    type=click.IntRange(1),
    help="Attempt at the match; the last one if not given.",
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
    """Ask a bot one turn of a recorded match again, and judge its answer beside the one on record.

    LOG is a file under matches/ of a run folder. The turn may have been played, rejected or not
    answered. The bot gets the same ruleset, position, dice and clock as before, under the limits of
    the run; nothing is recorded. Without --turn it is the turn of the first forfeit, or of the
    bot's first forfeit if you give its name; then LOG may be a run folder. The evidence of a
    forfeit contains the whole command. Exits 0 if the answer is legal and in time, 1 if not.

    \b
    Examples:
      arena replay my-run --bot bo="python bo.py"
      arena replay my-run/matches/r1-anna-v-bo.jsonl --game 1 --turn 7 --bot "python bo.py"
      arena replay my-run/matches/r1-anna-v-bo.jsonl --game 1 --turn 7 --bot bo="python bo.py"
    """
    import trio

    from arena.server.io.clock import RunningClock
    from arena.services.rehearsal import rehearse

    if (bot is None) == (remote is None):
        fail('give the bot as --bot COMMAND, such as --bot "python bo.py", or as --remote NAME')
    name, arguments = remote, []
    if bot is not None:
        name, line = name_and_command(bot)
        arguments = command_words(line)
        if not arguments:
            fail(f'--bot {bot!r}: expected COMMAND or NAME=COMMAND, such as --bot "python bo.py"')
    if turn is None:
        forfeit = _first_forfeit(log, name, attempt, game)
        log, attempt, game, turn = forfeit.log, forfeit.attempt, forfeit.game, forfeit.turn
    elif log.is_dir():
        advice = "give a record under its matches/, or leave out --turn for the first forfeit"
        fail(f"{log} is a folder; {advice}")
    past_turn = _past_turn(log, game, turn, attempt)
    question = past_turn.question
    _check_name(question, name)
    run = log.parent.parent
    plan = _plan(run)
    if remote is None:
        host = _launched_bot(run, plan, question.name, arguments)
        ready_ms = question.opened.terms.startup_ms
    else:
        host = _remote_bot(listen, question.name)
        ready_ms = plan.limits.join_ms
    rehearsal = trio.run(rehearse, question, host, ready_ms, clock=RunningClock())
    if as_json:
        echo_json(_as_json(past_turn, rehearsal), default=bytes.hex)
    else:
        _print(past_turn, rehearsal)
    raise SystemExit(0 if _is_good(rehearsal) else CHECK_FAILED)


def _launched_bot(run: Path, plan: Plan, name: str, arguments: Sequence[str]) -> Host:
    """Return what launches the bot as in the run; end the command if that is not possible here."""
    from arena.server.programs.bot_command import BotCommand, command_of
    from arena.server.programs.containment import SandboxError, find_containment
    from arena.server.programs.program import launched
    from arena.server.programs.start_problems import program_problems

    command = BotCommand(words=tuple(arguments), directory=Path.cwd())
    for section in plan.bot:
        if section.entrant == name:
            command = command_of(section, Path.cwd(), arguments)
            break
    problems = program_problems({name: command})
    if problems:
        fail(joined(problems))
    try:
        containment = find_containment(plan, hidden=[run], directory=Path.cwd())
    except SandboxError as error:
        fail(f'the run says sandbox = "require", but {error}')
    return partial(launched, command, containment, name=name)


def _remote_bot(listen: str, name: str) -> Host:
    from arena.server.io import secret_values

    token = secret_values.new_token()
    invitation = "waiting for the bot; start it with:"
    return awaited_bot(listen, name, token, invitation=invitation, shown_token=token)


def _check_name(question: TurnQuestion, name: str | None) -> None:
    if name is None or _is_called(question.opened, question.name, name):
        return
    where = f"turn {question.game.turn} of game {question.game.number}"
    fail(f"{where} is {question.shown}'s, not {name}'s; the turns beside it are the other's")


def _is_called(opened: MatchOpened, entrant: str, name: str) -> bool:
    """Return whether an entrant of a match has this id, or is shown by this name."""
    from arena.tournaments.names import plain_id

    by_name = dict(zip(opened.shown, opened.entrants, strict=True))
    return by_name.get(name, plain_id(name)) == entrant


def _first_forfeit(
    path: Path,
    name: str | None,
    attempt: int | None,
    game: int | None,
) -> ForfeitedTurn:
    """Return the first forfeit of this attempt and game, where given; end the command without."""
    first = None
    for forfeit in _forfeits(path, name):
        if attempt in (None, forfeit.attempt) and game in (None, forfeit.game):
            first = forfeit
            break
    if first is None:
        by = f" by {name}" if name is not None else ""
        advice = "give a match record, --game and --turn"
        fail(f"no such game of {path} was forfeited{by} in a turn; {advice}")
    return first


def _forfeits(path: Path, name: str | None) -> Iterator[ForfeitedTurn]:
    """Yield every forfeit here, or those of a bot, in the order of the records."""
    from arena.records.facts import FixtureSettled

    if not path.is_dir():
        for attempt in attempts_of(path):
            yield from _forfeits_in(path, attempt, name)
        return
    _, facts = tournament_of(path)
    for fact in facts:
        if isinstance(fact, FixtureSettled) and any(game.cause for game in fact.games):
            yield from _forfeits(path / match_record(fact.fixture), name)


def _forfeits_in(log: Path, attempt: Attempt, name: str | None) -> Iterator[ForfeitedTurn]:
    """Yield the forfeits in an attempt; with `name`, only those of that bot.

    A game in which no turn was put to the loser is left out.
    """
    from arena.matches.facts import GameEnded
    from arena.matches.state import other

    opened = attempt.opened
    for _, fact in attempt.facts:
        if not isinstance(fact, GameEnded) or fact.result.cause is None:
            continue
        if fact.result.winner is None:
            continue
        loser = other(fact.result.winner)
        if name is not None and not _is_called(opened, opened.entrants[loser - 1], name):
            continue
        turn = _last_turn_of(loser, attempt, fact)
        if turn is not None:
            yield ForfeitedTurn(log, opened.attempt, fact.game, turn)


def _last_turn_of(loser: Seat, attempt: Attempt, ended: GameEnded) -> int | None:
    """Return the last turn of a game that was put to the loser; None if there was none."""
    from arena.records.lines import RecordError
    from arena.records.replay import find_turn

    # The turn that was open at the end; if it was the opponent's, the one before it.
    for turn in (ended.turns + 1, ended.turns):
        try:
            _, state = find_turn(attempt, ended.game, turn)
        except RecordError:  # there is no such turn
            continue
        if state.mover == loser:
            return turn
    return None


def _past_turn(log: Path, game: int | None, turn: int, number: int | None) -> PastTurn:
    """Return the turn with its record; end the command if there is none."""
    from arena.matches.facts import TurnFact
    from arena.records.lines import RecordError
    from arena.records.reasons import why_unanswered
    from arena.records.replay import find_turn
    from arena.services.rehearsal import TurnQuestion

    try:
        attempt = _attempt(log, number)
        terms = attempt.opened.terms
        if game is None and terms.games > 1:
            fail(f"{attempt.opened.match} has {terms.games} games; say which with --game")
        setting, state = _with_clock(*find_turn(attempt, game or 1, turn))
    except RecordError as error:
        fail(f"the turn cannot be found: {error}")
    recorded = []
    for _, fact in attempt.facts:
        if isinstance(fact, TurnFact) and (fact.game, fact.turn) == (state.number, turn):
            recorded.append(fact)
    unanswered = ""
    if not recorded or not _is_answer(recorded[-1]):
        unanswered = say(why_unanswered(attempt, state.number, state.mover))
    return PastTurn(TurnQuestion(setting=setting, game=state), recorded, unanswered)


def _with_clock(setting: Setting, state: GameState) -> tuple[Setting, GameState]:
    """Give a turn of a match that had no clock the default one."""
    if not setting.terms.clock.is_none:
        return setting, state
    replace, clock = msgspec.structs.replace, TimeControl()
    terms = replace(setting.terms, clock=clock)
    opened = replace(setting.opened, terms=terms)
    return replace(setting, opened=opened, terms=terms), replace(state, left_ms=clock.full)


def _attempt(log: Path, number: int | None) -> Attempt:
    played = attempts_in(read_source(log).files)
    attempts = {attempt.opened.attempt: attempt for attempt in played}
    attempt = attempts.get(number or max(attempts, default=0))
    if attempt is None:
        numbers = ", ".join(map(str, attempts)) or "none"
        fail(f"{log} has no attempt {number or 1}; it has {numbers}")
    return attempt


def _is_answer(fact: TurnFact) -> bool:
    """Return whether a fact ends a turn; a bot answers again after a rejection or its dice."""
    from arena.matches.facts import DiceCalled, TurnRejected

    if isinstance(fact, TurnRejected):
        return fact.left < 0
    return not isinstance(fact, DiceCalled)


def _plan(folder: Path) -> Plan:
    from arena.server.setup.tournament_file import Plan, PlanError, parse_plan

    file = folder / TOURNAMENT_FILE
    if not file.exists():
        return Plan()
    try:
        return parse_plan(tournament_text(file, is_of_run=True))
    except PlanError as error:
        fail(f"{file} cannot be used: {error}")


def _is_good(rehearsal: Rehearsal) -> bool:
    from arena.matches.facts import FlagFell, TurnRejected

    return rehearsal.verdict is not None and not isinstance(
        rehearsal.verdict, TurnRejected | FlagFell
    )


def _as_json(past_turn: PastTurn, rehearsal: Rehearsal) -> dict[str, Any]:
    question, game = past_turn.question, past_turn.question.game
    return {
        "match": question.opened.match,
        "attempt": question.opened.attempt,
        "game": game.number,
        "turn": game.turn,
        "bot": question.name,
        "position": question.rules.to_plain(game.position),
        "dice": game.dice,
        "recorded": [msgspec.to_builtins(fact) for fact in past_turn.recorded],
        "legal": _is_good(rehearsal),
        "verdict": rehearsal.verdict and msgspec.to_builtins(rehearsal.verdict),
        "failure": say(rehearsal.failure or ""),
        "stdout": rehearsal.guest.stdout,
        "stderr": rehearsal.guest.stderr,
    }


def _print(past_turn: PastTurn, rehearsal: Rehearsal) -> None:
    """Print the position, the answers of then and now, and the verdicts.

    The output of the bot goes to standard error.
    """
    question, console = past_turn.question, output()
    game, opened = question.game, question.opened
    rolls = ""
    if game.dice:
        rolls = f" rolls {'-'.join(map(str, game.dice))}"
    where = f"{opened.match}, attempt {opened.attempt}, game {game.number}, turn {game.turn}"
    console.print(f"{where}: {question.shown}{rolls}")
    picture = question.rules.picture(game.position, dice=game.dice or ())
    echo_coloured(board_lines(picture, "  "))
    for fact in past_turn.recorded:
        console.print(f"then: {_answer_words(question, fact)}")
    if past_turn.unanswered:
        console.print(f"then: no answer: {past_turn.unanswered}")
    if rehearsal.verdict is None:
        now = f"no answer: {say(rehearsal.failure)}"
    else:
        now = _answer_words(question, rehearsal.verdict)
    console.print(f"now:  {now}")
    for text in (rehearsal.guest.stdout, rehearsal.guest.stderr):
        click.echo(text, err=True, nl=False)
    advice = module_advice(rehearsal.guest.stderr)
    if advice:
        click.echo(say(advice), err=True)


def _answer_words(question: TurnQuestion, fact: TurnFact) -> str:
    from arena.matches.facts import DiceCalled, DrawAgreed, FlagFell, TurnRejected

    if isinstance(fact, FlagFell):
        return f"no answer in time: {fact.spent_ms} ms have passed"
    after = f"after {fact.spent_ms} ms"
    if isinstance(fact, TurnRejected):
        verdict = f"rejected ({fact.code}, {fact.clause}): {translate(fact.said)}"
        return f"{_rejected_answer_words(fact)}{after}: {verdict}"
    if isinstance(fact, DiceCalled):
        return f"calls for {fact.dice} {after}: allowed"
    if isinstance(fact, DrawAgreed):
        return f"accepts the draw {after}: allowed"
    rules, position = question.rules, question.game.position
    judged: Any = rules.judge(position, tuple(fact.dice), fact.moves)
    return f"{rules.format_turn(fact.moves, position, judged.ending)} {after}: legal"


def _rejected_answer_words(fact: TurnRejected) -> str:
    """Return the answer that was rejected, with a blank after it; empty if there was none."""
    if isinstance(fact.choice, int):
        return f"choice {fact.choice} "
    if isinstance(fact.call, int):
        return f"a call for {fact.call} "
    if fact.moves is not None:
        return f"{fact.moves} "
    return ""
