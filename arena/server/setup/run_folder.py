"""The run folder: the frozen tournament file, the records, what bots printed, and the secrets beside them."""

import fcntl
import hashlib
import os
import re
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import msgspec

from arena.records.files import MATCHES, TOURNAMENT_FILE, TOURNAMENT_RECORD, match_record
from arena.records.lines import UNREADABLE, RecordError
from arena.server.io.disk import names_in, open_inside, read_inside, write_inside
from arena.server.io.journal import Journal
from arena.server.io.operator_log import LogFile
from arena.server.setup.plan_differences import differences
from arena.server.setup.problems import first_problems
from arena.server.setup.tournament_file import PlanError, parse_plan
from arena.words import Said, SaidError, joined
from arena.words.system_errors import system_reason

SECRETS_FILE: Final = "secrets.json"
LOCK_FILE: Final = "lock"
OPERATOR_LOG: Final = "operator.jsonl"
OURS: Final = {"matches", "bots", LOCK_FILE, f"{TOURNAMENT_FILE}.new"}
"""What an arena and its pages may leave behind if it is killed before the run begins."""
KEPT: Final = ("matches", "bots", "evidence")
"""The folders of match records and of bots' output."""
OF_OTHERS: Final = 0o027
"""What a run is closed to: all of it to users other than its owner and group, and writing to the
group."""
_BESIDE: Final = re.compile(r"(bots|evidence)/[a-z0-9][a-z0-9._-]*")
"""A file beside the records."""


class FolderError(SaidError):
    """The run folder cannot be used; says what was found and what to do."""


class Secrets(msgspec.Struct, kw_only=True):
    """Secrets of a run, kept in a file that only its owner can read."""

    dice_key: str = ""
    """The key from which the dice seeds of the run are made (hexadecimal); empty before there is
    one."""
    tokens: dict[str, str] = {}
    """Remote entrant to token."""

    def __repr__(self) -> str:
        """Show which secrets there are, but not their values."""
        return f"Secrets({'a' if self.dice_key else 'no'} dice key, {len(self.tokens)} tokens)"


class RunFiles(Mapping[str, bytes]):
    """The records of a run folder by name, read on demand; raises `RecordError` for one that may not be read.

    With `record`, of the match records only the one with this name.
    """

    def __init__(self, folder: Path, record: str | None = None) -> None:
        self._folder = folder
        self._record = record

    def __getitem__(self, name: str) -> bytes:
        try:
            return read_inside(self._folder, name)
        except FileNotFoundError as error:
            raise KeyError(name) from error
        except OSError as error:
            raise RecordError(
                name, Said("file.unreadable", {"reason": system_reason(error)})
            ) from error

    def __iter__(self) -> Iterator[str]:
        names = [TOURNAMENT_FILE, TOURNAMENT_RECORD]
        yield from (name for name in names if os.path.lexists(self._folder / name))
        try:
            found = [MATCHES + name for name in names_in(self._folder, MATCHES.rstrip("/"))]
            yield from sorted(
                (name for name in found if self._record in (None, name)), key=_in_order
            )
        except OSError as error:
            raise RecordError(
                MATCHES, Said("file.unreadable_folder", {"reason": system_reason(error)})
            ) from error

    def __len__(self) -> int:
        return sum(1 for _ in self)


