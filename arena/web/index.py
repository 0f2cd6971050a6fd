"""The index of a run: a SQLite file beside the records, made from them, that can be thrown away without loss.

It answers what the tournament record answers only by being read from its start: the list of games, searched and sorted,
and the history of a bot. How many turns a game had, and what bots called themselves, stands in the match records alone;
`learn` adds it bit by bit. It keeps the head of the first page, too, so that the next start has it at once. The index
says how much of the tournament record it was made from, with the hash of these bytes. If they are others now, it is
made again.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from arena.records.facts import FixtureSettled, TournamentFact
from arena.records.files import INDEX, INDEX_LOCK, TOURNAMENT_RECORD
from arena.tournaments.schedule import parse_fixture
from arena.web.contents import Against, BotMatch, EndingCount, FinishedGame, FinishedGames, RunPage

VERSION: Final = "brade-watch-2"
"""Of the tables; an index of another version is made again."""

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS matches (
  place INTEGER PRIMARY KEY, fixture TEXT UNIQUE, attempt INTEGER, round INTEGER, one TEXT, two TEXT, score_one INTEGER,
  score_two INTEGER, winner TEXT, decision TEXT, settled_ms INTEGER, version_one TEXT, version_two TEXT,
  learnt INTEGER DEFAULT 0);
CREATE TABLE IF NOT EXISTS games (
  place INTEGER, game INTEGER, fixture TEXT, attempt INTEGER, one TEXT, two TEXT, winner INTEGER, points INTEGER,
  ending TEXT, cause TEXT, monk INTEGER, turns INTEGER, settled_ms INTEGER, words TEXT,
  PRIMARY KEY (place, game)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS matches_one ON matches (one);
CREATE INDEX IF NOT EXISTS matches_two ON matches (two);
CREATE INDEX IF NOT EXISTS matches_unlearnt ON matches (place) WHERE learnt = 0;
"""
SORTS: Final = {
    "": "place DESC, game DESC",
    "match": "fixture",
    "one": "one",
    "two": "two",
    "winner": "CASE winner WHEN 1 THEN one WHEN 2 THEN two ELSE '' END",
    "ending": "ending",
    "points": "points",
    "turns": "turns",
}
"""The columns by which games can be sorted."""


