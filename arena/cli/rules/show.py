"""`arena rules show`: draw positions."""

from __future__ import annotations

from typing import BinaryIO

import click

from arena.cli.shared.output import CHECK_FAILED


@click.command()
@click.argument("file", type=click.File("rb"), default="-")
def command(file: BinaryIO) -> None:
    """Draw the position in every line of FILE (standard input without one), from the view of the side to move.

    Lines are those of `arena rules turns`; only ruleset, options and position are used. Example:

    \b
      echo '{"ruleset": "vasa", "position": {...}}' | arena rules show
    """  # noqa: D301 - click's mark for a block that keeps its lines
    from arena.cli.rules.lines import LineError, questions
    from arena.cli.shared.boards import board_lines
    from arena.cli.shared.streams import echo_coloured

    is_good = True
    for question in questions(file, needs=(), may_have=("dice", "moves")):
        if isinstance(question, LineError):
            is_good = False
            click.echo(f"{question.code}: {question.message}", err=True)
        else:
            echo_coloured(board_lines(question.game.picture(question.position)))
    if not is_good:
        raise SystemExit(CHECK_FAILED)
