"""The index of runs: tables that answer the questions of their pages, in memory or in a file.

It answers what else needs the whole tournament record: the list of games, searched and sorted, and
the history of a bot. `add` takes the lines of the tournament record. The number of turns of a game
and the versions of bots are only in the match records; `learn` adds them bit by bit.

Each row begins with the number of its run. The pages of one run have an index in memory, with that
run alone; the pages of a folder of runs have one for all (live/index_file.py).
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, Final, NamedTuple

import msgspec

from arena.pages.contents import BotPage, FinishedGames, GameOnPage, TableRow
from arena.records.facts import FixtureSettled, TournamentFact
from arena.records.rows import table_sql
from arena.records.tabulate import result_cells
from arena.tournaments.schedule import parse_fixture
from arena.words import Said

TABLES: Final = (
    table_sql(
        "matches",
        "run INTEGER",
        "place INTEGER",
        "settled_ms INTEGER",
        "is_learnt INTEGER",
        "decision_said TEXT",
        "PRIMARY KEY (run, place)",
        "UNIQUE (run, match)",
    )
    + " WITHOUT ROWID",
    table_sql(
        "games",
        "run INTEGER",
        "place INTEGER",
        "settled_ms INTEGER",
        "words TEXT",
        "PRIMARY KEY (run, place, game)",
    )
    + " WITHOUT ROWID",
    table_sql("bots", "run INTEGER", "place INTEGER", "PRIMARY KEY (run, place, seat)")
    + " WITHOUT ROWID",
    """CREATE INDEX matches_of_1
      ON matches (run, seat_1, place, seat_2, winner, score_1, score_2, match, settled_ms)""",
    """CREATE INDEX matches_of_2
      ON matches (run, seat_2, place, seat_1, winner, score_1, score_2, match, settled_ms)""",
    "CREATE INDEX bots_versions ON bots (run, bot, version, place)",
    "CREATE INDEX matches_unlearnt ON matches (run, place) WHERE is_learnt IS NULL",
)
"""The tables of `rows.py`, of settled matches; the cells that come from match records are empty
until these are read.

