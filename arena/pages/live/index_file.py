"""The file of an index of runs: where it stands, and who reads and writes it.

It is never the truth. A file that is missing, damaged, of another version of the arena or of
something else is made again, empty, and its runs are read again from their records. One connection
writes, in short transactions; a few others read, each in a thread. Only one process has the file:
a second one keeps an index of its own in memory.
"""

import fcntl
import hashlib
import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Lock
from typing import Final, TypeVar

import msgspec

from arena.pages.contents import PairingsPage, RunInList, RunPage
from arena.pages.index import SORTED, TABLES
from arena.pages.venue_contents import RatedBot
from arena.records.rows import TABLES as ROWS
from arena.records.rows import columns_of

T = TypeVar("T")
NAME: Final = ".arena-index.sqlite"
"""The name of the index in the folder of the runs."""
BESIDE: Final = ("", "-wal", "-shm")
"""What is added to the name of the index for the files that SQLite keeps beside it."""
READERS: Final = 4
BUSY_SECONDS: Final = 5.0
WAL_BYTES: Final = 64 << 20
"""The write-ahead log is cut to this size after a checkpoint."""
DAMAGE: Final = frozenset(
    {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_SCHEMA}
)
"""The errors of a file that is no index of ours any more."""
APPLICATION: Final = 0x42524144
"""The mark of the file in its head: `BRAD`."""
STATEMENTS: Final = (
    *TABLES,
    *SORTED,
    """CREATE TABLE runs (
      run INTEGER PRIMARY KEY, folder TEXT UNIQUE, stamp TEXT,
      started_ms INTEGER, latest_ms INTEGER, held_ms INTEGER, words TEXT, row TEXT
    )""",
    "CREATE INDEX runs_by_time ON runs (started_ms, run)",
    "CREATE TABLE pages (run INTEGER, name TEXT, content BLOB, PRIMARY KEY (run, name))",
    f"""CREATE TABLE rated (
      run INTEGER, {", ".join(RatedBot.__struct_fields__)}, PRIMARY KEY (run, entrant)
    ) WITHOUT ROWID""",
    """CREATE TABLE course (
      run INTEGER, bot TEXT, version INTEGER, at_ms INTEGER, elo REAL, error REAL,
      PRIMARY KEY (run, bot, version, at_ms)
    ) WITHOUT ROWID""",
    "CREATE INDEX games_forfeited ON games (run, loser, cause) WHERE ending = 'forfeit'",
)
"""The tables of `index.py`, a row for each run, the pages of runs as they are sent, and of each day
of a ladder its players and how their ratings moved (ladder.py)."""


def _version() -> int:
    """Return a number that is another one whenever a table or a kept page gets another form."""
    digest = hashlib.sha256()
    for statement in STATEMENTS:
        digest.update(statement.encode())
    for table in ROWS:
        digest.update(repr(columns_of(table)).encode())
    schemas = msgspec.json.schema_components([RunInList, RunPage, PairingsPage])
    digest.update(msgspec.json.encode(schemas))
    return int.from_bytes(digest.digest()[:4], "big") >> 1


