"""`arena log`: look things up in the records of a run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.shared.output import CHECK_FAILED, fail
from arena.cli.shared.sources import RecordSource, has_match, rules_of, source_of
from arena.nearest import nearest

if TYPE_CHECKING:
    from arena.records.rows import Row

UNITS_MS: Final = {"ms": 1, "s": 1000, "m": 60_000}
TABLES: Final = ("games", "turns", "rejections", "absences", "bots", "matches")
"""What can be listed; repeated here, so that --help does not load the records."""


class _NamedTable(click.Choice[str]):
    """One of the tables."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in TABLES:
            self.fail(f"{value!r} is not one of {', '.join(TABLES)}{nearest(value, TABLES)}", param, ctx)
        return str(value)


class _Duration(click.ParamType[int]):
    """A time with its unit; whole milliseconds."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        found = re.fullmatch(r"(\d{1,12}(?:\.\d+)?) *(ms|s|m)", str(value))
        if found is None:
            self.fail(f"{value!r} is not a time with a unit; expected something like 500ms, 2.5s or 1m", param, ctx)
        return int(float(found[1]) * UNITS_MS[found[2]])


CRITERIA: Final[tuple[Callable[[Any], Any], ...]] = (
    click.option(
        "--bot", metavar="NAME", help="Turns, rejections and absences of this bot; games and matches it plays in."
    ),
    click.option("--opponent", metavar="NAME", help="Its opponent in them."),
    click.option("--winner", metavar="NAME", help="Games and matches that this bot has won."),
    click.option("--loser", metavar="NAME", help="Games that this bot has lost."),
    click.option("--match", metavar="PATTERN", help="Only of these matches: r2-anna-v-bo, 'r2-*'."),
    click.option("--attempt", type=click.IntRange(1), help="Only of this attempt at a match."),
    click.option("--game", type=click.IntRange(1), help="Only of the game with this number."),
    click.option("--turn", type=click.IntRange(1), help="Only turns with this number."),
    click.option("--ruleset", metavar="NAME", help="Only under this ruleset."),
    click.option("--ending", metavar="NAME", help="Games with this ending: forced_jan, bearing_off, forfeit, ..."),
    click.option(
        "--cause",
        type=click.Choice(["illegal_turns", "time", "disconnect", "no_show", "no_reveal"]),
        help="Of a forfeit.",
    ),
    click.option("--code", metavar="CODE", help="Rejections with this code."),
    click.option("--clause", metavar="CLAUSE", help="Games ended, or turns rejected, by this clause: B4.1."),
    click.option("--event", metavar="EVENT", help="turn_played, flag_fell, draw_agreed; bot_left, bot_missing, ..."),
    click.option("--slower-than", "slower_than_ms", type=_Duration(), help="Thinking time: 500ms, 2s, 1m."),
    click.option("--position", metavar="POSITION", help="Turns in this position: JSON as on the wire, or a literal."),
    click.option("--position-after", metavar="POSITION", help="Turns that lead to it, seen from the opponent."),
    click.option("--since", "since_ms", type=click.DateTime(), help="From this time on (UTC)."),
    click.option("--until", "until_ms", type=click.DateTime(), help="Before this time (UTC)."),
)


def _criteria(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that select rows."""
    for option in reversed(CRITERIA):
        command = option(command)
    return command


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("table", type=_NamedTable(TABLES), required=False)
@_criteria
@click.option("--sort", metavar="COLUMN", help="Sort by a column; -COLUMN: greatest first.")
@click.option("--limit", type=click.IntRange(1), help="At most so many.")
@click.option("--slowest", type=click.IntRange(1), metavar="N", help="The same as --sort -spent_ms --limit N.")
@click.option("--count-by", metavar="COLUMN[,COLUMN]", help="Count rows for each value, most frequent first.")
@click.option("--follow", is_flag=True, help="Go on with new records, until the run is over.")
@click.option("-v", "--verbose", is_flag=True, help="Below each line, print the command that shows or replays it.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, with every column.")
def command(
    run: Path,
    table: str | None,
    sort: str | None,
    limit: int | None,
    slowest: int | None,
    count_by: str | None,
    *,
    follow: bool,
    verbose: bool,
    as_json: bool,
    **criteria: Any,
) -> None:
    """List games, turns, rejections, absences, bots or matches of a RUN folder, or of one record under its matches/.

    Without a TABLE the options decide; else games are listed. Every line begins with its place in the records.
    Records that cannot be read are left out and named on standard error; the exit status is then 1.

    \b
    Examples:
      arena log my-run rejections --count-by bot      # who rejected most
      arena log my-run --slowest 1                    # the slowest turn
      arena log my-run --ending forced_jan            # all forced jans
      arena log my-run --bot anna --slower-than 500ms --since 2026-11-14
    """  # noqa: D301 - click's mark for a block that keeps its lines
    from arena.cli.log.reader import TableReader
    from arena.records.rows import FOLLOWED
    from arena.records.selection import SelectionError, check_column, select

    if slowest is not None:
        if sort is not None or limit is not None:
            fail("--slowest N is --sort -spent_ms --limit N; give one or the other")
        sort, limit = "-spent_ms", slowest
        table = table or ("rejections" if criteria["code"] else "turns")
    if follow and (sort or count_by):
        fail("--follow lists things as they happen; it goes with neither --sort, --slowest nor --count-by")
    if sort and count_by:
        fail("--count-by puts the most frequent first; it does not go with --sort or --slowest")
    source = source_of(run)
    try:
        selection = select(table, {name: value for name, value in criteria.items() if value is not None})
        columns = [check_column(selection.table, name.strip()) for name in (count_by or "").split(",") if count_by]
        if sort:
            check_column(selection.table, sort.removeprefix("-"))
    except SelectionError as error:
        fail(str(error))
    asked = {name: _value(name, value, source) for name, value in selection.criteria.items()}
    selection.criteria = asked
    follows = as_json or selection.table == "turns" or not FOLLOWED.isdisjoint(asked)
    reader = TableReader(source, selection.table, with_positions=follows)
    rows = selection.rows(reader.followed() if follow else reader.rows())
    if count_by:
        _print_counts(rows, columns, limit, {} if as_json else _names(source), as_json=as_json)
    else:
        _print_rows(_in_order(rows, sort, limit), source, verbose=verbose, as_json=as_json)
    if not (selection.found or reader.is_broken or has_match(source)):
        click.echo(f"{source.path} has no match in it yet", err=True)
    elif not selection.found:
        click.echo(f"none of {selection.seen} {selection.table} matches", err=True)
        for sentence in selection.unknown(_names(source)):
            click.echo(sentence, err=True)
    raise SystemExit(CHECK_FAILED if reader.is_broken else 0)


