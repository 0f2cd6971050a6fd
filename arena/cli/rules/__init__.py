"""`arena rules`: the rule book as a tool, for bot authors in any language."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from arena.cli.shared.boards import board_lines
from arena.cli.shared.lazy import LazyGroup
from arena.cli.shared.output import CHECK_FAILED, echo_json, json_option
from arena.cli.shared.streams import echo_coloured

if TYPE_CHECKING:
    from arena.games import Dice


@click.group(cls=LazyGroup)
def command() -> None:
    """Ask the rules engine: legal turns, verdicts, boards, IDs, counts.

    A position is an object, a literal, or in backgammon an XGID, a GNU Backgammon ID or a board of
    FIBS, with its dice. An answer names in "left_out" what the arena does not play, such as a cube.

    `turns`, `judge` and `id` read JSON lines from a file or standard input and write one line each,
    so that you can check a program in any language against the engine. Examples:

    \b
      echo '{"ruleset": "vasa", "dice": [6,5], "position": {"bar": [0,0], "off": [0,0],
             "points": [15,0,0,0,0,0,0,0,0,0,0,0,-15,0,0,0,0,0,0,0,0,0,0,0]}}' \\
        | tr -d '\\n' | arena rules turns
      arena rules count --ruleset vasa --depth 2
    """


_file_argument = click.argument("file", type=click.File("rb"), default="-")


@command.command("turns")
@_file_argument
def turns(file: BinaryIO) -> None:
    """List the legal turns of every position in FILE (standard input without one).

    \b
    In:  {"ruleset": "vasa" | {...}, "options": [...], "position": {...}, "dice": [6, 5]}
    Out: {"turns": [{"moves": [[1, 7], ...], "position": {...}, "ending": null, "points": 0}, ...]}

    There is one entry for each distinct result, with the position after the turn as the same side
    sees it. A line that cannot be answered gives {"error": {"code", "message"}}; the other lines
    are answered, and the exit status is 1.
    """
    from arena.cli.rules.lines import RulesQuestion, answer_lines

    def answer(question: RulesQuestion) -> dict[str, Any]:
        turns = question.game.legal_turns(question.position, question.dice())
        entries = []
        for index, turn in enumerate(turns):
            after = question.after_as_json(turn.position, turn.ending)
            entries.append({"moves": turns.moves(index), **after})
        return {"turns": entries}

    answer_lines(file, answer, needs=("dice",))


@command.command("judge")
@_file_argument
def judge(file: BinaryIO) -> None:
    """Judge the turn in every line of FILE (standard input without one).

    \b
    In:  {"ruleset": "vasa", "position": {...}, "dice": [6, 5], "moves": [[1, 7], [7, 12]]}
    Out: {"legal": true, "position": {...}, "ending": null, "points": 0}
      or {"legal": false, "code": "...", "clause": "B3.3", "message": "...", "legal_turns": 2}

    A line that cannot be answered gives {"error": {"code", "message"}}; the other lines are
    answered, and the exit status is 1.
    """
    from arena.cli.rules.lines import LineError, RulesQuestion, answer_lines
    from arena.games import Illegal

    def answer(question: RulesQuestion) -> dict[str, Any]:
        moves = question.line["moves"]
        if not isinstance(moves, list) or not all(isinstance(move, list) for move in moves):
            raise LineError("bad_moves", f"moves = {moves!r}; expected a list of [from, to]")
        verdict = question.game.judge(question.position, question.dice(), moves)
        if isinstance(verdict, Illegal):
            return {
                "legal": False,
                "code": verdict.code,
                "clause": verdict.clause,
                "message": verdict.message,
                "values": verdict.values,
                "legal_turns": verdict.legal_turns,
            }
        return {"legal": True, **question.after_as_json(verdict.position, verdict.ending)}

    answer_lines(file, answer, needs=("dice", "moves"))


@command.command("id")
@_file_argument
def write_ids(file: BinaryIO) -> None:
    """Write the position in every line of FILE in all its forms.

    \b
    In:  {"ruleset": "backgammon", "position": {...} | "XGID=...", "dice": [3, 1]}
    Out: {"literal": "24:2 ... | opp ...", "gnubg": "...", "xgid": "XGID=...", "fibs": "board:..."}

    In games other than backgammon the only form is the literal. Dice may be left out.
    """
    from arena.cli.rules.lines import RulesQuestion, answer_lines
    from arena.games.position_ids.forms import format_ids

    def answer(question: RulesQuestion) -> dict[str, Any]:
        dice = question.dice() if question.rolled else ()
        return {**format_ids(question.game, question.position, dice)}

    answer_lines(file, answer, needs=("dice",))


@command.command("show")
@_file_argument
def show(file: BinaryIO) -> None:
    """Draw the position in every line of FILE (standard input without one).

    The side to move is below. Lines are those of `arena rules turns`; only ruleset, options and
    position are used. Example:

    \b
      echo '{"ruleset": "vasa", "position": {...}}' | arena rules show
    """
    from arena.cli.rules.lines import LineError, questions

    is_good = True
    for question in questions(file, needs=(), may_have=("dice", "moves")):
        if isinstance(question, LineError):
            is_good = False
            click.echo(f"{question.code}: {question.message}", err=True)
        else:
            echo_coloured(board_lines(question.game.picture(question.position)))
            for part in question.left_out:
                click.echo(part, err=True)
    if not is_good:
        raise SystemExit(CHECK_FAILED)


@command.command("count")
@click.option("--ruleset", default="vasa", help="Name of the ruleset.")
@click.option(
    "--option",
    "options",
    multiple=True,
    help="An option of the ruleset, such as double_six.",
)
@click.option("--depth", type=click.IntRange(1, 6), default=2, help="Turns to look ahead.")
@json_option("One JSON object a line.")
def count(ruleset: str, options: tuple[str, ...], depth: int, *, as_json: bool) -> None:
    """Count the tree of all rolls and all distinct results from the start.

    It prints the results of every first roll, in games with dice, then for every depth the leaves
    (transpositions counted each time) and the distinct positions among them. The rule book has the
    same numbers. Examples:

    \b
      arena rules count --ruleset classic --depth 3
      arena rules count --ruleset brandubh-1 --depth 4
    """
    from arena.games import load_game
    from arena.games.playing import count_first_rolls, count_tree

    game = load_game(ruleset, options)
    if not as_json:
        _print_first_rolls(count_first_rolls(game))
    for level in count_tree(game, depth):
        if as_json:
            echo_json(level._asdict())
        else:
            counts = f"{level.leaves:,} leaves, {level.distinct:,} distinct positions"
            click.echo(f"depth {level.depth}: {counts}")


def _print_first_rolls(counts: Mapping[Dice, int]) -> None:
    words = []
    for dice, count in counts.items():
        if dice:
            words.append(f"{'-'.join(map(str, dice))}: {count}")
    if words:
        click.echo("first rolls  " + "  ".join(words))
    else:
        click.echo("no dice")


@command.command("list")
@json_option("One JSON object with every ruleset whole.")
def list_rulesets(*, as_json: bool) -> None:
    """List every ruleset with its fields and the options it takes.

    Example: arena rules list
    """
    from arena.games import load_game, option_names, ruleset_names, ruleset_record

    if as_json:
        echo_json({name: ruleset_record(load_game(name)) for name in ruleset_names()})
        return
    for name in ruleset_names():
        options = ", ".join(option_names(name))
        click.echo(f"{name} (options: {options})" if options else name)
        for field, setting in load_game(name).ruleset.items():
            if field != "name":
                click.echo(f"  {field} = {json.dumps(setting)}")
