"""Fuzzing of run folders that somebody else has made: strange things in any place, and damaged records."""

from __future__ import annotations

import json
import os
import random
import shutil
import stat
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import trio
from click.testing import CliRunner

from arena.cli import main
from arena.pages.live.run_pages import RunPages
from arena.pages.live.watching import Watcher
from arena.pages.serving import faults
from arena.pages.serving.app import web_app
from arena.pages.serving.listening import ListeningPlace
from arena.records.files import TOURNAMENT_FILE, TOURNAMENT_RECORD, analysis_file
from arena.records.lines import RecordError
from arena.regular_files import NotRegularError
from arena.server.io.disk import LONGEST_LINE_BYTES, LongLineError
from arena.server.io.listening import NetAddress
from arena.server.setup.run_folder import (
    LOCK_FILE,
    OPERATOR_LOG,
    SECRETS_FILE,
    FolderError,
    RunFolder,
)
from tests.fixtures.asked_pages import ask, write_run
from tests.fixtures.small_run import FIXTURE, RECORD, small_run
from tests.fuzz.files import DEEP, ODD
from tests.fuzz.mutations import other_bytes
from tests.strange_files import KINDS, Strange, soon_over

HERE: Final = ListeningPlace(address=NetAddress(kind="tcp", host="127.0.0.1", port=8017))
COMMANDS: Final = (
    ("standings", "{run}"),
    ("stats", "{run}"),
    ("show", "{run}"),
    ("show", "{run}/" + RECORD, "--no-boards"),
    ("log", "{run}", "slow-turns"),
    ("verify", "{run}", "--dice"),
    ("report", "{run}"),
    ("query", "{run}", "SELECT count(*) FROM turns"),
    ("standings", "{run}", "--luck-adjusted"),
)
TARGETS: Final = (
    *("/", "/api/run", "/api/crosstable", "/api/pairings", "/api/games", "/api/bots/anna"),
    *(f"/api/matches/{FIXTURE}", f"/api/matches/{FIXTURE}/1/1"),
)
ANSWERS: Final = frozenset({200, 404, 409, 503})
PLACES: Final = (
    *(TOURNAMENT_FILE, TOURNAMENT_RECORD, RECORD, "matches", analysis_file(RECORD), "analysis"),
    *(
        SECRETS_FILE,
        LOCK_FILE,
        OPERATOR_LOG,
        "bots",
        "evidence",
        "report.html",
        f"{TOURNAMENT_FILE}.new",
    ),
    *(
        "matches/.jsonl",
        "matches/r1-x-v-y.jsonl",
        "matches/r1-\x1b[2J.jsonl",
        "matches/\udcff.jsonl",
        "matches/more",
    ),
)


