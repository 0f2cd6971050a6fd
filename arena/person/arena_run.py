"""The run of a person's match: an ordinary run, in a process of its own, with persons' seats."""

import queue
import subprocess
import sys
import threading
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Final, Literal

import msgspec
import tomli_w

from arena.matches.time_control import TimeControl
from arena.person.orders import PROGRAM, Answer, AnyOrder, BeginMatch, EndMatch, MatchClosed
from arena.records.files import TOURNAMENT_FILE
from arena.server.io.disk import read_inside, write_all
from arena.server.setup.tournament_file import Plan, PlanError, parse_plan
from arena.services.errors import FailedError
from arena.tournaments.names import plain_id
from arena.words import Said
from arena.words.system_errors import system_reason

CLOCK: Final = TimeControl(bank_ms=24 * 3600 * 1000)
"""A person may sleep on a turn. Sample bots do not think longer for it: they plan by the delay."""
GRACE_MS: Final = 5_000
"""For an empty seat in a game. It is never empty while the program runs; when that is killed, the
arena ends first."""
JOIN_MS: Final = 24 * 3600 * 1000
"""For another person to come."""
START_SECONDS: Final = 60.0
STOP_SECONDS: Final = 30.0
"""For the arena to end a match, with the programs that it ends."""


class RunError(FailedError):
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
    by_hand: bool = True
    """False if a program plays in the place of the person."""

    def text(self) -> str:
        """Return the tournament file. Persons come by pages of ours, not those of `arena run`."""
        seat: dict[str, object] = {"remote": True, "person": self.by_hand}
        me = {"name": self.name, **seat}
        opponent = {"name": self.opponent, **seat}
        if self.command:
            opponent = {"name": self.opponent, "command": self.command}
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
                "limits": {
                    "violations": 1000,
                    "grace_ms": GRACE_MS,
                    "idle_ms": 0,
                    "join_ms": JOIN_MS,
                },
                "listen": {"address": "tcp:127.0.0.1:0", "pages": ""},
                "bot": [me, opponent],
            }
        )


def plan_in(folder: Path) -> Plan:
    """Return the plan of a person's match against a bot or a person. Raises `RunError`."""
    plan = _any_plan_in(folder)
    if len(plan.bot) != 2 or not any(bot.person for bot in plan.bot):
        raise RunError(Said("no_run.no_person", {"folder": str(folder)}))
    return plan


def _any_plan_in(folder: Path) -> Plan:
    """Return the plan of a run. Raises `RunError`."""
    where = str(folder)
    try:
        return parse_plan(read_inside(folder, TOURNAMENT_FILE).decode())
    except OSError as error:
        parts = {"folder": where, "error": system_reason(error)}
        raise RunError(Said("no_run.no_folder", parts)) from error
    except UnicodeDecodeError as error:
        parts = {"folder": where, "error": Said("json.not_utf_8")}
        raise RunError(Said("no_run.unreadable", parts)) from error
    except PlanError as error:
        parts = {"folder": where, "error": error.said}
        raise RunError(Said("no_run.unreadable", parts)) from error


