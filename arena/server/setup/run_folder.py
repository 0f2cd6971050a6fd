"""The run folder: the frozen tournament file, the records, output of bots, and the secrets."""

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
"""Files that an arena and its pages may leave behind if it is killed before the run begins."""
KEPT: Final = ("matches", "bots", "evidence")
"""The folders of match records, of output of bots, and of evidence."""
OF_OTHERS: Final = 0o027
"""Permissions that the files of a run never have: any for others, and writing for the group."""
_BESIDE: Final = re.compile(r"(bots|evidence)/[a-z0-9][a-z0-9._-]*")
"""A file beside the records."""


class FolderError(SaidError):
    """The run folder cannot be used; says what was found and what to do."""


class Secrets(msgspec.Struct, kw_only=True):
    """Secrets of a run, kept in a file that only its owner can read."""

    dice_key: str = ""
    """The key from which the dice seeds of the run are made (hexadecimal); empty before there is
    one."""
    pairing_key: str = ""
    """The key of a day of a ladder (hexadecimal); empty in other runs."""
    tokens: dict[str, str] = {}
    """Remote entrant to token."""

    def __repr__(self) -> str:
        """Show which secrets there are, but not their values."""
        dice_key = "a dice key" if self.dice_key else "no dice key"
        return f"Secrets({dice_key}, {len(self.tokens)} tokens)"


class RunFiles(Mapping[str, bytes]):
    """The records of a run folder by name, read on demand.

    With `record`, of the match records only the one with this name. Raises `RecordError` for a
    record that may not be read.
    """

    def __init__(
        self,
        folder: Path,
        record: str | None = None,
    ) -> None:
        self._folder = folder
        self._record = record

    def __getitem__(self, name: str) -> bytes:
        try:
            return read_inside(self._folder, name)
        except FileNotFoundError as error:
            raise KeyError(name) from error
        except OSError as error:
            unreadable = Said("file.unreadable", {"reason": system_reason(error)})
            raise RecordError(name, unreadable) from error

    def __iter__(self) -> Iterator[str]:
        for name in (TOURNAMENT_FILE, TOURNAMENT_RECORD):
            if os.path.lexists(self._folder / name):
                yield name
        yield from self._match_records()

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _match_records(self) -> list[str]:
        """Return the names of the match records, r2 before r10."""
        try:
            names = names_in(self._folder, MATCHES.rstrip("/"))
        except OSError as error:
            unreadable = Said("file.unreadable_folder", {"reason": system_reason(error)})
            raise RecordError(MATCHES, unreadable) from error
        records = []
        for name in names:
            record = MATCHES + name
            if self._record in (None, record):
                records.append(record)
        return sorted(records, key=_sort_key)


