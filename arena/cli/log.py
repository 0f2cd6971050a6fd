"""`arena log`: ask the records of a run a named question."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from arena.cli.shared.output import CHECK_FAILED, fail
from arena.cli.shared.sources import RecordSource, rules_of, source_of
from arena.nearest import nearest


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("question", required=False)
@click.option("--bot", metavar="NAME", help="Only what this bot did, or the games and matches it plays in.")
@click.option("--match", metavar="PATTERN", help="Only of these matches: r2-anna-v-bo, 'r2-*'.")
@click.option("--ending", metavar="NAME", help="Only games with this ending: forced_jan, bearing_off, forfeit, ...")
@click.option("--position", metavar="POSITION", help="The position asked about: JSON as on the wire, or a literal.")
@click.option("--limit", type=click.IntRange(1), help="At most so many rows.")
@click.option("--sql", "prints_sql", is_flag=True, help="Print the SQL for `arena query` instead of the answer.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a row.")
@click.option("--csv", "as_csv", is_flag=True, help="Comma-separated values with a heading.")
def command(
    run: Path, question: str | None, *, prints_sql: bool, as_json: bool, as_csv: bool, **given: str | int | None
) -> None:
    """Answer a named QUESTION about a RUN folder, or one record under its matches/.

    Without a QUESTION all are listed, with their options. Each is a line or two of SQL; `--sql` prints it, to be
    changed for `arena query`.

    \b
    Examples:
      arena log my-run
      arena log my-run rejection-counts               # who rejected most, and why
      arena log my-run slow-turns --limit 1           # the slowest turn
      arena log my-run games --ending forced_jan      # all forced jans
      arena query my-run "$(arena log my-run games --sql)"
    """  # noqa: D301 - click's mark for a block that keeps its lines
    from arena.cli.query import print_answer
    from arena.cli.shared.answers import print_json
    from arena.cli.shared.questions import QUESTIONS

    source = source_of(run)
    if question is None:
        rows = [(name, one.help, " ".join(f"--{option}" for option in one.options)) for name, one in QUESTIONS.items()]
        if as_json:
            print_json(["question", "answers", "options"], rows)
        else:
            formatter = click.HelpFormatter()
            formatter.write_dl([(name, f"{answers} ({options})") for name, answers, options in rows])
            click.echo(formatter.getvalue(), nl=False)
        return
    if question not in QUESTIONS:
        fail(f"there is no question {question!r}{nearest(question, QUESTIONS)}; `arena log {run}` lists them")
    asked = QUESTIONS[question]
    for name, value in given.items():
        if value is not None and name not in asked.options:
            fail(f"--{name} is not for {question}; it takes {', '.join(f'--{one}' for one in asked.options) or 'none'}")
    if "position" in asked.options and given["position"] is None:
        fail(f"{question} is about a position; name it with --position")
    names = _names(source)
    values = {name: _value(name, value, source, names) for name, value in given.items()}
    if prints_sql:
        click.echo(re.sub(r":(\w+)", lambda found: _literal(values[found[1]]), asked.sql))
        return
    print_answer(source, asked.sql, values, names=names, as_json=as_json, as_csv=as_csv)


def _value(name: str, value: Any, source: RecordSource, names: Mapping[str, str]) -> Any:
    """Return what stands for an option in the SQL; an option that is not given leaves nothing out."""
    if value is None:
        return -1 if name == "limit" else "*"
    if name == "ending":
        return re.sub("[ -]", "_", value.strip().lower())
    if name == "position":
        return _position(value, source)
    if name == "bot" and value not in names:
        found = [one for one, shown in names.items() if shown == value]
        if not found:
            from arena.tournaments.names import listed

            fail(f"bot {value!r} does not occur; there are: {listed(list(names.values())) or 'none'}")
        return found[0]
    return value


def _literal(value: str | int) -> str:
    """Write a value in SQL."""
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def _names(source: RecordSource) -> Mapping[str, str]:
    """Return the display names of the entrants by id; ends the command if the records cannot be read."""
    from arena.records.lines import RecordError
    from arena.records.tabulate import names_in
    from arena.tournaments import TournamentError

    try:
        return names_in(source.files)
    except (RecordError, TournamentError) as error:
        fail(f"the records cannot be queried: {error}", code=CHECK_FAILED)


def _position(text: str, source: RecordSource) -> str:
    """Return the cell of a position that is given as JSON or a literal; ends the command if it is not a position."""
    from arena.games import GameError
    from arena.records.rows import json_cell

    rules = rules_of(source)
    try:
        position = rules.from_plain(json.loads(text)) if text.lstrip().startswith("{") else rules.parse_position(text)
    except (GameError, json.JSONDecodeError, RecursionError) as error:
        start = json.dumps(rules.to_plain(rules.start()))
        fail(
            f"--position is not a position of {rules.name}: {error}; "
            f"expected JSON such as {start}, or a literal such as {rules.format_position(rules.start())!r}"
        )
    return json_cell(rules.to_plain(position))
