"""`arena rules judge`: whether a turn is legal, and if not, why."""

from __future__ import annotations

from typing import Any, BinaryIO

import click

from arena.cli.shared.output import CHECK_FAILED


@click.command()
@click.argument("file", type=click.File("rb"), default="-")
def command(file: BinaryIO) -> None:
    """Judge the turn in every line of FILE (standard input without one).

    \b
    In:  {"ruleset": "vasa", "position": {...}, "dice": [6, 5], "moves": [[1, 7], [7, 12]]}
    Out: {"legal": true, "position": {...}, "ending": null, "points": 0}
      or {"legal": false, "code": "...", "clause": "B3.3", "message": "...", "legal_turns": 2}

    A line that cannot be answered gives {"error": {"code", "message"}}, the rest go on, and the exit status is 1.
    """  # noqa: D301 - click's mark for a block that keeps its lines
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
        ending = verdict.ending
        return {
            "legal": True,
            "position": question.game.to_plain(verdict.position),
            "ending": ending and ending.name,
            "points": ending.points if ending else 0,
        }

    if not answer_lines(file, answer, needs=("dice", "moves")):
        raise SystemExit(CHECK_FAILED)
