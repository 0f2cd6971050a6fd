"""`arena hint`: the worth of a position, and its best turns."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.shared.boards import board_lines
from arena.cli.shared.output import echo_json, fail, json_option, output
from arena.cli.shared.streams import echo_coloured
from arena.words import SaidError

if TYPE_CHECKING:
    from arena.cli.rules.lines import RulesQuestion
    from arena.games import Game

LEAST_SHOWN: Final = 0.0005
"""The least chance of an ending that is printed."""


@click.command()
@click.argument("position", required=False)
@click.option("--dice", metavar="31", help="The roll.  [default: that of an ID, or none]")
@click.option(
    "--ruleset",
    metavar="NAME",
    help="Name with options, such as classic+one_die, or a tournament file.  "
    "[default: backgammon for an ID, else vasa]",
)
@click.option("--plies", type=click.IntRange(1, 3), default=2, help="Turns to look ahead.")
@click.option("--lines", is_flag=True, help="Answer JSON lines from standard input.")
@json_option("Print one JSON object.")
def command(
    position: str | None,
    dice: str | None,
    ruleset: str | None,
    plies: int,
    *,
    lines: bool,
    as_json: bool,
) -> None:
    """Tell what POSITION is worth for the side to move, and which turns are best.

    POSITION is a literal, or in backgammon an XGID, a GNU Backgammon ID or a board of FIBS. Points
    and chances are those before the roll. The loss of a turn is in thousandths of a point. Lines
    are those of `arena rules turns`; dice may be left out.

    \b
    Examples:
      arena hint "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
      arena hint "1:15 | opp 13:15" --dice 65 --plies 3
      echo '{"ruleset": "backgammon", "position": "4HPwATDgc/ABMA"}' | arena hint --lines
    """
    from arena.cli.rules.lines import LineError, RulesQuestion, answer_lines

    def answer(question: RulesQuestion) -> dict[str, Any]:
        import msgspec

        from arena.services.hints import hint

        dice = question.dice() if question.rolled else ()
        try:
            reply = hint(question.game, question.position, dice, plies)
        except SaidError as error:
            raise LineError("no_hint", str(error)) from error
        return dict(msgspec.to_builtins(reply))

    if lines and not any((position, dice, ruleset)):
        answer_lines(sys.stdin.buffer, answer, needs=("dice",))
        return
    if lines or position is None:
        fail("give a POSITION in quotation marks, or --lines alone: each line has its own")
    line: dict[str, Any] = {"position": position}
    if dice is not None:
        if not re.fullmatch("[1-6](-?[1-6])?", dice):
            fail(f"--dice is {dice!r}; expected a roll such as 31")
        line["dice"] = list(map(int, dice.replace("-", "")))
    try:
        question = RulesQuestion(line, _game(position, ruleset))
        reply = answer(question)
    except LineError as error:
        fail(error.message)
    if as_json:
        echo_json({**reply, "left_out": question.left_out})
        return
    _print_hint(question, reply)


def _game(position: str, ruleset: str | None) -> Game[Any]:
    """Return the rules to judge by. Raises `GameError` and `PlanRefusedError`."""
    from arena.games import load_game
    from arena.games.position_ids.forms import game_of_id
    from arena.services.plans import given_ruleset

    if ruleset is None:
        return game_of_id(position) or load_game()
    name, *options = ruleset.split("+")
    return load_game(given_ruleset(name), options)


def _print_hint(question: RulesQuestion, reply: Mapping[str, Any]) -> None:
    from arena.analysis.judging import mark_of
    from arena.cli.shared.tables import plain_table

    picture = question.game.picture(question.position, dice=tuple(question.rolled))
    echo_coloured(board_lines(picture))
    for part in question.left_out:
        click.echo(part, err=True)
    click.echo("{ruleset}, {evaluator}, {plies} turns ahead".format_map(reply))
    click.echo("before the roll {points:+.3f} points".format_map(reply))
    for outcome in ("wins", "losses"):
        chances = [f"{sum(reply[outcome].values()):.1%}"]
        for ending, chance in reply[outcome].items():
            if chance >= LEAST_SHOWN:
                chances.append(f"{ending.replace('_', ' ')} {chance:.1%}")
        click.echo(f"{outcome} {', '.join(chances)}")
    if reply["turns"]:
        table = plain_table("", "turn", "", numbers=("points", "loss"))
        for turn in reply["turns"]:
            mark = mark_of(turn["loss"]) or ""
            table.add_row(turn["text"], mark, f"{turn['points']:+.3f}", str(turn["loss"]))
        output().print(table)
