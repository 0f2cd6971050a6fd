"""The tables of a run in SQLite: in a file for `arena export`, in memory for `arena query`."""

import json
import re
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import closing
from itertools import chain
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from arena.games.position_ids.forms import format_ids, read_typed
from arena.nearest import meant
from arena.records.analysed import analysis_of
from arena.records.files import TOURNAMENT_RECORD, match_records
from arena.records.lines import RecordError
from arena.records.rows import (
    ANALYSED,
    FOLLOWED,
    TABLE_OF,
    TABLES,
    VIEWS,
    Row,
    cells_of,
    columns_of,
    json_cell,
    table_sql,
)
from arena.records.tabulate import annulled_in, first_rules, rows_of_run
from arena.services.errors import FailedError, RefusedError
from arena.services.sources import RecordSource
from arena.words import Said, quoted

T = TypeVar("T")
COLUMNS: Final = ("table_name", "column_name", "kind", "description")
"""The columns of the table `columns`, which describes every column of the others."""
ASKING: Final = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
"""The actions allowed to a question; others write, open files or change the database's settings."""
ALL_TABLES: Final = (*TABLES, *ANALYSED, *VIEWS)
"""The names of all tables and views that describe a run."""
LONGEST_VALUE: Final = 10_000_000
"""Bytes of one value of a question: a thousand times more than any that a record holds."""

_SIDE: Final = """
SELECT game.file, game.line, game.at_ms, game.match, game.attempt, game.ruleset, game.game,
  {seat} AS seat, game.seat_{seat} AS bot, game.seat_{other} AS opponent,
  CASE WHEN game.winner IS NULL THEN 0.5 ELSE 1.0 * (game.winner = game.seat_{seat}) END AS win,
  CASE game.winner
    WHEN game.seat_{seat} THEN points WHEN game.seat_{other} THEN -points ELSE 0
  END AS points,
  ending, monk, cause IS NOT NULL AND loser = game.seat_{seat} AS forfeits, cause,
  coalesce(starter = game.seat_{seat}, 0) AS starts, turns,
  played.name_{seat} AS name, played.name_{other} AS opponent_name
FROM games AS game
JOIN matches AS played ON played.file = game.file AND played.attempt = game.attempt
WHERE played.state <> 'void' AND NOT played.annulled
"""
"""The half of the view `bot_games` for the bots at one seat."""

_LUCK: Final = """
SELECT side.file, side.line, side.at_ms, side.match, side.attempt, side.ruleset, side.game,
  side.seat, side.bot, side.opponent, side.points, own.luck, other.luck AS opponent_luck,
  CASE WHEN side.cause IS NULL THEN side.points - own.luck + other.luck END AS adjusted,
  side.cause, own.evaluator
FROM bot_games AS side
JOIN {rolls} AS own
  ON (own.file, own.attempt, own.game, own.seat)
    = (side.file, side.attempt, side.game, side.seat)
JOIN {rolls} AS other
  ON (other.file, other.attempt, other.game, other.seat)
    = (side.file, side.attempt, side.game, 3 - side.seat)
"""
"""The view `luck_games`; a side that never rolled had no luck."""
_LUCK_OF_SIDES: Final = """(
  SELECT file, attempt, game, side.seat AS seat,
    total(CASE rolls.seat WHEN side.seat THEN luck END) AS luck, max(evaluator) AS evaluator
  FROM rolls, (SELECT 1 AS seat UNION ALL SELECT 2) AS side GROUP BY file, attempt, game, side.seat
)"""

sqlite3.register_converter("BOOLEAN", lambda cell: cell == b"1")  # SQLite itself knows only 0 and 1


class QuestionError(RefusedError):
    """A question cannot be answered."""


class NotAQuestionError(QuestionError):
    """Anything but a SELECT."""


class TooLongError(QuestionError):
    """A value of the answer, or on the way to it, is longer than `LONGEST_VALUE`."""


class NotAnalysedError(QuestionError):
    """A question that needs an analysis of the run, which was not made."""


class NotKeptError(QuestionError):
    """A question about the analysis of a record by itself, which has none."""


class UnreadableRecordsError(FailedError):
    """The records that a question is about are damaged."""


