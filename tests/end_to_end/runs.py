"""Runs of the arena as an operator has them: the command line, real processes, real sockets."""

import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import tomli_w
from click.testing import CliRunner

from arena.cli import main
from tests.processes import await_true

REPOSITORY = Path(__file__).parents[2]
HONEST = Path(__file__).parent / "bots" / "honest.py"
ROGUE = REPOSITORY / "tests" / "zoo" / "programs.py"
COLOURING = ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE")
TIMEOUT_SECONDS = 120
"""Far more than any run here takes; a run that hangs fails its test."""

PLAN: dict[str, dict[str, Any]] = {
    "tournament": {"games": 3},
    "clock": {"delay_ms": 0, "bank_ms": 15_000, "increment_ms": 5000},
    "limits": {"startup_ms": 60_000, "violations": 100, "sandbox": "off", "check_bots": "off"},
}
"""Long enough for an honest bot on a busy machine; nobody is withdrawn; bots may leave files here,
and may fail."""


def honest(*options: object) -> list[str]:
    """The command of the bot without a fault; its source explains the options."""
    return [sys.executable, str(HONEST), *map(str, options)]


def predictable(think_ms: int = 2) -> list[str]:
    """The command of the bot that does the same in the same position and leaves the dice to the arena."""
    return honest("--steady", "--no-entropy", "--think-ms", think_ms)


def rogue(fault: str, mark: str = "-", *, at_turn: int = 3) -> list[str]:
    """The command of a program of the fault zoo; the mark is a word on the command line of all its processes."""
    return [sys.executable, str(ROGUE), fault, mark, str(at_turn)]


def scripted(file: Path, answer: str) -> list[str]:
    """The command of a bot, written to a file, that answers every turn by a statement."""
    file.write_text(SCRIPT.format(answer=answer))
    return [sys.executable, str(file)]


SCRIPT = """
import os
from protocol.client import Bot, Choice

class Scripted(Bot):
    wants = ("legal",)

    def play(self, turn):
        {answer}

Scripted().main()
"""


def write_plan(
    folder: Path,
    bots: Mapping[str, list[str] | Mapping[str, Any] | None],
    **changes: Mapping[str, Any],
) -> Path:
    """A tournament file. A bot is a command, fields, or None for a remote one.

    `clock={"bank_ms": 0}` changes a section, and None leaves a field out.
    """
    plan: dict[str, Any] = {
        name: section | dict(changes.get(name, {})) for name, section in PLAN.items()
    }
    plan |= {name: dict(section) for name, section in changes.items() if name not in plan}
    plan = {
        name: {key: value for key, value in section.items() if value is not None}
        for name, section in plan.items()
    }
    plan["bot"] = [
        {"name": name}
        | (
            {"remote": True}
            if bot is None
            else dict(bot)
            if isinstance(bot, Mapping)
            else {"command": bot}
        )
        for name, bot in bots.items()
    ]
    path = folder / "tournament-file.toml"
    path.write_text(tomli_w.dumps(plan))
    return path


def environment(**more: str) -> dict[str, str]:
    """The environment of every command here: nothing that colours, and the arena of this checkout."""
    kept = {name: value for name, value in os.environ.items() if name not in COLOURING}
    return kept | {"PYTHONPATH": str(REPOSITORY), "COLUMNS": "120"} | more


def arena(
    *arguments: object, cwd: Path = REPOSITORY, **more: str
) -> subprocess.CompletedProcess[str]:
    """One command of the arena, to its end, in this process: starting another would take longer than most runs here."""
    runner = CliRunner(env=dict.fromkeys(COLOURING) | environment(**more))
    signal.alarm(TIMEOUT_SECONDS)
    try:
        with chdir(cwd):
            result = runner.invoke(main, list(map(str, arguments)), prog_name="arena")
    finally:
        signal.alarm(0)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return subprocess.CompletedProcess(arguments, result.exit_code, result.stdout, result.stderr)


def arena_process(
    *arguments: object, cwd: Path = REPOSITORY, **more: str
) -> subprocess.CompletedProcess[str]:
    """One command of the arena as a process, to its end: for commands that change their process."""
    with start_arena(*arguments, cwd=cwd, **more) as process:
        output, messages = process.communicate(timeout=TIMEOUT_SECONDS)
    return subprocess.CompletedProcess(arguments, process.returncode, output, messages)


