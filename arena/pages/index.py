"""The index of a run: what its pages ask of the records, as tables in memory.

It answers what the tournament record answers only by being read from its start: the list of games,
searched and sorted, and the history of a bot. It follows from the lines that it is given. How many
turns a game had, and what bots called themselves, stands in the match records alone; `learn` adds
it bit by bit.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, Final

import msgspec

from arena.pages.contents import BotPage, FinishedGame, FinishedGames, TableRow
from arena.records.facts import FixtureSettled, TournamentFact
from arena.records.rows import table_sql
from arena.records.tabulate import result_cells
from arena.tournaments.schedule import parse_fixture

_TABLES: Final = (
    table_sql(
        "matches",
        "place INTEGER PRIMARY KEY",
        "settled_ms INTEGER",
        "is_learnt INTEGER",
        "UNIQUE (match)",
    ),
    table_sql(
        "games", "place INTEGER", "settled_ms INTEGER", "words TEXT", "PRIMARY KEY (place, game)"
    )
    + " WITHOUT ROWID",
    table_sql("bots", "place INTEGER", "PRIMARY KEY (place, seat)") + " WITHOUT ROWID",
    "CREATE INDEX matches_one ON matches (seat_1)",
    "CREATE INDEX matches_two ON matches (seat_2)",
    "CREATE INDEX matches_unlearnt ON matches (place) WHERE is_learnt IS NULL",
)
"""The tables of `rows.py`, of settled matches; cells that only match records tell are empty until
these are read.

`place` numbers the matches in the order in which they were settled; `is_learnt` is empty until the
match record was read. `words` are those by which a game is found.
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
MOST_MATCHES: Final = 200
"""On the page of a bot; earlier ones are left out."""


class Learnt(msgspec.Struct, frozen=True, kw_only=True):
    """Facts of an attempt that only its match record has."""

    fixture: str
    attempt: int
    versions: tuple[str, str]
    turns: dict[int, int]
    """The number of turns of each game."""


class Index:
    """The index of one run."""

    def __init__(self) -> None:
        self._db = sqlite3.connect(":memory:", check_same_thread=False)
        self._db.executescript(";".join(_TABLES))
        self._cursor = self._db.cursor()
        """One for all: a connection keeps a list of its cursors, and where they lay no memory is
        given back."""
        self._places = count(1)

    def close(self) -> None:
        """Give back its memory."""
        with suppress(sqlite3.ProgrammingError):  # it was closed before
            self._cursor.close()
        self._db.close()

    # What it takes in

    def add(self, facts: Sequence[TournamentFact]) -> None:
        """Add the next lines of the tournament record."""
        settled = [
            _cells(next(self._places), fact) for fact in facts if isinstance(fact, FixtureSettled)
        ]
        with self._db:
            self._insert("matches", [match for match, _ in settled])
            self._insert("games", [game for _, games in settled for game in games])

    def _insert(self, table: str, rows: Sequence[Mapping[str, object]]) -> None:
        if rows:
            names, marks = ", ".join(rows[0]), ", ".join("?" * len(rows[0]))
            command = f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 - names of ours
            self._cursor.executemany(command, [tuple(row.values()) for row in rows])

    def unlearnt(self, most: int) -> list[tuple[str, int]]:
        """Matches whose records were not read yet, with the attempt that counts; the latest first."""
        return self._ask(
            "SELECT match, attempt FROM matches WHERE is_learnt IS NULL ORDER BY place DESC LIMIT ?",
            (most,),
        )

    def learn(self, found: Iterable[Learnt]) -> None:
        """Add what match records say, of attempts that count."""
        with self._db:
            for one in found:
                for place, *entrants in self._ask(
                    "SELECT place, seat_1, seat_2 FROM matches WHERE match = ? AND attempt = ?",
                    (one.fixture, one.attempt),
                ):
                    own = {"match": one.fixture, "attempt": one.attempt, "place": place}
                    for seat, bot, version in zip((1, 2), entrants, one.versions, strict=True):
                        self._insert("bots", [own | {"seat": seat, "bot": bot, "version": version}])
                    self._cursor.execute(
                        "UPDATE matches SET is_learnt = 1 WHERE place = ?", (place,)
                    )
                    self._cursor.executemany(
                        "UPDATE games SET turns = ? WHERE game = ? AND place = ?",
                        [(count, game, place) for game, count in one.turns.items()],
                    )

    # What it answers

    def _ask(self, question: str, values: Any = ()) -> list[Any]:
        return self._cursor.execute(question, values).fetchall()

    def _rows(self, question: str, values: Any) -> list[dict[str, Any]]:
        rows = self._ask(question, values)
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
        """Return a part of the list of games: those with all words of `find`, sorted, from `start` on.

        `annulled` are the matches that count for nobody (M5), which only the whole record tells.
        Raises `KeyError` for a column that is not in `SORTS`.
        """
        where, values = list[str](), list[Any]()
        for word in find.casefold().split()[:8]:
            escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            where.append("words LIKE ? ESCAPE '\\'")
            values.append(f"%{escaped}%")
        order = SORTS[sort]
        if sort:
            order = (
                f"({order}) IS NULL, {order} {'ASC' if is_up else 'DESC'}, place DESC, game DESC"
            )
        condition = " AND ".join(where) or "TRUE"
        [[found]] = self._ask(f"SELECT count(*) FROM games WHERE {condition}", values)  # noqa: S608
        # parts from this file, values bound
        query = f"{_GAMES} WHERE {condition} ORDER BY {order} LIMIT ? OFFSET ?"
        found_rows = self._rows(query, [*values, most, start])
        rows = [
            row
            | {"entrants": (row["seat_1"], row["seat_2"]), "annulled": row["fixture"] in annulled}
            for row in found_rows
        ]
        return FinishedGames(
            rows=msgspec.convert(rows, list[FinishedGame], strict=False), found=found
        )

    def bot_page(
        self,
        row: TableRow,
        running: Sequence[str],
        start: int = 0,
        *,
        annulled: Collection[str] = (),
    ) -> BotPage:
        """Return the page of the bot with this row in the standings; `running` are the matches that it plays now.

        Matches that are `annulled` (M5) are listed, and counted nowhere.
        """
        listed = json.dumps(sorted(annulled))
        values = {"bot": row.id, "most": MOST_MATCHES, "start": start, "annulled": listed}
        [[found]] = self._ask(f"SELECT count(*) FROM ({_OWN})", values)  # noqa: S608 - a part of this file
        return BotPage(
            row=row,
            against=self._rows(_AGAINST, values),
            endings=self._rows(_ENDINGS, values),
            matches=self._rows(_MATCHES, values),
            found=found,
            versions=[version for version, _ in self._ask(_VERSIONS, values)],
            running=running,
        )