class IndexFile:
    """An index that is open: in a file, or in memory if there is no place for one."""

    def __init__(self, path: Path | None) -> None:
        """Open the file, or make it again; None stands for memory.

        Raises `OSError` and `sqlite3.Error` if it cannot be written.
        """
        self.path = path
        self.remakes = 0
        """The number of times that it was made again since it was opened."""
        self._lock_file: int | None = None
        self._writing = Lock()
        self._readers: SimpleQueue[sqlite3.Connection] = SimpleQueue()
        self._connections: list[sqlite3.Connection] = []
        if path is not None:
            self._lock_file = _locked(path)
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Read, once more from an empty index if this one is damaged."""
        try:
            return self._read(work)
        except sqlite3.DatabaseError as error:
            self._make_again(error)
            return self._read(work)

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Write in one transaction, once more into an empty index if this one is damaged."""
        try:
            return self._write(work)
        except sqlite3.DatabaseError as error:
            self._make_again(error)
            return self._write(work)

    def checkpoint(self) -> None:
        """Move everything from the write-ahead log into the file, and cut the log."""
        if self.path is not None:
            with self._writing:
                self._connections[0].execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the file, and leave it to others."""
        for connection in self._connections:
            connection.close()
        self._connections.clear()
        if self._lock_file is not None:
            os.close(self._lock_file)
            self._lock_file = None

    def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        connection = self._readers.get()
        try:
            return work(connection)
        finally:
            self._readers.put(connection)

    def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._writing, self._writer() as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            return work(connection)

    @contextmanager
    def _writer(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection that writes; in memory it is the one that reads."""
        if self.path is not None:
            yield self._connections[0]
            return
        connection = self._readers.get()
        try:
            yield connection
        finally:
            self._readers.put(connection)

    def _open(self) -> None:
        if self.path is None:
            connection = _connected(":memory:")
            self._connections = [connection]
            _create(connection)
            self._readers.put(connection)
            return
        if not _is_ours(self.path):
            _remove(self.path)
        writer = _connected(str(self.path))
        self._connections.append(writer)
        self.path.chmod(0o600)
        [mode] = writer.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            raise sqlite3.OperationalError("this disk has no shared memory")
        writer.execute("PRAGMA synchronous = NORMAL")
        writer.execute(f"PRAGMA journal_size_limit = {WAL_BYTES}")
        if not writer.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            _create(writer)
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for _ in range(READERS):
            reader = _connected(str(self.path))
            reader.execute("PRAGMA query_only = TRUE")
            self._connections.append(reader)
            self._readers.put(reader)

    def _make_again(self, error: sqlite3.DatabaseError) -> None:
        """Make a damaged index again, empty; raise the error if that is not what is wrong."""
        if error.sqlite_errorcode & 0xFF not in DAMAGE:  # the higher bits say more of an error
            raise error
        with self._writing:
            busy = READERS if self.path is not None else 1
            idle = [self._readers.get() for _ in range(busy)]
            for connection in {*idle, *self._connections}:
                connection.close()
            self._connections.clear()
            if self.path is not None:
                _remove(self.path)
            self._open()
            self.remakes += 1


def opened_index(folder: Path) -> IndexFile:
    """Open the index of the runs in a folder: there, or in the user's cache, or in memory."""
    digest = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()
    for path in (folder / NAME, _cache_folder() / f"runs-{digest[:24]}.sqlite"):
        with suppress(OSError, sqlite3.Error):
            if path.parent != folder:
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            return IndexFile(path)
    return IndexFile(None)


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):  # noqa: PTH117 - an empty text is no path
        return Path(base) / "brade-arena"
    return Path("~/.cache/brade-arena").expanduser()


def _locked(path: Path) -> int:
    """Take the index for this process. Raises `OSError` if another one has it."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(path.with_name(f"{path.name}-lock"), flags, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException:
        os.close(file)
        raise
    return file


def _connected(place: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        place,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.execute("PRAGMA trusted_schema = FALSE")
    return connection


def _create(database: sqlite3.Connection) -> None:
    statements = [*STATEMENTS]
    statements.append(f"PRAGMA application_id = {APPLICATION}")
    statements.append(f"PRAGMA user_version = {_version()}")
    database.executescript(f"BEGIN; {';'.join(statements)}; COMMIT")


def _is_ours(path: Path) -> bool:
    """Return whether this is an index that this version of the arena has made.

    Its tables have to be exactly ours: a foreign one could have triggers.
    """
    for ending in BESIDE:
        with suppress(FileNotFoundError):
            status = path.with_name(path.name + ending).lstat()
            if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
                return False
    try:
        database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)
    except sqlite3.Error:
        return False
    try:
        [mark] = database.execute("PRAGMA application_id").fetchone()
        [version] = database.execute("PRAGMA user_version").fetchone()
        statements = [sql for (sql,) in database.execute("SELECT sql FROM sqlite_master") if sql]
    except sqlite3.Error:
        return False
    finally:
        database.close()
    is_known = (mark, version) == (APPLICATION, _version())
    return is_known and sorted(statements) == sorted(STATEMENTS)


def _remove(path: Path) -> None:
    """Remove the files of an index; links are removed and not followed."""
    for ending in BESIDE:
        with suppress(FileNotFoundError):
            path.with_name(path.name + ending).unlink()