class Index:
    """The index of one run. If it cannot be kept in the folder, it is kept in memory, and says why."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock: int | None = None
        self.why_in_memory = ""
        """Why it is not kept in the folder; empty if it is."""
        self._db = self._connect()
        self._cursor = self._db.cursor()
        """One for all: a connection keeps a list of its cursors, and where they lay no memory is given back."""
        self.lines = 0
        """How many lines of the tournament record are in it."""
        self._page_lines = 0
        self.page: RunPage | None = None
        """The head of the run as it was kept, if the tournament record has not grown since."""
        self._start()

    def _connect(self) -> sqlite3.Connection:
        path = self._folder / INDEX
        try:
            self._lock = os.open(self._folder / INDEX_LOCK, os.O_RDWR | os.O_CREAT, 0o644)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            database = _opened(path)
        except BlockingIOError:
            self.why_in_memory = "another arena watch keeps the index of this run"
        except (OSError, sqlite3.Error) as error:
            self.why_in_memory = f"the index cannot be kept beside the records: {error}"
        else:
            return database
        self._unlock()
        return _opened(None)

    def _start(self) -> None:
        """Go on with what is there, if it was made from the record as it is now; else begin anew."""
        known = dict(self._ask("SELECT key, value FROM meta"))
        if known.get("version") == VERSION and self._fits(known):
            self.lines = int(known["lines"])
            self.page = self._kept_page(known)
            return
        self.clear()

    def _fits(self, known: dict[str, str]) -> bool:
        try:
            size, lines = int(known["bytes"]), int(known["lines"])
            with (self._folder / TOURNAMENT_RECORD).open("rb") as file:
                data = file.read(size)
        except (KeyError, ValueError, OSError):
            return False
        return lines > 0 and len(data) == size and hashlib.sha256(data).hexdigest() == known.get("sha256")

    def _kept_page(self, known: dict[str, str]) -> RunPage | None:
        """The page that was kept; None if the record is longer, or the page was made by another version."""
        size = (self._folder / TOURNAMENT_RECORD).stat().st_size
        if known.get("page_lines") != known["lines"] or size != int(known["bytes"]):
            return None
        with suppress(msgspec.DecodeError):
            return msgspec.json.decode(known["page"], type=RunPage)
        return None

    def keep_page(self, page: RunPage) -> None:
        """Keep the head of the run for the next start, if it has changed."""
        if self._page_lines != self.lines:
            with self._db:
                self._tell(page=msgspec.json.encode(page).decode(), page_lines=self.lines)
            self._page_lines = self.lines

    def clear(self) -> None:
        """Forget everything: the records are other ones now."""
        self.lines, self._page_lines, self.page = 0, 0, None
        with self._db:
            for table in ("meta", "matches", "games"):
                self._cursor.execute(f"DELETE FROM {table}")  # noqa: S608 - a name from the line above
            self._cursor.execute("INSERT INTO meta VALUES ('version', ?)", (VERSION,))

    def close(self) -> None:
        """Let another process keep it."""
        with suppress(sqlite3.ProgrammingError):  # it was closed before
            self._cursor.close()
        self._db.close()
        self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    # What it takes in

    def add(self, facts: Sequence[tuple[int, TournamentFact]], size: int, sha256: str) -> None:
        """Add lines of the tournament record, by number; those that are known are left out.

        `size` is how many bytes the record has up to the last of them, and `sha256` their hash.
        """
        new = [(number, fact) for number, fact in facts if number > self.lines]
        if not new:
            return
        settled = [(number, fact) for number, fact in new if isinstance(fact, FixtureSettled)]
        with self._db:
            self._cursor.executemany(
                "INSERT OR REPLACE INTO matches (place, fixture, attempt, round, one, two, score_one, score_two, "
                "winner, decision, settled_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [_match_row(number, fact) for number, fact in settled],
            )
            self._cursor.executemany(
                "INSERT OR REPLACE INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [row for number, fact in settled for row in _game_rows(number, fact)],
            )
            self.lines = new[-1][0]
            self._tell(lines=self.lines, bytes=size, sha256=sha256)

    def _tell(self, **values: object) -> None:
        self._cursor.executemany(
            "INSERT OR REPLACE INTO meta VALUES (?, ?)", [(key, str(value)) for key, value in values.items()]
        )

    def unlearnt(self, most: int) -> list[tuple[str, int]]:
        """Matches whose records were not read yet, with the attempt that counts; the latest first."""
        found = self._ask("SELECT fixture, attempt FROM matches WHERE learnt = 0 ORDER BY place DESC LIMIT ?", (most,))
        return [(str(fixture), int(attempt)) for fixture, attempt in found]

    def learn(self, found: Iterable[tuple[str, dict[int, int], tuple[str, str]]]) -> None:
        """Add what match records say: of each match the turns by game, and what the bots called themselves."""
        with self._db:
            for fixture, turns, versions in found:
                self._cursor.execute(
                    "UPDATE matches SET learnt = 1, version_one = ?, version_two = ? WHERE fixture = ?",
                    (*versions, fixture),
                )
                self._cursor.executemany(
                    "UPDATE games SET turns = ? WHERE game = ? AND place = "
                    "(SELECT place FROM matches WHERE fixture = ?)",
                    [(count, game, fixture) for game, count in turns.items()],
                )

    # What it answers

    def _ask(self, question: str, values: Any = ()) -> list[Any]:
        """Every row of the answer."""
        return self._cursor.execute(question, values).fetchall()

    def games(
        self, *, find: str = "", sort: str = "", is_up: bool = False, start: int = 0, most: int = 50, until_ms: int
    ) -> FinishedGames:
        """A part of the list of games: those with all words of `find`, sorted, from `start` on. Raises `KeyError`."""
        where, values = ["settled_ms <= ?"], [until_ms]
        texts: list[Any] = [*values]
        for word in find.casefold().split()[:8]:
            escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            where.append("words LIKE ? ESCAPE '\\'")
            texts.append(f"%{escaped}%")
        order = SORTS[sort]
        if sort:
            order = f"({order}) IS NULL, {order} {'ASC' if is_up else 'DESC'}, place DESC, game DESC"
        condition = " AND ".join(where)
        [[found]] = self._ask(f"SELECT count(*) FROM games WHERE {condition}", texts)  # noqa: S608
        query = f"{_GAMES} WHERE {condition} ORDER BY {order} LIMIT ? OFFSET ?"  # parts from this file, values bound
        rows = self._ask(query, [*texts, most, start])
        return FinishedGames(rows=[_finished(row) for row in rows], found=found)

    def settled(self, fixture: str, until_ms: int) -> tuple[int, str, int] | None:
        """The attempt of a match that counts, what decided it and when; None if it is not settled yet."""
        found = self._ask(
            "SELECT attempt, decision, settled_ms FROM matches WHERE fixture = ? AND settled_ms <= ?",
            (fixture, until_ms),
        )
        return (int(found[0][0]), str(found[0][1]), int(found[0][2])) if found else None

    def against(self, bot: str, until_ms: int) -> list[Against]:
        """What a bot did against each opponent, most matches first."""
        found = self._ask(_AGAINST, {"bot": bot, "until": until_ms})
        return [
            Against(
                opponent=other, matches=count, won=won, drawn=drawn, lost=lost, points_for=own, points_against=theirs
            )
            for other, count, won, drawn, lost, own, theirs in found
        ]

    def matches(self, bot: str, until_ms: int, most: int, start: int = 0) -> tuple[list[BotMatch], int]:
        """The matches of a bot, the latest first, and how many there are."""
        values = {"bot": bot, "until": until_ms, "most": most, "start": start}
        [[found]] = self._ask(f"SELECT count(*) FROM ({_OWN})", values)  # noqa: S608
        rows = self._ask(f"SELECT * FROM ({_OWN}) ORDER BY place DESC LIMIT :most OFFSET :start", values)  # noqa: S608
        words = {1: "won", 0: "drawn", -1: "lost"}
        return [
            BotMatch(
                fixture=fixture,
                round=number,
                seat=seat,
                opponent=other,
                points_for=own,
                points_against=theirs,
                outcome=words[outcome],
                version=version or "",
                settled_ms=settled_ms,
            )
            for _, fixture, number, seat, other, own, theirs, outcome, version, settled_ms in rows
        ], found

    def endings(self, bot: str, until_ms: int) -> list[EndingCount]:
        """How the games of a bot ended, the most frequent ending first."""
        rows = self._ask(
            "SELECT ending, cause, sum(winner = seat), sum(winner = 0), sum(winner NOT IN (0, seat)) FROM "
            "(SELECT ending, cause, winner, CASE one WHEN :bot THEN 1 ELSE 2 END AS seat FROM games WHERE place IN "
            "(SELECT place FROM matches WHERE (one = :bot OR two = :bot) AND settled_ms <= :until)) "
            "GROUP BY ending, cause ORDER BY count(*) DESC, ending, cause",
            {"bot": bot, "until": until_ms},
        )
        return [
            EndingCount(ending=ending, cause=cause, won=won, drawn=drawn, lost=lost)
            for ending, cause, won, drawn, lost in rows
        ]

    def versions(self, bot: str, until_ms: int) -> list[str]:
        """What a bot called itself in the matches that were read, the latest first."""
        rows = self._ask(
            f"SELECT version, max(place) FROM ({_OWN}) WHERE version <> '' "  # noqa: S608 - a part of this file
            "GROUP BY version ORDER BY max(place) DESC LIMIT 20",
            {"bot": bot, "until": until_ms},
        )
        return [str(version) for version, _ in rows]


_OWN: Final = """
SELECT place, fixture, round, 1 AS seat, two AS other, score_one AS own, score_two AS others,
  CASE winner WHEN one THEN 1 WHEN '' THEN 0 ELSE -1 END AS outcome, version_one AS version, settled_ms
  FROM matches WHERE one = :bot AND settled_ms <= :until