_SEEN: Final = """
SELECT place, match AS fixture, seat_{other} AS opponent, score_{seat} AS points_for, score_{other} AS points_against,
  CASE WHEN match IN (SELECT value FROM json_each(:annulled)) THEN 'annulled'
    WHEN winner IS NULL THEN 'drawn' WHEN winner = :bot THEN 'won' ELSE 'lost' END AS outcome,
  coalesce((SELECT version FROM bots WHERE bots.place = matches.place AND seat = {seat}), '') AS version, settled_ms
  FROM matches WHERE seat_{seat} = :bot
"""
_OWN: Final = " UNION ALL ".join(_SEEN.format(seat=seat, other=3 - seat) for seat in (1, 2))
"""The matches of a bot, seen from it."""
_MATCHES: Final = f"{_OWN} ORDER BY place DESC LIMIT :most OFFSET :start"
_AGAINST: Final = f"""
SELECT opponent, count(*) AS matches, sum(outcome = 'won') AS won, sum(outcome = 'drawn') AS drawn,
  sum(outcome = 'lost') AS lost, sum(points_for) AS points_for, sum(points_against) AS points_against
FROM ({_OWN}) WHERE outcome <> 'annulled' GROUP BY opponent ORDER BY count(*) DESC, opponent
"""  # noqa: S608 - the part above
_ENDINGS: Final = """
SELECT ending, coalesce(cause, '') AS cause, sum(winner IS :bot) AS won, sum(winner IS NULL) AS drawn,
  sum(loser IS :bot) AS lost
FROM games
WHERE (seat_1 = :bot OR seat_2 = :bot) AND match NOT IN (SELECT value FROM json_each(:annulled))
GROUP BY ending, games.cause ORDER BY count(*) DESC, ending, games.cause
"""
_VERSIONS: Final = f"""
SELECT version, max(place) FROM ({_OWN}) WHERE version <> '' GROUP BY version ORDER BY max(place) DESC LIMIT 20
"""  # noqa: S608 - the part above
_GAMES: Final = """
SELECT match AS fixture, attempt, game, seat_1, seat_2,
  CASE winner WHEN seat_1 THEN 1 WHEN seat_2 THEN 2 ELSE 0 END AS winner,
  points, ending, coalesce(cause, '') AS cause, monk, turns, settled_ms FROM games
"""


def _cells(place: int, fact: FixtureSettled) -> tuple[dict[str, object], list[dict[str, object]]]:
    """The cells of a match, and those of its games."""
    played = parse_fixture(fact.fixture)
    entrants = played.first, played.second
    common: dict[str, object] = {
        "match": fact.fixture,
        "attempt": fact.attempt,
        "seat_1": played.first,
        "seat_2": played.second,
        "place": place,
        "settled_ms": fact.at_ms,
    }
    games = []
    for number, game in enumerate(fact.games, start=1):
        words = [
            fact.fixture,
            *entrants,
            game.ending,
            game.cause or "",
            "monk" if game.monk else "",
        ]
        cells = {"game": number, "words": " ".join(words).replace("_", " ").casefold()}
        games.append(common | cells | result_cells(game, entrants))
    return common | {
        "score_1": fact.score[0],
        "score_2": fact.score[1],
        "winner": fact.winner,
    }, games