class FolderFuzz:
    """Makes one run folder after the other and has it read, watched or opened again; `cases` counts them."""

    def __init__(self, seed: int, folder: Path) -> None:
        self._chance = random.Random(seed)
        self._folder = folder
        self.cases = 0
        self.counts: Counter[str] = Counter()
        """How they ended."""

    def step(self) -> None:
        """One folder. Raises `AssertionError` for a broken law, and whatever should not happen."""
        place = self._folder / f"case-{self.cases}"
        place.mkdir()
        strange = Strange(place)
        write_run(strange.run, small_run())
        places = self._chance.sample(PLACES, self._chance.choice((1, 1, 2)))
        done = [self._change(strange, name) for name in places if _has_folder(strange.run / name)]
        use = self._chance.choice((self._command, self._pages, self._resume))
        try:
            with soon_over():
                self.counts[use(strange.run)] += 1
            strange.assert_unharmed()
        except BaseException as error:
            error.add_note(f"case {self.cases}: {use.__name__} of {done}")
            raise
        shutil.rmtree(place)
        self.cases += 1

    def _change(self, strange: Strange, name: str) -> str:
        """Put something in a place; returns what."""
        chance = self._chance
        if chance.random() < 0.4:
            kind = chance.choice(KINDS)
            strange.put(kind, name)
            return f"{kind} as {name!r}"
        path = strange.run / name
        path.parent.mkdir(exist_ok=True)
        if path.is_dir():
            shutil.rmtree(path)
        changes = self._other_value, self._other_lines, self._other_bytes, self._rubbish
        change: Callable[[bytes], bytes] = chance.choice(changes)
        path.write_bytes(
            change(path.read_bytes() if path.exists() else chance.choice([*small_run().values()]))
        )
        return f"{change.__name__} in {name!r}"

    def _other_value(self, data: bytes) -> bytes:
        lines = data.split(b"\n")
        at = self._chance.randrange(len(lines))
        try:
            found: Any = json.loads(lines[at])
        except ValueError:
            return self._other_bytes(data)
        inner = found
        while isinstance(inner, dict | list) and inner:
            key: Any = self._chance.choice(
                [*inner] if isinstance(inner, dict) else range(len(inner))
            )
            if (
                not isinstance(inner[key], dict | list)
                or not inner[key]
                or self._chance.random() < 0.3
            ):
                inner[key] = self._chance.choice(ODD)
                break
            inner = inner[key]
        lines[at] = json.dumps(found).replace(DEEP, "[" * 5000 + "]" * 5000).encode()
        return b"\n".join(lines)

    def _other_lines(self, data: bytes) -> bytes:
        """A line twice, none, two in another order, or the rest missing."""
        chance, lines = self._chance, data.splitlines(keepends=True)
        if not lines:
            return b"\n"
        one, two = chance.randrange(len(lines)), chance.randrange(len(lines))
        fate = chance.randrange(4)
        if fate == 0:
            lines.insert(one, lines[two])
        elif fate == 1:
            del lines[one]
        elif fate == 2:
            lines[one], lines[two] = lines[two], lines[one]
        else:
            del lines[one:]
        return b"".join(lines)

    def _other_bytes(self, data: bytes) -> bytes:
        return other_bytes(self._chance, data, b"\n", b"\x00", b"9", b'"')

    def _rubbish(self, data: bytes) -> bytes:
        chance = self._chance
        return chance.choice(
            (
                *(
                    b"",
                    b"\n",
                    b"{}\n",
                    b"[]\n",
                    b"null\n",
                    b"\xff\xfe\n",
                    b"\xef\xbb\xbf" + data,
                    data[:-1],
                ),
                *(
                    b"[" * 50_000,
                    b'{"event":"',
                    b"x" * (LONGEST_LINE_BYTES + 1),
                    data + b"\x00" * 100,
                ),
                chance.randbytes(300),
            )
        )

    def _command(self, run: Path) -> str:
        words = self._chance.choice(COMMANDS)
        result = CliRunner().invoke(
            main, [word.format(run=run) for word in words], env={"COLUMNS": "200"}
        )
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code in (0, 1, 2), result.output
        assert result.exit_code == 0 or result.output.strip(), words
        return f"{words[0]}: {result.exit_code}"

    def _pages(self, run: Path) -> str:
        told: list[BaseException] = []
        target = self._chance.choice(TARGETS)

        async def watched() -> int:
            with closing(Watcher(run)) as watcher:
                watcher.look()
                answered = await ask(web_app(RunPages(watcher).routes(), HERE), target)
                watcher.look()
                return answered.status

        with patch.object(faults, "tell_fault", lambda _, error: told.append(error)):
            status = trio.run(watched)
        if told:
            raise told[0]
        assert status in ANSWERS, (target, status)
        return f"pages: {status}"

    def _resume(self, run: Path) -> str:
        """An arena that goes on with it opens it, or says why it does not."""
        mask = os.umask(0o022)
        folder = RunFolder(run)
        try:
            folder.open(small_run()[TOURNAMENT_FILE].decode())
            folder.remember(Path.cwd())
            assert folder.directory == Path.cwd()
            folder.read_secrets()
            return f"opened, {len(folder.files)} files"
        except (FolderError, RecordError, NotRegularError, LongLineError) as error:
            return type(error).__name__
        finally:
            folder.close()
            os.umask(mask)


def _has_folder(path: Path) -> bool:
    return not os.path.lexists(path.parent) or stat.S_ISDIR(path.parent.lstat().st_mode)