UNION ALL
SELECT place, fixture, round, 2, one, score_two, score_one, CASE winner WHEN two THEN 1 WHEN '' THEN 0 ELSE -1 END,
  version_two, settled_ms FROM matches WHERE two = :bot AND settled_ms <= :until
"""
"""The matches of a bot, seen from it."""
_AGAINST: Final = f"""
SELECT other, count(*), sum(outcome = 1), sum(outcome = 0), sum(outcome = -1), sum(own), sum(others)
FROM ({_OWN}) GROUP BY other ORDER BY count(*) DESC, other
"""  # noqa: S608 - the part above
_GAMES: Final = (
    "SELECT fixture, attempt, game, one, two, winner, points, ending, cause, monk, turns, settled_ms FROM games"
)


def _opened(path: Path | None) -> sqlite3.Connection:
    """The database with its tables; one that is damaged, or something else, is made anew."""
    for is_last in (False, True):
        database = sqlite3.connect(":memory:" if path is None else path, check_same_thread=False)
        try:
            database.execute("PRAGMA synchronous = OFF")  # it can be made again
            database.execute("PRAGMA journal_mode = MEMORY")
            database.execute("PRAGMA cache_size = -8000")
            database.executescript(_TABLES)
        except sqlite3.DatabaseError:
            database.close()
            if is_last or path is None:
                raise
            path.unlink()
        else:
            return database
    raise AssertionError


def _match_row(place: int, fact: FixtureSettled) -> tuple[object, ...]:
    played = parse_fixture(fact.fixture)
    return (
        place,
        fact.fixture,
        fact.attempt,
        played.round,
        played.first,
        played.second,
        *fact.score,
        fact.winner or "",
        fact.decision,
        fact.at_ms,
    )


def _game_rows(place: int, fact: FixtureSettled) -> Iterator[tuple[object, ...]]:
    played = parse_fixture(fact.fixture)
    for number, game in enumerate(fact.games, start=1):
        words = [fact.fixture, played.first, played.second, game.ending, game.cause or "", "monk" if game.monk else ""]
        yield (
            place,
            number,
            fact.fixture,
            fact.attempt,
            played.first,
            played.second,
            game.winner or 0,
            game.points,
            game.ending,
            game.cause or "",
            int(game.monk),
            None,
            fact.at_ms,
            " ".join(words).replace("_", " ").casefold(),
        )


def _finished(row: Sequence[Any]) -> FinishedGame:
    fixture, attempt, game, one, two, winner, points, ending, cause, monk, turns, settled_ms = row
    return FinishedGame(
        fixture=fixture,
        attempt=attempt,
        game=game,
        entrants=(one, two),
        winner=winner,
        points=points,
        ending=ending,
        cause=cause,
        monk=bool(monk),
        turns=turns,
        settled_ms=settled_ms,
    )