class RunFolder:
    """A folder that one arena writes to: no other arena can use it between `open` and `close`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files = RunFiles(path)
        self.tournament_record = path / TOURNAMENT_RECORD
        self.operator_log = path / OPERATOR_LOG
        """What the operator was told, with tracebacks of unexpected exceptions; made when needed."""
        self.evidence = path / "evidence"
        """The folder for authors of bots that have forfeited; made when something is put there."""
        self._lock: int | None = None
        self._journals: dict[str, Journal] = {}
        """Match records that are being written, by fixture."""
        self._to_freeze: str | None = None
        """The tournament file that was given, if it enters newcomers."""
        self._is_new = False
        """Whether the run had begun before this arena opened it."""
        self._was_there = path.exists()

    @property
    def is_begun(self) -> bool:
        """True once a tournament has begun in it."""
        return (self.path / TOURNAMENT_FILE).exists()

    @property
    def directory(self) -> Path | None:
        """Folder where the commands of bots ran when the run was last played; None if that is not known."""
        return self._remembered[0]

    @property
    def key(self) -> Path | None:
        """The operator's key by which the record was signed last; None if there was none, or it is not known."""
        return self._remembered[1]

    @property
    def _remembered(self) -> tuple[Path | None, Path | None]:
        try:
            found = read_inside(self.path, LOCK_FILE)
        except (FileNotFoundError, NotADirectoryError):
            return None, None
        directory, _, key = found.partition(b"\0")
        return _path_of(directory), _path_of(key)

    def remember(self, directory: Path, key: Path | None = None) -> None:
        """Keep where the commands of bots run and which key signs, in the file of the lock; it has to be open.

        Without a key the one of before is kept: it is to be hidden still.
        """
        assert self._lock is not None
        key = key or self.key
        words = [os.fsencode(path.resolve()) for path in (directory, key) if path is not None]
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, b"\0".join(words), 0)

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
        """The path of a launched bot's output, without `.stdout` or `.stderr`; `fixture` is None for the whole run."""
        return self.path / "bots" / f"{fixture or 'run'}.{name}"

    def kept(self) -> dict[str, bytes]:
        """All files of matches and bots, by name in this folder."""
        paths = [path for parent in KEPT for path in (self.path / parent).glob("*")]
        paths += [self.operator_log] if self.operator_log.exists() else []
        return {str(path.relative_to(self.path)): path.read_bytes() for path in paths}

    def take_in(
        self,
        kept: Mapping[str, bytes],
        fixtures: Collection[str],
    ) -> None:
        """Add the files of these fixtures that were written elsewhere; each file is there whole or not at all.

        Output of bots is appended to their earlier output, and the operator's log to the one that
        is there. Raises `ValueError` for a name that does not belong here.
        """
        records = {match_record(fixture) for fixture in fixtures}
        for name, data in kept.items():
            if name == OPERATOR_LOG:
                with closing(LogFile(self.operator_log)) as log:  # this arena writes to it as well
                    log.write(data)
                continue
            if not (name in records or _BESIDE.fullmatch(name)):
                raise ValueError(f"{name!r} does not belong to {', '.join(fixtures)}")
            path = self.path / name
            before = path.read_bytes() if path.exists() and name.startswith("bots/") else b""
            write_inside(self.path, name, before + data, mode=0o640)

    def make(self) -> None:
        """Create the folder with the folders that every run has."""
        (self.path / MATCHES).mkdir(parents=True, exist_ok=True)
        (self.path / "bots").mkdir(exist_ok=True)

    def open(self, plan_text: str) -> None:
        """Create the folder for this tournament, or open it again; then no other arena can.

        A file that only enters newcomers may take the place of the one that was frozen, see
        `freeze`. Raises `FolderError` if another arena has it open, if it holds another tournament,
        or other files, or if the system does not let it be written.
        """
        try:
            self._open(plan_text)
        except OSError as error:
            self.close()
            values = {
                "folder": str(self.path),
                "reason": system_reason(error),
                "file": str(error.filename),
            }
            raise FolderError(Said("run_folder.not_writable", values)) from error

    def refuse_strangers(self) -> None:
        """Raise `FolderError` if the path holds something else than a run."""
        if self.path.exists() and not self.path.is_dir():
            raise FolderError(Said("run_folder.no_folder", {"folder": str(self.path)}))
        if (
            self.path.exists()
            and not self.is_begun
            and {path.name for path in self.path.iterdir()} - OURS
        ):
            raise FolderError(Said("run_folder.holds_files", {"folder": str(self.path)}))

    def _open(self, plan_text: str) -> None:
        self.refuse_strangers()
        self._close_to_others()
        self.make()
        self._lock = open_inside(self.path, LOCK_FILE, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self.close()
            raise FolderError(Said("run_folder.in_use", {"folder": str(self.path)})) from error
        frozen = self.path / TOURNAMENT_FILE
        if not frozen.exists():
            self._is_new = True
            write_inside(self.path, TOURNAMENT_FILE, plan_text.encode(), mode=0o640)
        elif (data := read_inside(self.path, TOURNAMENT_FILE)) != plan_text.encode():
            if adds_entrants(data, plan_text):
                self._to_freeze = plan_text
                return
            if found := _differences(data, plan_text):
                self.close()
                indented = [Said("run_folder.difference", {"difference": one}) for one in found]
                values = {
                    "folder": str(self.path),
                    "differences": joined(indented, "list.lines"),
                }
                raise FolderError(Said("run_folder.another_tournament", values))

    def _close_to_others(self) -> None:
        """Let nobody but owner and group read what this process makes from now on, nor the folder if it is there.

        In a duplicate pair a record has answers that the bot at the other half must not see
        (docs/dice.md).
        """
        os.umask(os.umask(0o077) | OF_OTHERS)
        if self.path.exists() and (mode := stat.S_IMODE(self.path.stat().st_mode)) & stat.S_IRWXO:
            with suppress(PermissionError):  # it is somebody else's; what is made in it is closed
                self.path.chmod(mode & ~stat.S_IRWXO)

    def freeze(self) -> None:
        """Replace the frozen tournament file by the one that adds entrants, if there is one."""
        if self._to_freeze is not None:
            write_inside(self.path, TOURNAMENT_FILE, self._to_freeze.encode(), mode=0o640)
            self._to_freeze = None

    def take_back(self) -> None:
        """Remove a run that was begun just now, unless one of its matches was begun.

        So the next try, with another tournament file, finds its folder free.
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
        return hashlib.sha256(read_inside(self.path, TOURNAMENT_FILE)).hexdigest()

    def close(self) -> None:
        """Close the records of unfinished matches, and let others open the folder.

        Call it when nothing writes any more: as long as connections are served, they may still
        append to a record.
        """
        for fixture in list(self._journals):
            with suppress(OSError):  # a full disk has ended the run, and was reported then
                self.close_journal(fixture)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def read_secrets(self) -> Secrets:
        """The secrets; empty for a new run. Raises `RecordError` if the file is damaged."""
        try:
            return msgspec.json.decode(read_inside(self.path, SECRETS_FILE), type=Secrets)
        except FileNotFoundError:
            return Secrets()
        except UNREADABLE as error:
            raise RecordError(SECRETS_FILE, Said("record.no_secrets")) from error

    def write_secrets(self, secrets: Secrets) -> None:
        """Replace the file of secrets atomically and on the disk; only its owner can read it."""
        write_inside(self.path, SECRETS_FILE, msgspec.json.encode(secrets), mode=0o600)


def adds_entrants(frozen_data: bytes, given_text: str) -> bool:
    """Return whether a file differs from the frozen one only by newcomers after the other bots.

    Not every format takes newcomers. A file that cannot be used adds nobody.
    """
    try:
        frozen, given = parse_plan(frozen_data.decode()), parse_plan(given_text)
    except (PlanError, UnicodeDecodeError):
        return False
    field = len(frozen.bot)
    same = msgspec.structs.replace(given, bot=given.bot[:field]) == frozen
    newcomers = given.entrants[field:]
    return (
        same
        and bool(newcomers)
        and frozen.format.catch_up(frozen.entrants, newcomers, 0) is not None
    )


def _differences(frozen_data: bytes, given_text: str) -> list[Said]:
    """Say where a file differs from the frozen one in what it says; nothing if only its text does."""
    try:
        frozen = parse_plan(frozen_data.decode())
    except UnicodeDecodeError:
        return [Said("differs.not_utf_8")]
    except PlanError as error:
        return [Said("differs.unusable", {"problem": problem}) for problem in error.problems]
    return first_problems([*differences(frozen, parse_plan(given_text))])


def _in_order(name: str) -> list[str | int]:
    """The sort key of names: r2 before r10."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"([0-9]+)", name)]


def _path_of(name: bytes) -> Path | None:
    return Path(os.fsdecode(name)) if name else None