class RunFolder:
    """A folder that one arena writes to: no other arena can use it between `open` and `close`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files = RunFiles(path)
        self.tournament_record = path / TOURNAMENT_RECORD
        self.operator_log = path / OPERATOR_LOG
        """The operator's log, with tracebacks of unexpected exceptions; made when needed."""
        self.evidence = path / "evidence"
        """The folder for authors of bots that have forfeited; made when needed."""
        self._lock: int | None = None
        self._journals: dict[str, Journal] = {}
        """Match records that are being written, by fixture."""
        self._to_freeze: str | None = None
        """The tournament file that enters newcomers, if there is one."""
        self._is_new = False
        """True if this arena has started the run, false if it has continued it."""
        self._was_there = path.exists()

    @property
    def is_begun(self) -> bool:
        """True once the folder holds a tournament."""
        return (self.path / TOURNAMENT_FILE).exists()

    @property
    def directory(self) -> Path | None:
        """Folder where commands of bots ran when the run was last played; None if unknown."""
        return self._remembered[0]

    @property
    def key(self) -> Path | None:
        """The operator's key that signed the record last; None if there was none, or unknown."""
        return self._remembered[1]

    @property
    def _remembered(self) -> tuple[Path | None, Path | None]:
        """Return the working folder and the key file of the last start, where known."""
        try:
            content = read_inside(self.path, LOCK_FILE)
        except (FileNotFoundError, NotADirectoryError):
            return None, None
        directory, _, key = content.partition(b"\0")
        return _path_of(directory), _path_of(key)

    def remember(
        self,
        directory: Path,
        key: Path | None = None,
    ) -> None:
        """Keep in the file of the lock where the commands of bots run, and which key signs.

        The folder has to be open. Without a key the earlier one is kept: it must stay hidden.
        """
        assert self._lock is not None
        key = key or self.key
        paths = [directory]
        if key is not None:
            paths.append(key)
        content = b"\0".join(os.fsencode(path.resolve()) for path in paths)
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, content, 0)

    def match_record(self, fixture: str) -> Path:
        """Return the path `matches/<fixture>.jsonl`."""
        return self.path / match_record(fixture)

    def open_journal(self, fixture: str) -> Journal:
        """Open the match record of a fixture for appending, until `close_journal` or `close`."""
        journal = Journal(self.match_record(fixture))
        self._journals[fixture] = journal
        return journal

    def close_journal(self, fixture: str) -> None:
        """Commit and close the match record of a fixture."""
        self._journals.pop(fixture).close()

    def bot_output(
        self,
        name: str,
        fixture: str | None,
    ) -> Path:
        """Return the path of a launched bot's output, without `.stdout` or `.stderr`.

        `fixture` is None for a bot that runs for the whole run.
        """
        return self.path / "bots" / f"{fixture or 'run'}.{name}"

    def kept(self) -> dict[str, bytes]:
        """Return the content of all files of matches and bots, by name in this folder."""
        paths: list[Path] = []
        for parent in KEPT:
            paths += (self.path / parent).glob("*")
        if self.operator_log.exists():
            paths.append(self.operator_log)
        contents = {}
        for path in paths:
            name = str(path.relative_to(self.path))
            contents[name] = path.read_bytes()
        return contents

    def take_in(
        self,
        kept: Mapping[str, bytes],
        fixtures: Collection[str],
    ) -> None:
        """Add the files of these fixtures that were written elsewhere, each whole or not at all.

        Output of bots is appended to their earlier output, and the operator's log to the one that
        is there. Raises `ValueError` for a name that does not belong here.
        """
        records = {match_record(fixture) for fixture in fixtures}
        for name, content in kept.items():
            if name == OPERATOR_LOG:
                with closing(LogFile(self.operator_log)) as log:  # this arena writes to it as well
                    log.write(content)
                continue
            if not (name in records or _BESIDE.fullmatch(name)):
                raise ValueError(f"{name!r} does not belong to {', '.join(fixtures)}")
            path = self.path / name
            if name.startswith("bots/") and path.exists():
                content = path.read_bytes() + content
            write_inside(self.path, name, content, mode=0o640)

    def make(self) -> None:
        """Create the folder with the folders that every run has."""
        (self.path / MATCHES).mkdir(parents=True, exist_ok=True)
        (self.path / "bots").mkdir(exist_ok=True)

    def open(self, plan_text: str) -> None:
        """Create the folder for this tournament, or open it again; then no other arena can.

        A file that only enters newcomers may replace the frozen one, see `freeze`. Raises
        `FolderError` if another arena has the folder open, if it holds another tournament or other
        files, or if the system does not let it be written.
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

    def refuse_other_files(self) -> None:
        """Raise `FolderError` if the path holds something else than a run."""
        if not self.path.exists():
            return
        if not self.path.is_dir():
            raise self._error("run_folder.no_folder")
        if self.is_begun:
            return
        names = {path.name for path in self.path.iterdir()}
        if names - OURS:
            raise self._error("run_folder.holds_files")

    def _error(self, code: str) -> FolderError:
        return FolderError(Said(code, {"folder": str(self.path)}))

    def _open(self, plan_text: str) -> None:
        """Lock the folder; freeze the tournament file, or compare it with the frozen one."""
        self.refuse_other_files()
        self._close_to_others()
        self.make()
        self._lock = open_inside(self.path, LOCK_FILE, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self.close()
            raise self._error("run_folder.in_use") from error
        if self.is_begun:
            self._compare(plan_text)
        else:
            self._is_new = True
            write_inside(self.path, TOURNAMENT_FILE, plan_text.encode(), mode=0o640)

    def _compare(self, plan_text: str) -> None:
        """Compare a tournament file with the frozen one, and keep it if it adds entrants."""
        frozen = read_inside(self.path, TOURNAMENT_FILE)
        if frozen == plan_text.encode():
            return
        if adds_entrants(frozen, plan_text):
            self._to_freeze = plan_text
            return
        lines = [_indented(difference) for difference in _differences(frozen, plan_text)]
        if lines:
            self.close()
            values = {
                "folder": str(self.path),
                "differences": joined(lines, "list.lines"),
            }
            raise FolderError(Said("run_folder.another_tournament", values))

    def _close_to_others(self) -> None:
        """Close the folder, and all files that this process makes, to users outside its group.

        In a duplicate pair a record has answers that the bot at the other half must not see
        (docs/dice.md).
        """
        umask_before = os.umask(0o077)
        os.umask(umask_before | OF_OTHERS)
        if not self.path.exists():
            return
        mode = stat.S_IMODE(self.path.stat().st_mode)
        if mode & stat.S_IRWXO:
            with suppress(PermissionError):  # the folder of another user; its new files are closed
                self.path.chmod(mode & ~stat.S_IRWXO)

    def freeze(self) -> None:
        """Replace the frozen tournament file by the one that adds entrants, if there is one."""
        if self._to_freeze is not None:
            write_inside(self.path, TOURNAMENT_FILE, self._to_freeze.encode(), mode=0o640)
            self._to_freeze = None

    def remove_unplayed(self) -> None:
        """Remove a run that this arena has started.

        It is kept if it holds a match record or output of a bot.

        The next try, with another tournament file, then has a free folder.
        """
        if not self._is_new:
            return
        folders = [self.path / MATCHES, self.path / "bots"]
        for folder in folders:
            if any(folder.iterdir()):
                return
        for name in (TOURNAMENT_RECORD, OPERATOR_LOG, SECRETS_FILE, TOURNAMENT_FILE, LOCK_FILE):
            (self.path / name).unlink(missing_ok=True)
        for folder in folders:
            folder.rmdir()
        if not self._was_there and not any(self.path.iterdir()):
            self.path.rmdir()

    def file_sha256(self) -> str:
        """Return the SHA-256 of the frozen tournament file, in hexadecimal."""
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
        """Read the secrets; empty for a new run. Raises `RecordError` if the file is damaged."""
        try:
            return msgspec.json.decode(read_inside(self.path, SECRETS_FILE), type=Secrets)
        except FileNotFoundError:
            return Secrets()
        except UNREADABLE as error:
            raise RecordError(SECRETS_FILE, Said("record.no_secrets")) from error

    def write_secrets(self, secrets: Secrets) -> None:
        """Replace the file of secrets atomically and on the disk; only its owner can read it."""
        write_inside(self.path, SECRETS_FILE, msgspec.json.encode(secrets), mode=0o600)


def adds_entrants(frozen: bytes, plan_text: str) -> bool:
    """Return whether a file differs from the frozen one only by newcomers after the other bots.

    Not every format takes newcomers. A file that cannot be used adds no entrants.
    """
    try:
        frozen_plan = parse_plan(frozen.decode())
        plan = parse_plan(plan_text)
    except (PlanError, UnicodeDecodeError):
        return False
    field_size = len(frozen_plan.bot)
    without_newcomers = msgspec.structs.replace(plan, bot=plan.bot[:field_size])
    newcomers = plan.entrants[field_size:]
    if without_newcomers != frozen_plan or not newcomers:
        return False
    return frozen_plan.format.catch_up(frozen_plan.entrants, newcomers, 0) is not None


def _differences(frozen: bytes, plan_text: str) -> list[Said]:
    """Say where a file differs from the frozen one in its fields; empty if only its text does."""
    try:
        frozen_plan = parse_plan(frozen.decode())
    except UnicodeDecodeError:
        return [Said("differs.not_utf_8")]
    except PlanError as error:
        return [Said("differs.unusable", {"problem": problem}) for problem in error.problems]
    return first_problems(list(differences(frozen_plan, parse_plan(plan_text))))


def _indented(difference: Said) -> Said:
    return Said("run_folder.difference", {"difference": difference})


def _sort_key(name: str) -> list[str | int]:
    """Return the sort key of a name: r2 before r10."""
    key: list[str | int] = []
    for part in re.split(r"([0-9]+)", name):
        if part.isdecimal():
            key.append(int(part))
        else:
            key.append(part)
    return key


def _path_of(name: bytes) -> Path | None:
    if not name:
        return None
    return Path(os.fsdecode(name))
