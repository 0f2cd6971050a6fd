"""`arena log`: ask the records of a run a named question."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from arena.cli.query import print_answer, print_json, row_options
from arena.cli.shared.output import CHECK_FAILED, fail, read_source, run_argument
from arena.nearest import nearest
from arena.services.sources import RecordSource, entrant_named


class LogQuestion(NamedTuple):
    """A question and its SQL; an option of the command is a parameter of the same name."""

    asks: str
    sql: str

    @property
    def options(self) -> list[str]:
        """Options that the question takes."""
        return list(dict.fromkeys(re.findall(r":(\w+)", self.sql)))


QUESTIONS: Final = {
    "games": LogQuestion(
        "all games: how each ended, and who won",
        "SELECT file || ':' || line AS place, game, winner, loser, ending, monk, points, cause, "
        "turns, annulled\n"
        "FROM games WHERE :bot IN (seat_1, seat_2, '*') AND match GLOB :match "
        "AND ending GLOB :ending LIMIT :limit",
    ),
    "long-games": LogQuestion(
        "the games, the longest first",
        "SELECT file || ':' || line AS place, game, turns, duration_ms, winner, loser, ending, "
        "annulled\n"
        "FROM games WHERE :bot IN (seat_1, seat_2, '*') AND match GLOB :match "
        "ORDER BY turns DESC LIMIT :limit",
    ),
    "endings": LogQuestion(
        "how games ended, and who won them",
        "SELECT games.ending, games.winner, count(*) AS count "
        "FROM games JOIN matches USING (file, attempt)\n"
        "WHERE games.match GLOB :match AND state <> 'void' AND NOT games.annulled\n"
        "GROUP BY games.ending, games.winner ORDER BY count DESC, games.ending, games.winner",
    ),
    "win-rates": LogQuestion(
        "win rate and points of every bot, by ending",
        "SELECT bot, ending, count(*) AS games, avg(win) AS win_rate, avg(points) AS mean_points "
        "FROM bot_games\n"
        "WHERE bot GLOB :bot GROUP BY bot, ending",
    ),
    "head-to-head": LogQuestion(
        "every bot against every other",
        "SELECT bot, opponent, count(*) AS games, sum(win = 1) AS won, sum(win = 0.5) AS drawn, "
        "sum(win = 0) AS lost,\n"
        "sum(points) AS points FROM bot_games WHERE bot GLOB :bot GROUP BY bot, opponent",
    ),
    "forfeits": LogQuestion(
        "every forfeit: who, and why",
        "SELECT file || ':' || line AS place, game, loser, cause, clause, annulled FROM games\n"
        "WHERE cause IS NOT NULL AND loser GLOB :bot AND match GLOB :match LIMIT :limit",
    ),
    "forfeit-counts": LogQuestion(
        "who forfeited how often, and why",
        "SELECT loser, cause, annulled, count(*) AS count FROM games\n"
        "WHERE cause IS NOT NULL AND match GLOB :match\n"
        "GROUP BY loser, cause, annulled ORDER BY count DESC, loser, cause, annulled",
    ),
    "rejections": LogQuestion(
        "every illegal turn, and what was wrong",
        "SELECT file || ':' || line AS place, game, turn, bot, dice, code, clause, message, left "
        "FROM rejections\n"
        "WHERE bot GLOB :bot AND match GLOB :match LIMIT :limit",
    ),
    "rejection-counts": LogQuestion(
        "whose turns were rejected how often, and why",
        "SELECT bot, clause, code, count(*) AS count FROM rejections\n"
        "WHERE bot GLOB :bot AND match GLOB :match "
        "GROUP BY bot, clause, code ORDER BY count DESC, bot",
    ),
    "slow-turns": LogQuestion(
        "the turns, the slowest first",
        "SELECT file || ':' || line AS place, game, turn, bot, dice, coalesce(notation, event) AS "
        "played, spent_ms\n"
        "FROM turns WHERE bot GLOB :bot AND match GLOB :match ORDER BY spent_ms DESC LIMIT :limit",
    ),
    "thinking": LogQuestion(
        "mean and longest thinking time of every bot",
        "SELECT bot, count(*) AS turns, avg(spent_ms) AS mean_ms, max(spent_ms) AS longest_ms "
        "FROM turns\n"
        "WHERE match GLOB :match GROUP BY bot",
    ),
    "played-in": LogQuestion(
        "the turns played in a position, seen by the bot whose turn it is",
        "SELECT file || ':' || line AS place, game, turn, bot, dice, notation FROM turns\n"
        "WHERE position = :position AND bot GLOB :bot LIMIT :limit",
    ),
    "leading-to": LogQuestion(
        "the turns that led to a position, seen by the opponent",
        "SELECT file || ':' || line AS place, game, turn, bot, dice, notation FROM turns\n"
        "WHERE position_after = :position AND bot GLOB :bot LIMIT :limit",
    ),
    "moves": LogQuestion(
        "the moves played most",
        "SELECT value AS move, count(*) AS count FROM turns, json_each(moves)\n"
        "WHERE bot GLOB :bot GROUP BY move ORDER BY count DESC, move LIMIT :limit",
    ),
    "absences": LogQuestion(
        "lost connections, and bots that came back (times in UTC)",
        "SELECT file || ':' || line AS place, datetime(at_ms / 1000, 'unixepoch') AS time, bot, "
        "event, reason\n"
        "FROM absences WHERE bot GLOB :bot AND match GLOB :match LIMIT :limit",
    ),
    "builds": LogQuestion(
        "the versions and builds that played",
        "SELECT bot, version, fingerprint, count(*) AS count FROM bots\n"
        "WHERE bot GLOB :bot GROUP BY bot, version, fingerprint",
    ),
    "matches": LogQuestion(
        "every attempt at a match, with what decided it or why it is void",
        "SELECT file || ':' || line AS place, attempt, state, annulled, seat_1, score_1, score_2, "
        "seat_2,\n"
        "coalesce(decision, void_reason) AS why FROM matches\n"
        "WHERE :bot IN (seat_1, seat_2, '*') AND match GLOB :match LIMIT :limit",
    ),
}
"""Questions by name, in the order of the list."""


@click.command()
@run_argument
@click.argument("question", required=False)
@click.option(
    "--bot",
    metavar="NAME",
    help="Only what this bot did, or the games and matches it plays in.",
)
@click.option("--match", metavar="PATTERN", help="Only of these matches: r2-anna-v-bo, 'r2-*'.")
@click.option(
    "--ending",
    metavar="NAME",
    help="Only games with this ending: forced_jan, bearing_off, forfeit, ...",
)
@click.option(
    "--position",
    metavar="POSITION",
    help="Only this position: JSON as on the wire, or a literal.",
)
@click.option("--limit", type=click.IntRange(1), help="The most rows to print.")
@click.option(
    "--sql",
    "prints_sql",
    is_flag=True,
    help="Print the SQL for `arena query` instead of the answer.",
)
@row_options
def command(
    run: Path,
    question: str | None,
    *,
    prints_sql: bool,
    as_json: bool,
    as_csv: bool,
    **filters: str | int | None,
) -> None:
    """Answer a named QUESTION about a RUN folder, or one record under its matches/.

    Without a QUESTION it lists all questions with their options. Each is a line or two of SQL;
    `--sql` prints it, so that you can change it for `arena query`.

    \b
    Examples:
      arena log my-run
      arena log my-run rejection-counts               # who rejected most, and why
      arena log my-run slow-turns --limit 1           # the slowest turn
      arena log my-run games --ending forced_jan      # all forced jans
      arena query my-run "$(arena log my-run games --sql)"
    """
    from arena.records.lines import RecordError
    from arena.records.tabulate import names_in
    from arena.tournaments import TournamentError

    source = read_source(run)
    if question is None:
        _list_questions(as_json=as_json)
        return
    if question not in QUESTIONS:
        hint = f"{nearest(question, QUESTIONS)}; `arena log {run}` lists them"
        fail(f"there is no question {question!r}{hint}")
    sql = QUESTIONS[question].sql
    _check_filters(question, filters)
    try:
        names = names_in(source.files)
    except (RecordError, TournamentError) as error:
        fail(f"the records cannot be queried: {error}", code=CHECK_FAILED)
    parameters = {name: _parameter(name, text, source, names) for name, text in filters.items()}
    if prints_sql:
        click.echo(re.sub(r":(\w+)", lambda match: _literal(parameters[match[1]]), sql))
        return
    print_answer(source, sql, parameters, names=names, as_json=as_json, as_csv=as_csv)


def _check_filters(question: str, filters: Mapping[str, str | int | None]) -> None:
    options = QUESTIONS[question].options
    for name, text in filters.items():
        if text is not None and name not in options:
            takes = ", ".join(f"--{option}" for option in options) or "none"
            fail(f"--{name} is not for {question}; it takes {takes}")
    if "position" in options and filters["position"] is None:
        fail(f"{question} is about a position; name it with --position")


def _list_questions(*, as_json: bool) -> None:
    rows = []
    lines = []
    for name, question in QUESTIONS.items():
        options = " ".join(f"--{option}" for option in question.options)
        rows.append((name, question.asks, options))
        lines.append((name, f"{question.asks} ({options})"))
    if as_json:
        print_json(["question", "answers", "options"], rows)
        return
    formatter = click.HelpFormatter()
    formatter.write_dl(lines)
    click.echo(formatter.getvalue(), nl=False)


def _parameter(name: str, text: Any, source: RecordSource, names: Mapping[str, str]) -> Any:
    """Return the SQL parameter for an option; without the option it excludes no row."""
    if text is None:
        return -1 if name == "limit" else "*"
    if name == "ending":
        return re.sub("[ -]", "_", text.strip().lower())
    if name == "position":
        return _position(text, source)
    if name == "bot":
        return entrant_named(text, names)
    return text


def _literal(parameter: str | int) -> str:
    if isinstance(parameter, int):
        return str(parameter)
    quoted = parameter.replace("'", "''")
    return f"'{quoted}'"


def _position(text: str, source: RecordSource) -> str:
    from arena.games.position_ids.forms import read_typed
    from arena.records.rows import json_cell
    from arena.records.tabulate import first_rules

    rules = first_rules(source.files)
    if rules is None:
        fail(f"{source.path} has no match yet")
    try:
        position = read_typed(rules, text).position
    except (ValueError, RecursionError) as error:
        start = json.dumps(rules.to_plain(rules.start()))
        literal = rules.format_position(rules.start())
        fail(
            f"--position is not a position of {rules.name}: {error}; "
            f"expected JSON such as {start}, or a literal such as {literal!r}"
        )
    return json_cell(rules.to_plain(position))
