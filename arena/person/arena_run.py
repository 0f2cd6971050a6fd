"""The run of a person's match: an ordinary arena in a process of its own, with a remote seat for each person."""

import json
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

import msgspec
import tomli_w

from arena.matches.time_control import TimeControl
from arena.person import arena_process
from arena.records.files import TOURNAMENT_FILE
from arena.server.io.disk import read_inside
from arena.server.setup.run_folder import SECRETS_FILE, Secrets
from arena.server.setup.tournament_file import Plan, PlanError, parse_plan
from arena.tournaments.names import plain_id
from arena.words import DEFAULT, Said, SaidError, quoted, say
from arena.words.system_errors import system_reason

CLOCK: Final = TimeControl(bank_ms=24 * 3600 * 1000)
"""A person may sleep on a turn. No sample bot thinks longer because of it: it plans by the delay."""
GRACE_MS: Final = 5_000
"""For an empty seat in a game. It is never empty while the program runs, so this is for who resigns."""
JOIN_MS: Final = 24 * 3600 * 1000
"""For another person to come."""
START_SECONDS: Final = 60.0
STOP_SECONDS: Final = 30.0
"""How long the arena may take to end, with the programs that it ends."""
_LOG: Final = "operator.jsonl"


class RunError(SaidError):
    """The arena could not be started, or has ended early."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Choices of a person for a match."""

    opponent: str
    """Its name, among the entrants."""
    command: str | None
    """None for another person."""
    ruleset: str = "vasa"
    options: tuple[str, ...] = ()
    games: Literal[3, 5, 7] = 3
    name: str = "you"
    clock: TimeControl = CLOCK

    def text(self) -> str:
        """The tournament file. Persons come by pages of ours, none by those of `arena run`."""
        by_hand = {"remote": True, "person": True}
        return tomli_w.dumps(
            {
                "tournament": {
                    "name": f"{self.name} against {self.opponent}",
                    "ruleset": self.ruleset,
                    "options": list(self.options),
                    "games": self.games,
                    "at_once": 1,
                },
                "clock": msgspec.to_builtins(self.clock),
                "limits": {"violations": 1000, "grace_ms": GRACE_MS, "idle_ms": 0, "join_ms": JOIN_MS},
                "listen": {"address": "tcp:127.0.0.1:0", "pages": ""},
                "bot": [
                    {"name": self.name, **by_hand},
                    {"name": self.opponent, **({"command": self.command} if self.command else by_hand)},
                ],
            }
        )


def plan_in(folder: Path) -> Plan:
    """The tournament file of a match of one person against a bot or another person. Raises `RunError`."""
    try:
        plan = parse_plan(read_inside(folder, TOURNAMENT_FILE).decode())
    except OSError as error:
        raise RunError(Said("no_run.no_folder", {"folder": str(folder), "error": system_reason(error)})) from error
    except UnicodeDecodeError as error:
        raise RunError(Said("no_run.unreadable", {"folder": str(folder), "error": Said("json.not_utf_8")})) from error
    except PlanError as error:
        raise RunError(Said("no_run.unreadable", {"folder": str(folder), "error": error.said})) from error
    if len(plan.bot) != 2 or not any(bot.person for bot in plan.bot):
        raise RunError(Said("no_run.no_person", {"folder": str(folder)}))
    return plan


class ArenaRun:
    """One match in play: the process of the arena, and where to sit down."""

    def __init__(self, folder: Path, wanted: Wanted | None, language: str | None = None) -> None:
        """Start it in a new folder, or go on in one that is there (`wanted` is None). Raises `RunError`.

        The person reads one `language`, on a terminal; None where only the page knows it.
        """
        self.folder = folder
        self._language = language
        if wanted is None:
            plan_in(folder)
        elif (folder / TOURNAMENT_FILE).exists():
            raise RunError(Said("no_run.taken", {"folder": str(folder)}))
        log = folder / _LOG
        self._log_begins = log.stat().st_size if log.exists() else 0
        with tempfile.TemporaryDirectory(prefix="arena-play-") as beside:
            source = folder
            if wanted is not None:
                source = Path(beside) / TOURNAMENT_FILE
                source.write_text(wanted.text(), encoding="utf-8")
            arena = [sys.executable, "-m", arena_process.__name__]
            spoken = ["--language", language or DEFAULT]
            command = [*arena, *spoken, "run", str(source), "--out", str(folder), "--quiet"]
            self._process: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603 - the arena itself
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for the person's program, which ends the arena in good order
            )
            self.address = self._wait_for_address()
        self.plan = plan_in(folder)
        self.person, self.opponent = sorted(self.plan.bot, key=lambda bot: not bot.person)
        self.entrant = self.person.entrant
        secrets = msgspec.json.decode((folder / SECRETS_FILE).read_bytes(), type=Secrets)
        self.tokens = secrets.tokens
        """Those of the seats, by entrant."""

    def _wait_for_address(self) -> str:
        """Return the address where the arena waits for the person; it has tried out the opponent by then."""
        give_up = time.monotonic() + START_SECONDS
        while time.monotonic() < give_up:
            with suppress(FileNotFoundError), (self.folder / _LOG).open("rb") as log:
                log.seek(self._log_begins)
                for line in log:
                    if line.endswith(b"\n") and (event := json.loads(line))["event"] == "waiting_for_persons":
                        return str(event["address"])
            if self.is_over:
                assert self._process.stderr is not None, "it is a pipe"
                raise RunError(self._last_words(self._process.stderr.read().decode(errors="replace").strip()))
            time.sleep(0.02)
        self.stop()
        raise RunError(Said("no_run.slow", {"seconds": int(START_SECONDS)}))

    def _last_words(self, words: str) -> Said:
        """Return why the arena ended, which it has said in the language that was asked for."""
        prefix = say(Said("error", {"message": ""}), self._language or DEFAULT)
        reason = words.removeprefix(prefix)
        if not reason:
            return Said("no_run.ended")
        if self._language is None:
            return quoted(reason)
        return Said("no_run.last_words", {"words": reason})

    @property
    def is_over(self) -> bool:
        """True once the arena has ended."""
        return self._process.poll() is not None

    def wait(self, timeout_s: float) -> bool:
        """Wait until the arena has ended; False if it has not after this time."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout_s)
        return self.is_over

    def stop(self) -> None:
        """End the arena now; `ArenaRun(folder, None)` goes on with the match later."""
        stdin, stderr = self._process.stdin, self._process.stderr
        assert stdin is not None, "it is a pipe"
        assert stderr is not None, "it is a pipe"
        stdin.close()  # with which `arena_process` ends the arena
        if not self.wait(STOP_SECONDS):  # it stands still
            self._process.kill()
            self._process.wait()
        stderr.close()


def free_folder(parent: Path, opponent: str) -> Path:
    """A folder for a new run: `play-<opponent>-<number>`."""
    number = 1
    while (folder := parent / f"play-{plain_id(opponent)}-{number}").exists():
        number += 1
    return folder