def descriptions(tables: Iterable[str] = ALL_TABLES) -> Iterator[tuple[str, str, str, str]]:
    """Yield the rows of the table `columns`."""
    for table in tables:
        for column in columns_of(table):
            yield table, column.name, column.kind, column.description


def create_tables(
    database: sqlite3.Connection,
    tables: Collection[str] = (*TABLES, *ANALYSED),
) -> None:
    """Create these tables without their rows, `columns`, and the views."""
    for table in tables:
        database.execute(table_sql(table))
    sides = " UNION ALL ".join(_SIDE.format(seat=seat, other=3 - seat) for seat in (1, 2))
    database.execute(f"CREATE VIEW bot_games AS {sides}")
    views = [view for view in VIEWS if view != "luck_games" or "rolls" in tables]
    if "luck_games" in views:
        database.execute(f"CREATE VIEW luck_games AS {_LUCK.format(rolls=_LUCK_OF_SIDES)}")
    columns = ", ".join(f"{name} TEXT" for name in COLUMNS)
    database.execute(f"CREATE TABLE columns ({columns})")
    with database:
        database.executemany(
            "INSERT INTO columns VALUES (?, ?, ?, ?)",
            descriptions((*tables, *views)),
        )


def fill_tables(
    database: sqlite3.Connection,
    files: Mapping[str, bytes],
    tables: Collection[str],
    *,
    with_positions: bool = True,
) -> None:
    """Write the rows of a run, and of analyses that fit, into tables.

    Raises `RecordError` for damaged records, which are read even if no table is to be filled.
    """
    inserts = {}
    for kind, table in TABLE_OF.items():
        places = ", ".join("?" * len(columns_of(table)))
        inserts[kind] = f"INSERT INTO {table} VALUES ({places})"  # noqa: S608 - no text of a user
    with database:
        if TABLES.keys() & tables or not tables:
            for row in rows_of_run(files, tables=tables, with_positions=with_positions):
                database.execute(inserts[type(row)], cells_of(row))
        if ANALYSED.keys() & tables:
            for row in analysed_rows(files):
                if TABLE_OF[type(row)] in tables:
                    database.execute(inserts[type(row)], cells_of(row))


def analysed_rows(files: Mapping[str, bytes]) -> Iterator[Row]:
    """Yield the rows of `decisions` and `rolls` of the matches with an analysis that fits."""
    annulled = annulled_in(files)
    for record in match_records(files):
        analysis = analysis_of(files, record)
        if analysis is None:
            continue
        for row in (*analysis.decisions, *analysis.rolls):
            if row.match in annulled:
                row = replace(row, annulled=True)
            yield row