class ArenaProcess(subprocess.Popen[str]):
    """A command of the arena.

    If its test fails, it is killed: the test would wait for its end, perhaps for ever.
    """

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wait for its end."""
        if kind is not None:
            self.kill()
        super().__exit__(kind, error, trace)


def start_arena(*arguments: object, cwd: Path = REPOSITORY, **more: str) -> ArenaProcess:
    """Start a command of the arena that the test will disturb."""
    return ArenaProcess(
        [sys.executable, "-m", "arena", *map(str, arguments)],
        cwd=cwd,
        env=environment(**more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def on_a_terminal(*arguments: object, **more: str) -> str:
    """Everything that a command writes to a terminal of 80 columns, which is its standard output and error."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    bare = {
        name: value
        for name, value in environment(**more).items()
        if name not in ("COLUMNS", "LINES")
    }
    command = [sys.executable, "-m", "arena", *map(str, arguments)]
    env = bare | {"TERM": "xterm-256color"}
    process = subprocess.Popen(command, stdin=its, stdout=its, stderr=its, env=env, cwd=REPOSITORY)
    os.close(its)
    shown = b""
    with suppress(OSError):  # on Linux a terminal without a writer ends with an error
        while data := os.read(ours, 65536):
            shown += data
    os.close(ours)
    assert process.wait(TIMEOUT_SECONDS) == 0, shown.decode()
    return shown.decode()


def address_told_by(process: subprocess.Popen[str]) -> str:
    """Where the arena says on standard error that it waits for remote bots."""
    assert process.stderr is not None
    line = process.stderr.readline()
    assert line.startswith(("waiting at tcp:127.0.0.1:", "waiting at tls:127.0.0.1:")), line
    return line.split()[2]


def told(messages: str) -> list[str]:
    """Return the lines of standard error, without those of a machine too busy to run the arena for a moment."""
    return [line for line in messages.splitlines() if "the arena did not run for" not in line]


@dataclass(frozen=True)
class Run:
    """A run folder, looked at from outside, and what the command that played it has printed."""

    folder: Path
    stdout: str = ""
    stderr: str = ""

    def facts(self, event: str | None = None) -> list[dict[str, Any]]:
        """The lines of the tournament record, all or those of one event."""
        return _lines(self.folder / "tournament.jsonl", event)

    def match(self, fixture: str, event: str | None = None) -> list[dict[str, Any]]:
        """The lines of a match record, all or those of one event."""
        return _lines(self.folder / "matches" / f"{fixture}.jsonl", event)

    def settled(self) -> dict[str, dict[str, Any]]:
        """Every settled fixture by its id."""
        return {fact["fixture"]: fact for fact in self.facts("fixture_settled")}

    def forfeits(self, name: str) -> dict[str, list[tuple[str | None, str]]]:
        """For every settled fixture of an entrant: winner and cause of each game."""
        seats = {
            fixture: [None, *fixture.split("-", 1)[1].split("-v-")] for fixture in self.settled()
        }
        return {
            fixture: [
                (seats[fixture][game["winner"] or 0], game["cause"]) for game in fact["games"]
            ]
            for fixture, fact in self.settled().items()
            if name in seats[fixture]
        }

    def standings(self) -> dict[str, dict[str, Any]]:
        """The rows of `arena standings --json` by entrant."""
        result = arena("standings", "--json", self.folder)
        assert result.returncode == 0, result.stderr
        return {row["entrant"]: row for row in json.loads(result.stdout)["standings"]}

    def output_of(self, fixture: str, name: str, stream: str) -> bytes:
        """What the arena kept of a bot's standard output or error."""
        path = self.folder / "bots" / f"{fixture}.{name}.{stream}"
        return path.read_bytes() if path.exists() else b""


def stop(
    moment: Callable[[], object], number: signal.Signals, *words: object, cwd: Path = REPOSITORY
) -> subprocess.CompletedProcess[str]:
    """Start a command, and send it a signal at some moment. Its bots hang up by themselves."""
    with start_arena(*words, cwd=cwd) as process:
        await_true(lambda: moment() or process.poll() is not None)
        assert process.poll() is None, "the run was over too soon for this test"
        process.send_signal(number)
        output, messages = process.communicate(timeout=TIMEOUT_SECONDS)
    return subprocess.CompletedProcess(words, process.returncode, output, messages)


def play(
    folder: Path,
    bots: Mapping[str, list[str] | Mapping[str, Any] | None],
    *options: object,
    status: int = 0,
    cwd: Path = REPOSITORY,
    env: Mapping[str, str] | None = None,
    **changes: Mapping[str, Any],
) -> Run:
    """Play a tournament of these bots to its end, which gives this exit status; `changes` are those of the file."""
    plan = write_plan(folder, bots, **changes)
    result = arena("run", plan, "--out", folder / "run", *options, cwd=cwd, **(env or {}))
    assert result.returncode == status, result.stdout + result.stderr
    return Run(folder / "run", result.stdout, result.stderr)


def _lines(path: Path, event: str | None) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    whole = path.read_bytes().rpartition(b"\n")[0]
    facts = [json.loads(line) for line in whole.splitlines()]
    return [fact for fact in facts if event in (None, fact["event"])]


def assert_verified(folder: Path) -> None:
    """`arena verify` finds everything in order."""
    result = arena("verify", folder)
    assert result.returncode == 0, result.stdout + result.stderr


def pids_left(folder: Path) -> Iterator[int]:
    """The process ids that bots left in a folder."""
    return (int(path.name) for path in folder.iterdir())
