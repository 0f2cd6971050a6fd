"""A program that the arena itself could not start, or lost: nobody is to blame, and the operator is told why."""

import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio

from arena.records.facts import NOT_STARTED
from arena.server.io.event_loop import EventLoop
from arena.server.programs.bot_command import BotCommand
from arena.server.programs.containment import Containment, find_containment
from arena.server.programs.fork_server import ForkServer
from arena.server.programs.launcher import Launched, SupervisorError
from arena.server.programs.program import NO_WORD, Ended, Program
from arena.server.setup.account import Account
from arena.server.setup.tournament_file import LimitsSection, Plan
from arena.words import Said
from tests.fixtures.sandboxes import SANDBOX
from tests.processes import await_true, parent_of, pids_marked

IN_A_SANDBOX = SANDBOX.marks[0]
REAL_TIME = pytest.mark.trio(run=trio.run)
REFUSES = (
    "#!/bin/sh\necho 'bwrap: Creating new namespace failed: No space left on device' >&2\nexit 1\n"
)


def uncontained() -> Containment:
    return Containment(limits=LimitsSection())


@pytest.fixture
def contained(tmp_path: Path) -> Containment:
    """By bubblewrap."""
    return find_containment(
        Plan(limits=LimitsSection(sandbox="require")), hidden=(), directory=tmp_path
    )


async def end_of(folder: Path, containment: Containment, *words: str) -> Ended:
    """How a program ends."""
    program = Program(
        containment=containment,
        command=BotCommand(words=words, directory=folder),
        address=f"unix:{folder}",
        name="anna",
        token="secret",
        output=folder / "output",
        on_end=lambda _: None,
    )
    with trio.fail_after(60):
        return await program.run()


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Spoils so many of the next orders to the fork server."""
    start, orders = ForkServer.start, [0]

    def spoil(self: ForkServer, words: Sequence[str], *rest: object) -> None:
        orders[0] -= 1
        start(self, ["a number", *words[1:]] if orders[0] >= 0 else words, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(ForkServer, "start", spoil)

    def spoil_the_next(number: int) -> None:
        orders[0] = number

    return spoil_the_next


@REAL_TIME
async def test_a_supervisor_that_fails_tells_its_traceback(
    tmp_path: Path, broken: Callable[[int], None]
) -> None:
    broken(1)
    ended = await end_of(tmp_path, uncontained(), "true")
    assert "ValueError: invalid literal for int()" in ended.fault
    assert "Traceback" in ended.fault
    assert ended.reason.code == "program.not_started"
    assert (await end_of(tmp_path, uncontained(), "true")).fault == ""


@REAL_TIME
async def test_an_order_that_cannot_be_sent_is_a_fault_of_the_arena(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(ForkServer, "start", fails)
    ended = await end_of(tmp_path, uncontained(), "true")
    assert ended.fault.endswith("OSError: [Errno 24] Too many open files\n")
    assert ended.reason == Said(
        "program.not_started", {"why": "OSError: [Errno 24] Too many open files"}
    )


@REAL_TIME
@IN_A_SANDBOX
async def test_a_sandbox_that_cannot_be_made_is_a_fault_of_the_arena(
    contained: Containment, tmp_path: Path
) -> None:
    (tmp_path / "bwrap").write_text(REFUSES)
    (tmp_path / "bwrap").chmod(0o755)
    refusing = replace(contained, bwrap=(str(tmp_path / "bwrap"),))
    ended = await end_of(tmp_path, refusing, "true")
    assert "Creating new namespace failed: No space left on device" in ended.fault


@REAL_TIME
@IN_A_SANDBOX
async def test_a_program_that_cannot_run_or_fails_in_the_sandbox_is_none(
    contained: Containment, tmp_path: Path
) -> None:
    (tmp_path / "bot").write_text("#!/no/such/interpreter\n")
    (tmp_path / "bot").chmod(0o755)
    for words in (
        ["./bot"],
        ["sh", "-c", "echo 'bwrap: no' >&2; exit 1"],
        ["sh", "-c", "kill -9 $$"],
    ):
        assert (await end_of(tmp_path, contained, *words)).fault == "", words


class Watched:
    """A launched bot, and what the table and the operator hear of it."""

    def __init__(self, loop: EventLoop, folder: Path) -> None:
        self.mark = f"mark-{folder}"
        self.heard: list[Said | None] = []
        self.failures: list[Exception] = []
        loop.on_failure = self.failures.append
        self.program = Launched(
            loop=loop,
            account=Account("anna", "token", grace_ms=0, is_launched=True),
            command=BotCommand(words=("sh", "-c", "sleep 600; true", self.mark), directory=folder),
            containment=uncontained(),
            address="unix:/nowhere",
            output=folder / "output",
            log=None,  # type: ignore[arg-type]  # nothing is logged
        )

    def told(self, reason: Said | None, _now_ms: int) -> None:
        self.heard.append(reason)

    def kill_supervisor(self) -> None:
        await_true(lambda: pids_marked(self.mark))
        program = min(pids_marked(self.mark))
        os.kill(parent_of(program), signal.SIGKILL)


@REAL_TIME
@pytest.mark.parametrize("has_come", [False, True])
async def test_a_supervisor_that_is_gone_is_nobodys_fault_until_the_bot_has_logged_in(
    tmp_path: Path, *, has_come: bool
) -> None:
    """Afterwards it counts as its program: a bot that can end it must not make lost matches void."""
    async with trio.open_nursery() as nursery:
        watched = Watched(EventLoop(nursery), tmp_path)
        nursery.start_soon(watched.program.run, watched.told)
        await trio.to_thread.run_sync(lambda: await_true(lambda: pids_marked(watched.mark)))
        if has_come:
            watched.program.seen(None)
        watched.kill_supervisor()
        with trio.fail_after(60):
            while not watched.heard:  # noqa: ASYNC110 - two lines in place of an event
                await trio.sleep(0.01)
        nursery.cancel_scope.cancel()
    assert [(type(one), str(one)) for one in watched.failures] == [(SupervisorError, NO_WORD)]
    lost = Said("lost.program", {"how": Said("program.unknown")})
    assert watched.heard == [lost if has_come else Said(NOT_STARTED, {"name": "anna"})]


@REAL_TIME
@pytest.mark.parametrize("others", [0, 1])
async def test_a_match_that_the_arena_ends_excuses_a_program_unless_another_needs_it(
    tmp_path: Path, *, others: int
) -> None:
    told: list[str] = []
    async with trio.open_nursery() as nursery:
        watched = Watched(EventLoop(nursery), tmp_path)
        program = watched.program
        program.command = BotCommand(words=("sh", "-c", "exit 3"), directory=tmp_path)
        program.log = SimpleNamespace(warning=lambda event, **_: told.append(event))  # type: ignore[assignment]
        program.call()
        program.account.matches = others
        program.excuse()
        nursery.start_soon(program.run, watched.told)
        with trio.fail_after(60):
            while not watched.heard:  # noqa: ASYNC110 - two lines in place of an event
                await trio.sleep(0.01)
        nursery.cancel_scope.cancel()
    assert told == ["program_did_not_log_in"] * others
