"""`arena rules turns`: every distinct result of a roll."""

from __future__ import annotations

from typing import Any, BinaryIO

import click

from arena.cli.shared.output import CHECK_FAILED


@click.command()
@click.argument("file", type=click.File("rb"), default="-")
def command(file: BinaryIO) -> None:
    """List the legal turns of every position in FILE (standard input without one).

    \b
    In:  {"ruleset": "vasa" | {...}, "options": [...], "position": {...}, "dice": [6, 5]}
    Out: {"turns": [{"moves": [[1, 7], ...], "position": {...}, "ending": null, "points": 0}, ...]}

    There is one entry for each distinct result, with the position after the turn as the same side sees it. A line that
    cannot be answered gives {"error": {"code", "message"}}, the rest go on, and the exit status is 1.
    """  # noqa: D301 - click's mark for a block that keeps its lines
    from arena.cli.rules.lines import RulesQuestion, answer_lines

    def answer(question: RulesQuestion) -> dict[str, Any]:
        game = question.game
        turns = game.legal_turns(question.position, question.dice())
        return {
            "turns": [
                {
                    "moves": turns.moves(index),
                    "position": game.to_plain(turn.position),
                    "ending": turn.ending and turn.ending.name,
                    "points": turn.ending.points if turn.ending else 0,
                }
                for index, turn in enumerate(turns)
            ]
        }

    if not answer_lines(file, answer, needs=("dice",)):
        raise SystemExit(CHECK_FAILED)