`place` numbers the matches of a run in the order in which they were settled; `is_learnt` is empty
until the match record was read. `decision_said` is the decision as a code with values, for pages
in every language. A search for games looks at `words`.
"""
SORTS: Final = {
    "": "place DESC, game DESC",
    "match": "match",
    "game": "game",
    "one": "seat_1",
    "two": "seat_2",
    "winner": "coalesce(winner, '')",
    "ending": "ending",
    "points": "points",
    "turns": "turns",
}
"""The columns by which games can be sorted."""
SORTED: Final = (
    *[
        f"CREATE INDEX games_by_{name} ON games (run, {order}, place, game)"
        for name, order in SORTS.items()
        if name
    ],
    "CREATE INDEX games_by_turns_up ON games (run, turns IS NULL, turns, place, game)",
    "CREATE INDEX games_by_words ON games (run, words)",
)
"""Indexes for a run of a hundred thousand games; a run by itself does without."""
MOST_MATCHES: Final = 200
"""On the page of a bot; earlier ones are left out."""


class Learnt(msgspec.Struct, frozen=True, kw_only=True):
    """Facts of an attempt that only its match record has."""

    fixture: str
    attempt: int
    versions: tuple[str, str]
    turns: dict[int, int]
    """The number of turns of each game."""


class SettledMatch(NamedTuple):
    """The result of a match, as far as its page needs it beside the match record."""

    attempt: int
    decision: Said


def new_tables(database: sqlite3.Connection) -> None:
    """Create the tables in an empty database."""
    database.executescript(";".join(TABLES))


def index_in_memory() -> "Index":
    """Return the index of one run, in memory and empty."""
    database = sqlite3.connect(":memory:", check_same_thread=False)
    new_tables(database)
    return Index(database)


class Index:
    """The part of an index that is about one run."""

    def __init__(self, database: sqlite3.Connection, run: int = 0, settled: int = 0) -> None:
        """Look at the run with this number. `settled` is the number of its matches in the index."""
        self._db = database
        self._run = run
        self._cursor = self._db.cursor()
        """One cursor for all: a connection keeps a list of its cursors, and the memory around each
        is never given back."""
        self._places = count(settled + 1)

    def close(self) -> None:
        """Give back the memory of an index that has a database of its own."""
        with suppress(sqlite3.ProgrammingError):  # it was closed before
            self._cursor.close()
        self._db.close()

    # Lines and match records in

    def add(self, facts: Iterable[TournamentFact]) -> None:
        """Add the next lines of the tournament record."""
        matches: list[Mapping[str, object]] = []
        games: list[Mapping[str, object]] = []
        for fact in facts:
            if isinstance(fact, FixtureSettled):
                fixture = parse_fixture(fact.fixture)
                entrants = (fixture.first, fixture.second)
                common = _common_cells(self._run, next(self._places), fact, entrants)
                matches.append(_match_cells(common, fact))
                games += _cells_of_games(common, fact, entrants)
        with self._db:
            self._insert("matches", matches)
            self._insert("games", games)

    def _insert(self, table: str, rows: Sequence[Mapping[str, object]]) -> None:
        """Insert rows, which have the same columns, or replace those with the same key."""
        if not rows:
            return
        names = list(rows[0])
        columns = ", ".join(names)
        marks = ", ".join("?" * len(names))
        self._cursor.executemany(
            # no text of a user is in this SQL
            f"INSERT OR REPLACE INTO {table} ({columns}) VALUES ({marks})",  # noqa: S608
            [tuple(row.values()) for row in rows],
        )

    def unlearnt(self, most: int) -> list[tuple[str, int]]:
        """List matches whose records were not read yet, latest first, each with its attempt."""
        return self._ask(
            "SELECT match, attempt FROM matches WHERE run = ? AND is_learnt IS NULL"
            " ORDER BY place DESC LIMIT ?",
            (self._run, most),
        )

    def learn(self, attempts: Iterable[Learnt]) -> None:
        """Add what match records say, of attempts that count."""
        with self._db:
            for attempt in attempts:
                self._learn_attempt(attempt)

    def _learn_attempt(self, learnt: Learnt) -> None:
        """Add the versions of the bots and the turns of the games, if this attempt was settled."""
        matches = self._ask(
            "SELECT place, seat_1, seat_2 FROM matches WHERE run = ? AND match = ? AND attempt = ?",
            (self._run, learnt.fixture, learnt.attempt),
        )
        for place, *bots in matches:
            for seat, bot, version in zip((1, 2), bots, learnt.versions, strict=True):
                row = {
                    "match": learnt.fixture,
                    "attempt": learnt.attempt,
                    "run": self._run,
                    "place": place,
                    "seat": seat,
                    "bot": bot,
                    "version": version,
                }
                self._insert("bots", [row])
            self._cursor.execute(
                "UPDATE matches SET is_learnt = 1 WHERE run = ? AND place = ?", (self._run, place)
            )
            self._cursor.executemany(
                "UPDATE games SET turns = ? WHERE game = ? AND run = ? AND place = ?",
                [(turns, game, self._run, place) for game, turns in learnt.turns.items()],
            )

    # Answers

    def _ask(self, question: str, bound: Any = ()) -> list[Any]:
        return self._cursor.execute(question, bound).fetchall()

    def _rows(self, question: str, bound: Any) -> list[dict[str, Any]]:
        rows = self._ask(question, bound)
        names = [name for name, *_ in self._cursor.description]
        return [dict(zip(names, row, strict=True)) for row in rows]

    def games(
        self,
        *,
        find: str = "",
        sort: str = "",
        is_up: bool = False,
        start: int = 0,
        most: int = 50,
        annulled: Collection[str] = (),
    ) -> FinishedGames:
        """Return a part of the list of games with all words of `find`, sorted, from `start` on.

        `annulled` are the matches that count for neither bot (M5); only the whole record tells
        them. Raises `KeyError` for a column that is not in `SORTS`.
        """
        order = SORTS[sort]
        if sort == "turns" and is_up:
            order = "turns IS NULL, turns, place, game"
        elif sort and is_up:
            order = f"{order}, place, game"
        elif sort:
            order = f"{order} DESC, place DESC, game DESC"
        patterns = patterns_of(find)
        condition = " AND ".join(["run = ?"] + ["words LIKE ? ESCAPE '\\'"] * len(patterns))
        # the parts of both questions are from this file, and patterns are bound
        count = f"SELECT count(*) FROM games WHERE {condition}"  # noqa: S608
        [[total]] = self._ask(count, [self._run, *patterns])
        # the latest games are found from the end of the table, and not by their words
        index = "" if sort else "NOT INDEXED"
        question = f"{_GAMES} {index} WHERE {condition} ORDER BY {order} LIMIT ? OFFSET ?"
        rows = self._rows(question, [self._run, *patterns, most, start])
        for row in rows:
            row["entrants"] = (row["seat_1"], row["seat_2"])
            row["annulled"] = row["fixture"] in annulled
        games = msgspec.convert(rows, list[GameOnPage], strict=False)
        return FinishedGames(rows=games, found=total)

    def settled(self, fixture: str) -> SettledMatch | None:
        """Return the result of a match; None if it is not settled."""
        rows = self._ask(
            "SELECT attempt, decision_said FROM matches WHERE run = ? AND match = ?",
            (self._run, fixture),
        )
        for attempt, decision in rows:
            return SettledMatch(attempt, msgspec.json.decode(decision, type=Said))
        return None

    def bot_page(
        self,
        row: TableRow,
        running: Sequence[str],
        start: int = 0,
        *,
        annulled: Collection[str] = (),
    ) -> BotPage:
        """Return the page of the bot with this row in the standings.

        `running` are the matches that it plays now. The list of its matches begins with number
        `start`, from 0; the latest match comes first. Matches that are `annulled` (M5) are in that
        list and its length, `found`, and their versions of the bot are listed too; `against` and
        `endings` count the others.
        """
        bound = {
            "run": self._run,
            "bot": row.id,
            "most": MOST_MATCHES,
            "start": start,
            "annulled": json.dumps(sorted(annulled)),
        }
        [[total]] = self._ask(_COUNT, bound)
        return BotPage(
            row=row,
            against=self._rows(_AGAINST, bound),
            endings=self._rows(_ENDINGS, bound),
            matches=self._rows(_MATCHES, bound),
            found=total,
            versions=[version for version, _ in self._ask(_VERSIONS, bound)],
            running=running,
        )


_MATCHES_OF_SEAT: Final = """
SELECT place, match AS fixture, seat_{other} AS opponent,
  score_{seat} AS points_for, score_{other} AS points_against,
  CASE WHEN match IN (SELECT value FROM json_each(:annulled)) THEN 'annulled'
    WHEN winner IS NULL THEN 'drawn' WHEN winner = :bot THEN 'won' ELSE 'lost' END AS outcome,
  coalesce(
    (SELECT version FROM bots
      WHERE bots.run = matches.run AND bots.place = matches.place AND seat = {seat}), ''
  ) AS version,
  settled_ms
