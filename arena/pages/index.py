"""The index of a run: tables in memory that answer the questions of its pages.

It answers what else needs the whole tournament record: the list of games, searched and sorted, and
the history of a bot. `add` takes the lines of the tournament record. The number of turns of a game
and the versions of bots are only in the match records; `learn` adds them bit by bit.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, Final

import msgspec

from arena.pages.contents import BotPage, FinishedGames, GameOnPage, TableRow
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
"""The tables of `rows.py`, of settled matches; the cells that come from match records are empty
until these are read.

`place` numbers the matches in the order in which they were settled; `is_learnt` is empty until the
match record was read. A search for games looks at `words`.
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
        """One cursor for all: a connection keeps a list of its cursors, and the memory around each
        is never given back."""
        self._places = count(1)

    def close(self) -> None:
        """Give back its memory."""
        with suppress(sqlite3.ProgrammingError):  # it was closed before
            self._cursor.close()
        self._db.close()

    # Lines and match records in

    def add(self, facts: Sequence[TournamentFact]) -> None:
        """Add the next lines of the tournament record."""
        matches: list[Mapping[str, object]] = []
        games: list[Mapping[str, object]] = []
        for fact in facts:
            if isinstance(fact, FixtureSettled):
                fixture = parse_fixture(fact.fixture)
                entrants = (fixture.first, fixture.second)
                common = _common_cells(next(self._places), fact, entrants)
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
            "SELECT match, attempt FROM matches WHERE is_learnt IS NULL"
            " ORDER BY place DESC LIMIT ?",
            (most,),
        )

    def learn(self, attempts: Iterable[Learnt]) -> None:
        """Add what match records say, of attempts that count."""
        with self._db:
            for attempt in attempts:
                self._learn_attempt(attempt)

    def _learn_attempt(self, learnt: Learnt) -> None:
        """Add the versions of the bots and the turns of the games, if this attempt was settled."""
        matches = self._ask(
            "SELECT place, seat_1, seat_2 FROM matches WHERE match = ? AND attempt = ?",
            (learnt.fixture, learnt.attempt),
        )
        for place, *bots in matches:
            for seat, bot, version in zip((1, 2), bots, learnt.versions, strict=True):
                row = {
                    "match": learnt.fixture,
                    "attempt": learnt.attempt,
                    "place": place,
                    "seat": seat,
                    "bot": bot,
                    "version": version,
                }
                self._insert("bots", [row])
            self._cursor.execute("UPDATE matches SET is_learnt = 1 WHERE place = ?", (place,))
            self._cursor.executemany(
                "UPDATE games SET turns = ? WHERE game = ? AND place = ?",
                [(turns, game, place) for game, turns in learnt.turns.items()],
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
        if sort:
            direction = "ASC" if is_up else "DESC"
            order = f"({order}) IS NULL, {order} {direction}, place DESC, game DESC"
        patterns = _patterns(find)
        condition = " AND ".join(["words LIKE ? ESCAPE '\\'"] * len(patterns)) or "TRUE"
        # the parts of both questions are from this file, and patterns are bound
        count = f"SELECT count(*) FROM games WHERE {condition}"  # noqa: S608
        [[total]] = self._ask(count, patterns)
        question = f"{_GAMES} WHERE {condition} ORDER BY {order} LIMIT ? OFFSET ?"
        rows = self._rows(question, [*patterns, most, start])
        for row in rows:
            row["entrants"] = (row["seat_1"], row["seat_2"])
            row["annulled"] = row["fixture"] in annulled
        games = msgspec.convert(rows, list[GameOnPage], strict=False)
        return FinishedGames(rows=games, found=total)

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
            "bot": row.id,
            "most": MOST_MATCHES,
            "start": start,
            "annulled": json.dumps(sorted(annulled)),
        }
        # no text of a user is in this SQL
        [[total]] = self._ask(f"SELECT count(*) FROM ({_MATCHES_OF_BOT})", bound)  # noqa: S608
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
    (SELECT version FROM bots WHERE bots.place = matches.place AND seat = {seat}), ''
  ) AS version,
  settled_ms
FROM matches WHERE seat_{seat} = :bot
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
FROM games
WHERE (seat_1 = :bot OR seat_2 = :bot) AND match NOT IN (SELECT value FROM json_each(:annulled))
GROUP BY ending, games.cause ORDER BY count(*) DESC, ending, games.cause
"""
_VERSIONS: Final = f"""
SELECT version, max(place) FROM ({_MATCHES_OF_BOT})
WHERE version <> '' GROUP BY version ORDER BY max(place) DESC LIMIT 20
"""  # noqa: S608 - no text of a user is in this SQL
_GAMES: Final = """
SELECT match AS fixture, attempt, game, seat_1, seat_2,
  CASE winner WHEN seat_1 THEN 1 WHEN seat_2 THEN 2 ELSE 0 END AS winner,
  points, ending, coalesce(cause, '') AS cause, monk, turns, settled_ms FROM games
"""


def _patterns(find: str) -> list[str]:
    """Return a pattern of LIKE for each of the first eight words."""
    patterns = []
    for word in find.casefold().split()[:8]:
        escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        patterns.append(f"%{escaped}%")
    return patterns


def _common_cells(
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
        "place": place,
        "settled_ms": fact.at_ms,
    }


def _match_cells(common: Mapping[str, object], fact: FixtureSettled) -> dict[str, object]:
    score_1, score_2 = fact.score
    return {**common, "score_1": score_1, "score_2": score_2, "winner": fact.winner}


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