class OwnArena:
    """The arena of one `arena play`: a process that plays one match after the other.

    It is started for the first.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._is_there = False
        """False once it answers no more; it may still be on its way out."""
        self._listening: threading.Thread | None = None
        self._runs: dict[str, ArenaRun] = {}

    def play(self, folder: Path, wanted: Wanted | None) -> "ArenaRun":
        """Begin a match in a new folder, or go on with the one that is there (`wanted` is None).

        Returns once the persons can sit down. Raises `RunError`.
        """
        text = None
        if wanted is None:
            plan_in(folder)
        elif (folder / TOURNAMENT_FILE).exists():
            raise RunError(Said("no_run.taken", {"folder": str(folder)}))
        else:
            text = wanted.text()
        if not self._is_there:
            self._start()
        run = ArenaRun(folder, self)
        self._runs[str(folder)] = run
        self.order(BeginMatch(run=str(folder), text=text))
        if not self._is_there:
            # it has ended, perhaps before this match was on the list of those that hear of it
            run.hear(ended(run.folder))
        run.await_seats()
        return run

    def _start(self) -> None:
        self.close()
        self._is_there = True
        self._process = subprocess.Popen(  # noqa: S603 - the arena itself
            [sys.executable, "-m", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C is for the person's program, which ends the arena in good order
            start_new_session=True,
        )
        self._listening = threading.Thread(
            target=self._listen, args=(self._process,), name="arena", daemon=True
        )
        self._listening.start()

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        """Hand the answers to their matches, until the process has ended."""
        decode = msgspec.json.Decoder(Answer).decode
        assert process.stdout is not None, "it is a pipe"
        for line in process.stdout:
            answer = decode(line)
            run = self._runs[answer.run]
            if isinstance(answer, MatchClosed):
                del self._runs[answer.run]
            run.hear(answer)
        self._is_there = False
        for run in list(self._runs.values()):
            run.hear(ended(run.folder))

    def order(self, order: AnyOrder) -> None:
        """Give an order. Nothing happens if the arena has ended, which its matches hear."""
        assert self._process is not None, "it was started"
        assert self._process.stdin is not None, "it is a pipe"
        with suppress(BrokenPipeError):
            write_all(self._process.stdin.fileno(), msgspec.json.encode(order) + b"\n")

    def kill(self) -> None:
        """End the process at once: it does not do what it was ordered to."""
        assert self._process is not None, "it was started"
        self._process.kill()

    def close(self) -> None:
        """End the process, and the match that is open; `play(folder, None)` can resume that."""
        process, listening = self._process, self._listening
        if process is None or listening is None:
            return
        assert process.stdin is not None, "it is a pipe"
        assert process.stdout is not None, "it is a pipe"
        process.stdin.close()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:  # it stands still
            process.kill()
            process.wait()
        listening.join()
        process.stdout.close()
        self._process = None


class ArenaRun:
    """One match in play, and where to sit down."""

    def __init__(self, folder: Path, arena: OwnArena) -> None:
        self.folder = folder
        self.address = ""
        self.tokens: dict[str, str] = {}
        """Those of the seats, by entrant."""
        self._arena = arena
        self._answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self._closed = threading.Event()

    def hear(self, answer: Answer) -> None:
        """Take an answer of the arena; called by the thread that listens."""
        self._answers.put(answer)
        if isinstance(answer, MatchClosed):
            self._closed.set()

    def await_seats(self) -> None:
        """Wait until the persons can sit down; the arena has tried out the opponent by then.

        Raises `RunError`.
        """
        try:
            answer = self._answers.get(timeout=START_SECONDS)
        except queue.Empty:
            self.stop()
            raise RunError(Said("no_run.slow", {"seconds": int(START_SECONDS)})) from None
        if isinstance(answer, MatchClosed):
            raise RunError(answer.why or Said("no_run.ended"))
        self.address = answer.address
        self.tokens = {seat.entrant: seat.token for seat in answer.seats}
        self.plan = _any_plan_in(self.folder)
        self.person, self.opponent = sorted(
            self.plan.bot, key=lambda bot: (not bot.person, not bot.remote)
        )
        self.entrant = self.person.entrant

    @property
    def is_over(self) -> bool:
        """True once the match is settled, or has ended otherwise."""
        return self._closed.is_set()

    def wait(self, timeout_s: float) -> bool:
        """Wait until the match is over; False if it is not after this time."""
        return self._closed.wait(timeout_s)

    def stop(self) -> None:
        """End the match now; it can be resumed later."""
        if self.is_over:
            return
        self._arena.order(EndMatch(run=str(self.folder)))
        if not self.wait(STOP_SECONDS):  # it stands still
            self._arena.kill()


def ended(folder: Path) -> MatchClosed:
    """Return the answer in the place of an arena that has ended."""
    return MatchClosed(run=str(folder), why=Said("no_run.ended"))


def free_folder(parent: Path, opponent: str) -> Path:
    """Return a folder for a new run: `play-<opponent>-<number>`."""
    for number in count(1):
        folder = parent / f"play-{plain_id(opponent)}-{number}"
        if not folder.exists():
            break
    return folder