FROM matches INDEXED BY matches_of_{seat} WHERE run = :run AND seat_{seat} = :bot
"""
_MATCHES_OF_BOT: Final = " UNION ALL ".join(
    [_MATCHES_OF_SEAT.format(seat=1, other=2), _MATCHES_OF_SEAT.format(seat=2, other=1)]
)
"""The matches of a bot, seen from it."""
_MATCHES: Final = f"{_MATCHES_OF_BOT} ORDER BY place DESC LIMIT :most OFFSET :start"
_AGAINST: Final = f"""
SELECT opponent, count(*) AS matches, sum(outcome = 'won') AS won, sum(outcome = 'drawn') AS drawn,
  sum(outcome = 'lost') AS lost,
  sum(points_for) AS points_for, sum(points_against) AS points_against
FROM ({_MATCHES_OF_BOT})
WHERE outcome <> 'annulled' GROUP BY opponent ORDER BY count(*) DESC, opponent
"""  # noqa: S608 - no text of a user is in this SQL
_ENDINGS: Final = """
SELECT ending, coalesce(cause, '') AS cause,
  sum(winner IS :bot) AS won, sum(winner IS NULL) AS drawn, sum(loser IS :bot) AS lost
FROM (
  SELECT place FROM matches INDEXED BY matches_of_1 WHERE run = :run AND seat_1 = :bot
  UNION ALL SELECT place FROM matches INDEXED BY matches_of_2 WHERE run = :run AND seat_2 = :bot
) AS played
CROSS JOIN games ON games.run = :run AND games.place = played.place
WHERE match NOT IN (SELECT value FROM json_each(:annulled))
GROUP BY ending, games.cause ORDER BY count(*) DESC, ending, games.cause
"""
_COUNT: Final = """
SELECT (SELECT count(*) FROM matches WHERE run = :run AND seat_1 = :bot)
  + (SELECT count(*) FROM matches WHERE run = :run AND seat_2 = :bot)
"""
_VERSIONS: Final = """
SELECT version, max(place) FROM bots
WHERE run = :run AND bot = :bot AND version <> '' GROUP BY version ORDER BY max(place) DESC LIMIT 20
"""
_GAMES: Final = """
SELECT match AS fixture, game, seat_1, seat_2,
  CASE winner WHEN seat_1 THEN 1 WHEN seat_2 THEN 2 ELSE 0 END AS winner,
  points, ending, coalesce(cause, '') AS cause, monk, turns FROM games
"""


def patterns_of(find: str) -> list[str]:
    """Return a pattern of LIKE for each of the first eight words."""
    patterns = []
    for word in find.casefold().split()[:8]:
        escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        patterns.append(f"%{escaped}%")
    return patterns


def _common_cells(
    run: int,
    place: int,
    fact: FixtureSettled,
    entrants: tuple[str, str],
) -> dict[str, object]:
    """Return the cells that a match and its games have in common."""
    first, second = entrants
    return {
        "match": fact.fixture,
        "attempt": fact.attempt,
        "seat_1": first,
        "seat_2": second,
        "run": run,
        "place": place,
        "settled_ms": fact.at_ms,
    }


def _match_cells(common: Mapping[str, object], fact: FixtureSettled) -> dict[str, object]:
    score_1, score_2 = fact.score
    return {
        **common,
        "score_1": score_1,
        "score_2": score_2,
        "winner": fact.winner,
        "decision_said": msgspec.json.encode(fact.decision).decode(),
    }


def _cells_of_games(
    common: Mapping[str, object], fact: FixtureSettled, entrants: tuple[str, str]
) -> list[dict[str, object]]:
    """Return the cells of the games of a match, with the text in which a search looks."""
    rows = []
    for number, game in enumerate(fact.games, start=1):
        words = [fact.fixture, *entrants, game.ending, game.cause or ""]
        words.append("monk" if game.monk else "")
        text = " ".join(words).replace("_", " ").casefold()
        cells = result_cells(game, entrants)
        rows.append({**common, "game": number, "words": text, **cells})
    return rows