def _value(name: str, value: Any, source: RecordSource) -> Any:
    """The value that a criterion is compared with, from what was typed."""
    from arena.records.selection import ENTRANTS

    if name in ("since_ms", "until_ms"):
        return int(value.replace(tzinfo=UTC).timestamp() * 1000)
    if name == "ending":
        return value.strip().lower().replace(" ", "_").replace("-", "_")
    if name in ("position", "position_after"):
        return _position(name, value, source)
    if name in ENTRANTS:
        return _entrant(value, source)
    return value


def _entrant(value: str, source: RecordSource) -> str:
    """The id of an entrant that is called by its id or by what screens show."""
    names = _names(source)
    return value if value in names else next((one for one, shown in names.items() if shown == value), value)


def _names(source: RecordSource) -> Mapping[str, str]:
    """What the entrants are called on screens, by id; nothing if that cannot be read."""
    from arena.records.lines import RecordError
    from arena.records.tabulate import names_in
    from arena.tournaments.errors import TournamentError

    try:
        return names_in(source.files)
    except (RecordError, TournamentError):
        return {}  # the reader tells what is broken


def _position(name: str, text: str, source: RecordSource) -> dict[str, Any]:
    """A position in the form of the rows, from JSON or a literal; ends the command if it is not a position."""
    from arena.games import GameError

    rules = rules_of(source)
    try:
        position = rules.from_plain(json.loads(text)) if text.lstrip().startswith("{") else rules.parse_position(text)
    except (GameError, json.JSONDecodeError, RecursionError) as error:
        start = json.dumps(rules.to_plain(rules.start()))
        fail(
            f"--{name.replace('_', '-')} is not a position of {rules.name}: {error}; "
            f"expected JSON such as {start}, or a literal such as {rules.format_position(rules.start())!r}"
        )
    return rules.to_plain(position)


def _in_order(rows: Iterator[Row], sort: str | None, limit: int | None) -> Iterable[Row]:
    from arena.records.selection import sorted_rows

    if sort is None:
        return islice(rows, limit)
    return sorted_rows(rows, sort.removeprefix("-"), descending=sort.startswith("-"), limit=limit)


def _print_rows(rows: Iterable[Row], source: RecordSource, *, verbose: bool, as_json: bool) -> None:
    from arena.cli.log.lines import lines_of
    from arena.records.rows import to_json

    for row in rows:
        for line in [to_json(row).decode()] if as_json else lines_of(row, source, verbose=verbose):
            click.echo(line)


def _print_counts(
    rows: Iterable[Row], columns: list[str], limit: int | None, names: Mapping[str, str], *, as_json: bool
) -> None:
    from arena.cli.log.lines import IDS
    from arena.cli.shared.answers import print_json, print_rows
    from arena.records.selection import count_by

    counts = [
        (
            *(names.get(value, value) if name in IDS else value for name, value in zip(columns, values, strict=True)),
            count,
        )
        for values, count in count_by(rows, columns)[:limit]
    ]
    if counts:
        (print_json if as_json else print_rows)([*columns, "count"], counts)
