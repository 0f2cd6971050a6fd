"""The run folder: the frozen tournament file, the records, what bots printed, and the secrets beside them."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, suppress
from functools import cached_property
from pathlib import Path
from typing import Final

import msgspec

from arena.records.files import MATCHES, TOURNAMENT_FILE, TOURNAMENT_RECORD, match_record
from arena.records.lines import RecordError
from arena.server.io.journal import Journal, write_all
from arena.server.io.operator_log import LogFile
from arena.server.setup.tournament_file import adds_entrants

SECRETS_FILE: Final = "secrets.json"
LOCK_FILE: Final = "lock"
OPERATOR_LOG: Final = "operator.jsonl"
OURS: Final = {"matches", "bots", LOCK_FILE, f"{TOURNAMENT_FILE}.new"}
"""What an arena may leave that was killed before the run began."""
KEPT: Final = ("matches", "bots", "evidence")
"""The folders of what is kept of matches and bots."""
_BESIDE: Final = re.compile(r"(bots|evidence)/[a-z0-9][a-z0-9._-]*")
"""A file beside the records."""


class FolderError(Exception):
    """The run folder cannot be used; says what was found and what to do."""


class Secrets(msgspec.Struct, kw_only=True):
    """What must not be known before its time; kept in a file only its owner can read."""

    dice_key: str = ""
    """What the dice seeds of the run are made from (hexadecimal); empty before there is one."""
    tokens: dict[str, str] = {}
    """Remote entrant to token."""

    def __repr__(self) -> str:
        """Show what there is, and nothing of it."""
        return f"Secrets({'a' if self.dice_key else 'no'} dice key, {len(self.tokens)} tokens)"


class RunFiles(Mapping[str, bytes]):
    """The records of a run folder by name, read when asked for; raises `RecordError` for one that may not be read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __getitem__(self, name: str) -> bytes:
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError as error:
            raise KeyError(name) from error
        except (PermissionError, IsADirectoryError) as error:
            raise RecordError(name, f"the file cannot be read: {error.strerror}") from error

    def __iter__(self) -> Iterator[str]:
        names = [TOURNAMENT_FILE, TOURNAMENT_RECORD]
        yield from (name for name in names if (self._folder / name).exists())
        yield from sorted((f"{MATCHES}{path.name}" for path in (self._folder / MATCHES).glob("*")), key=_in_order)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class RunFolder:
    """A folder that one arena writes to: from `open` to `close` no other can."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files = RunFiles(path)
        self._lock: int | None = None
        self._journals: dict[str, Journal] = {}
        """Match records that are being written, by fixture."""
        self._is_new = False
        """Whether the run was begun when it was opened."""
        self._was_there = path.exists()

    @property
    def tournament_record(self) -> Path:
        """`tournament.jsonl`."""
        return self.path / TOURNAMENT_RECORD

    @property
    def is_begun(self) -> bool:
        """Whether a tournament was begun in it."""
        return (self.path / TOURNAMENT_FILE).exists()

    def match_record(self, fixture: str) -> Path:
        """`matches/<fixture>.jsonl`."""
        return self.path / match_record(fixture)

    def open_journal(self, fixture: str) -> Journal:
        """Open the match record of a fixture for appending; it stays open until `close_journal` or `close`."""
        journal = self._journals[fixture] = Journal(self.match_record(fixture))
        return journal

    def close_journal(self, fixture: str) -> None:
        """Commit and close the match record of a fixture."""
        self._journals.pop(fixture).close()

    def bot_output(self, name: str, fixture: str | None) -> Path:
        """Where a launched bot's output is kept, without the ending `.stdout` or `.stderr`; None for the whole run."""
        return self.path / "bots" / f"{fixture or 'run'}.{name}"

    def kept(self) -> dict[str, bytes]:
        """Everything that is kept of matches and bots, by name in this folder."""
        paths = [path for parent in KEPT for path in (self.path / parent).glob("*")]
        paths += [self.operator_log] if self.operator_log.exists() else []
        return {str(path.relative_to(self.path)): path.read_bytes() for path in paths}

    def take_in(self, kept: Mapping[str, bytes], fixtures: Collection[str]) -> None:
        """Put in place what was kept elsewhere of these fixtures; each file is there whole or not at all.

        What bots printed is added to what they had printed before, and the operator's log to the one that is there.
        Raises `ValueError` for a name that cannot be.
        """
        records = {match_record(fixture) for fixture in fixtures}
        for name, data in kept.items():
            if name == OPERATOR_LOG:
                with closing(LogFile(self.operator_log)) as log:  # which this arena is writing to as well
                    log.write(data)
                continue
            if not (name in records or _BESIDE.fullmatch(name)):
                raise ValueError(f"{name!r} does not belong to {', '.join(fixtures)}")
            path = self.path / name
            path.parent.mkdir(exist_ok=True)
            before = path.read_bytes() if path.exists() and name.startswith("bots/") else b""
            write_whole(path, before + data, mode=0o644)

    @cached_property
    def evidence(self) -> Path:
        """The folder of what authors need whose bots have forfeited; made when there is something to put there."""
        return self.path / "evidence"

    @property
    def operator_log(self) -> Path:
        """What the operator was told, and the tracebacks of exceptions nobody expected; made when needed."""
        return self.path / OPERATOR_LOG

    def make(self) -> None:
        """Create the folder and those in it that every run has."""
        (self.path / MATCHES).mkdir(parents=True, exist_ok=True)
        (self.path / "bots").mkdir(exist_ok=True)

    def open(self, plan_text: str) -> None:
        """Create the folder for this tournament, or open it again; then nobody else can.

        A file that only enters newcomers takes the place of the one that was frozen.
        Raises `FolderError` if another arena has it open, if it holds another tournament, or other files, or if the
        system does not let it be written.
        """
        try:
            self._open(plan_text)
        except OSError as error:
            self.close()
            found = f"{self.path} cannot be made or written: {error.strerror}: {error.filename}"
            raise FolderError(f"{found}; see to that, or give --out another folder") from error

    def refuse_strangers(self) -> None:
        """Raise `FolderError` if the path holds something else than a run."""
        if self.path.exists() and not self.path.is_dir():
            raise FolderError(f"{self.path} is not a folder; give --out a new name")
        if self.path.exists() and not self.is_begun and {path.name for path in self.path.iterdir()} - OURS:
            raise FolderError(f"{self.path} holds files, but no run; give --out a new or an empty folder")

    def _open(self, plan_text: str) -> None:
        self.refuse_strangers()
        self.make()
        self._lock = os.open(self.path / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self.close()
            raise FolderError(f"another arena is running in {self.path}; wait for it or give --out another") from error
        frozen = self.path / TOURNAMENT_FILE
        if not frozen.exists():
            self._is_new = True
            write_whole(frozen, plan_text.encode(), mode=0o644)
        elif (found := frozen.read_text()) != plan_text:
            if adds_entrants(found, plan_text):
                write_whole(frozen, plan_text.encode(), mode=0o644)
                return
            self.close()
            raise FolderError(
                f"{self.path} was begun with another tournament file:\n{_difference(found, plan_text)}\n"
                f"go on with the one it has by `arena run {self.path}`, or give --out another folder; "
                "a run takes newcomers, if its format does, as [[bot]] sections after the others and no other change"
            )

    def take_back(self) -> None:
        """Remove what there is of a run that was begun just now, if no match of it was; else do nothing.

        So that the next try, with another tournament file, finds its folder free.
        """
        folders = [self.path / MATCHES, self.path / "bots"]
        if not self._is_new or any(path for folder in folders for path in folder.iterdir()):
            return
        for name in (TOURNAMENT_RECORD, OPERATOR_LOG, SECRETS_FILE, TOURNAMENT_FILE, LOCK_FILE):
            (self.path / name).unlink(missing_ok=True)
        for folder in folders:
            folder.rmdir()
        if not self._was_there and not any(self.path.iterdir()):
            self.path.rmdir()

    def file_sha256(self) -> str:
        """SHA-256 of the frozen tournament file, hexadecimal."""
        return hashlib.sha256((self.path / TOURNAMENT_FILE).read_bytes()).hexdigest()

    def close(self) -> None:
        """Close the records of the matches that are not over, and let others open the folder.

        Call it when nothing writes any more: as long as connections are served, they may still add to a record.
        """
        for fixture in list(self._journals):
            with suppress(OSError):  # a disk that takes nothing has ended the run, and was reported then
                self.close_journal(fixture)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def read_secrets(self) -> Secrets:
        """What must not be known; empty for a new run. Raises `RecordError` if the file is damaged."""
        path = self.path / SECRETS_FILE
        try:
            return msgspec.json.decode(path.read_bytes(), type=Secrets) if path.exists() else Secrets()
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise RecordError(SECRETS_FILE, "the file does not hold the secrets of a run any more") from error

    def write_secrets(self, secrets: Secrets) -> None:
        """Replace the file of secrets at once and for good; only its owner can read it."""
        write_whole(self.path / SECRETS_FILE, msgspec.json.encode(secrets), mode=0o600)


def write_whole(path: Path, data: bytes, *, mode: int) -> None:
    """Write a file so that it is there whole or not at all, whenever the arena is stopped."""
    new = path.with_name(path.name + ".new")
    file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        os.fchmod(file, mode)  # one that was left by a killed arena keeps its own mode otherwise
        write_all(file, data)
        os.fsync(file)
    finally:
        os.close(file)
    new.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _in_order(name: str) -> list[str | int]:
    """What names are sorted by: r2 before r10."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"([0-9]+)", name)]


def _difference(found: str, given: str) -> str:
    import difflib

    lines = difflib.unified_diff(
        found.splitlines(), given.splitlines(), "the run's file", "the file given", lineterm=""
    )
    return "\n".join(lines)