def ask(
    source: RecordSource,
    sql: str,
    parameters: Mapping[str, str | int],
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Answer a question with these parameters: the names of the columns, and the rows.

    Raises `QuestionError`, `UnreadableRecordsError`, and `KeyboardInterrupt` at once.
    """
    try:
        return left_by_ctrl_c(lambda: _answer(source, sql, parameters))
    except RecordError as error:
        raise UnreadableRecordsError(Said("query.unreadable", {"reason": error.said})) from error
    except (sqlite3.Error, UnicodeEncodeError) as error:
        values = {
            "reason": quoted(str(error)),
            "meant": _meant(error),
            "tables": ", ".join(ALL_TABLES),
            "path": str(source.path),
        }
        raise QuestionError(Said("query.unanswerable", values)) from error


def _meant(error: Exception) -> Said | str:
    """Return the table or column that a question with an unknown name meant."""
    missing = re.match(r"no such (table|column): (?:\w+\.)*(\w+)$", str(error))
    if missing is None:
        return ""
    kind, name = missing.groups()
    columns: dict[str, list[str]] = {table: [] for table in ALL_TABLES}
    for table, column, _, _ in descriptions():
        columns[table].append(column)
    if kind == "table":
        return meant(name, columns)
    having = [table for table, names in columns.items() if name in names]
    if having:
        return Said("query.column_of", {"column": name, "tables": ", ".join(having)})
    return meant(name, chain.from_iterable(columns.values()))


def left_by_ctrl_c(work: Callable[[], T]) -> T:
    """Do work in a thread, which Ctrl-C leaves behind: it ends with the process.

    Python and SQLite look for Ctrl-C between two steps, and one function of SQLite may take hours.
    """
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(work())
        except Exception as error:  # noqa: BLE001 - it is raised again where it is waited for
            answer.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return answer.result()


class _Authorizer:
    """The judge of what SQLite may do for a question; it notes the tables that are read."""

    def __init__(self) -> None:
        self.has_refused = False
        self.read: set[str | None] = set()

    def __call__(self, action: int, table: str | None, *_: str | None) -> int:
        """Allow an action or refuse it."""
        if action == sqlite3.SQLITE_READ:
            self.read.add(table)
        if action in ASKING:
            return sqlite3.SQLITE_OK
        self.has_refused = True
        return sqlite3.SQLITE_DENY


class _PositionId:
    """The SQL function `position_id(form, position, dice)`, for the game of a run."""

    def __init__(self, source: RecordSource) -> None:
        self._source = source
        self.problem = ""
        """The reason why it has failed; SQLite does not pass it on."""

    def __call__(self, form: str, position: object, dice: object) -> str | None:
        """Return a position in one of the forms of `format_ids`, or as `json`; None if it has none.

        The position is a cell of the tables, or in any form that is read; `dice` is a cell.
        """
        game = first_rules(self._source.files)
        if game is None or position is None:
            return None
        try:
            read = read_typed(game, str(position))
            roll = tuple(json.loads(str(dice or "[]"))) or read.dice
            forms = format_ids(game, read.position, roll)
        except (ValueError, TypeError) as error:
            self.problem = str(error)
            raise
        if form == "json":
            return json_cell(game.to_plain(read.position))
        return forms.get(form)


def _answer(
    source: RecordSource,
    sql: str,
    parameters: Mapping[str, str | int],
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Answer a question in a database of its own: the names of the columns, and the rows."""
    authorizer = _Authorizer()
    position_id = _PositionId(source)
    with closing(sqlite3.connect("", detect_types=sqlite3.PARSE_DECLTYPES)) as database:
        create_tables(database)
        database.create_function("position_id", 3, position_id, deterministic=True)
        # The first use of these functions would be refused.
        database.execute("SELECT 1 FROM json_each('[]'), json_tree('[]')")
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
        try:
            database.set_authorizer(authorizer)
            # On empty tables, before records are read for nothing.
            if database.execute(sql, parameters).description is None:
                raise NotAQuestionError(Said("query.no_select"))
            database.set_authorizer(None)
            analysed = ANALYSED.keys() & authorizer.read
            if analysed:
                _check_analysed(source)
            tables, with_positions = _needed(sql)
            tables |= analysed
            fill_tables(database, source.files, tables, with_positions=with_positions)
            database.execute("PRAGMA query_only = ON")
            database.set_authorizer(authorizer)
            answer = database.execute(sql, parameters)
            return [column[0] for column in answer.description], answer.fetchall()
        except sqlite3.Error as error:
            if position_id.problem:
                raise QuestionError(quoted(position_id.problem)) from error
            if authorizer.has_refused:
                raise NotAQuestionError(Said("query.no_select")) from None
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_TOOBIG:
                raise TooLongError(Said("query.too_long", {"most": LONGEST_VALUE})) from None
            raise


def _check_analysed(source: RecordSource) -> None:
    """Check that a match of the source has an analysis that fits.

    Raises `NotAnalysedError` for a run, and `NotKeptError` for a record by itself.
    """
    for record in match_records(source.files):
        if analysis_of(source.files, record) is not None:
            return
    if source.path.is_dir() or TOURNAMENT_RECORD in source.files:
        raise NotAnalysedError(Said("query.not_analysed", {"path": str(source.path)}))
    raise NotKeptError(Said("query.not_kept"))


def _needed(sql: str) -> tuple[set[str], bool]:
    """Return the tables that a question may use, and whether it may use positions.

    A table is used by its name, by a star, or in a join.
    """
    text = sql.lower().replace("count(*)", "").replace("'*'", "")
    words = set(re.findall(r"\w+", text))
    if not words.isdisjoint(VIEWS):
        words |= {"games", "matches"}
    return words & TABLES.keys(), "*" in text or not words.isdisjoint({*FOLLOWED, "natural"})
