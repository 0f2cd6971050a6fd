"""One name logs in, takes over, breaks the protocol, says goodbye and hangs up, in any order; the run stands it all."""

import tempfile
import threading
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, ClassVar

import pytest
import trio
import trio.testing
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule

from arena.server.io.link import DRAIN_SECONDS
from arena.server.io.operator_log import Event
from arena.server.play.session import LOGIN_SECONDS
from arena.server.run.shutdown import Shutdown
from arena.server.run.tournament import Run, direct
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import parse_plan
from protocol.codec import encode
from protocol.greetings import Hello, Welcome
from protocol.messages import Bye, Error, Ping, Pong
from tests.server.room import Guest, HungUpError, login
from tests.server.test_entrance import PLAN

TOKEN = "the-token-of-both"
HANGS_SECONDS = 1000
"""On the clock of the test: far longer than anything it waits for."""
BROKEN_FRAME = b"\xff\xff\xff\xff"


class Arena:
    """A run in a thread of its own, on a clock that stands still unless it is told to go on."""

    def __init__(self, second_login: str) -> None:
        self._second_login = second_login
        self._clock = trio.testing.MockClock()
        self._tokens: SimpleQueue[trio.lowlevel.TrioToken] = SimpleQueue()
        self._over = trio.Event()
        self.failure: BaseException | None = None
        self.events: list[Event] = []
        self.guests: list[Guest] = []
        self._folder = tempfile.TemporaryDirectory()
        self.socket = Path(self._folder.name) / "s"
        self._thread = threading.Thread(target=partial(trio.run, self._main, clock=self._clock))
        self._thread.start()
        self._token = self._tokens.get(timeout=60)
        self.do(trio.testing.wait_all_tasks_blocked)

    async def _main(self) -> None:
        directory = Path(self._folder.name)
        for name in ("anna", "bo"):
            (directory / f"{name}.token").write_text(f"{TOKEN}\n")
            (directory / f"{name}.token").chmod(0o600)
        text = PLAN.format(second_login=self._second_login, socket=self.socket)
        folder = RunFolder(directory / "run")
        folder.open(text)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._serve, folder, text, directory)
            self._tokens.put(trio.lowlevel.current_trio_token())
            await self._over.wait()
            for guest in self.guests:
                await trio.aclose_forcefully(guest.stream)
            nursery.cancel_scope.cancel()

    async def _serve(self, folder: RunFolder, text: str, directory: Path) -> None:
        run = Run(
            plan=parse_plan(text), folder=folder, directory=directory, report=lambda _: None, show=self.events.append
        )
        try:
            with closing(folder):
                await direct(run)
        except Exception as error:  # noqa: BLE001 - the test fails of it
            self.failure = error

    async def connect(self) -> Guest:
        """A new connection."""
        stream = await trio.open_unix_socket(str(self.socket))
        self.guests.append(Guest(stream, lambda: 0, lambda _: 0.0))
        return self.guests[-1]

    def do(self, act: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
        """Do something in the loop, and let everybody do what follows from it."""

        async def settled() -> Any:
            with trio.fail_after(HANGS_SECONDS):
                done = await act(*arguments)
            await trio.testing.wait_all_tasks_blocked()
            return done

        done = trio.from_thread.run(settled, trio_token=self._token)
        if self.failure is not None:
            raise AssertionError("the run has ended") from self.failure
        return done

    def pass_time(self, seconds: float) -> None:
        """Let the clock go on."""

        async def jump() -> None:
            self._clock.jump(seconds)

        self.do(jump)

    def close(self) -> None:
        """Stop it."""
        trio.from_thread.run_sync(self._over.set, trio_token=self._token)
        self._thread.join()
        self._folder.cleanup()


class Logins(RuleBasedStateMachine):
    """Connections of anna, while bo stays connected."""

    second_login: ClassVar[str]
    connections: Bundle[Guest] = Bundle("connections")

    @initialize()
    def begin(self) -> None:
        self.arena = Arena(self.second_login)
        self.open: list[Guest] = []
        self.bo = self.arena.do(self.arena.connect)
        assert isinstance(self._log_in(self.bo, "bo"), Welcome)

    async def _say(self, guest: Guest, what: bytes) -> None:
        with suppress(trio.BrokenResourceError):  # the arena has closed it
            await guest.say_bytes(what)

    def _log_in(self, guest: Guest, name: str, resume: str | None = None) -> Welcome | Error | None:
        """What the arena says to a login; nothing if it does not listen to this connection any more."""

        async def heard() -> Welcome | Error | None:
            assert isinstance(await guest.hear_next(), Hello)
            with suppress(HungUpError):
                await guest.say(login(name, TOKEN, resume=resume))
                message = await guest.hear_next()
                assert isinstance(message, Welcome | Error)
                return message
            return None

        return self.arena.do(heard)

    @rule(target=connections)
    def connect(self) -> Guest:
        """A connection that has said nothing yet."""
        self.open.append(self.arena.do(self.arena.connect))
        return self.open[-1]

    @rule(target=connections, has_key=st.booleans())
    def log_in(self, has_key: bool) -> Guest:
        """A connection on which anna logs in, with the key of the login before or without."""
        guest = self.connect()
        keys = [welcome.resume_key for one in self.open for welcome in one.heard(Welcome)]
        self._log_in(guest, "anna", keys[-1] if has_key and keys else None)
        return guest

    @rule(guest=connections, what=st.sampled_from([BROKEN_FRAME, encode(Bye()), encode(Ping(data=1)), b"\x00\x00"]))
    def say(self, guest: Guest, what: bytes) -> None:
        """Break the protocol, say goodbye, say something else, say half of something."""
        self.arena.do(self._say, guest, what)

    @rule(guest=consumes(connections))
    def hang_up(self, guest: Guest) -> None:
        self.arena.do(guest.hang_up)
        self.open.remove(guest)

    @rule(seconds=st.sampled_from([DRAIN_SECONDS / 2, DRAIN_SECONDS + 0.1, LOGIN_SECONDS + 0.1]))
    def wait(self, seconds: float) -> None:
        self.arena.pass_time(seconds)

    @invariant()
    def the_run_goes_on(self) -> None:
        """Nothing failed, and bo, who has done nothing, is answered."""
        if hasattr(self, "arena"):
            assert not [event for event in self.arena.events if event["event"] == "arena_failed"]
            self.arena.do(self.bo.say, Ping(data=2))
            assert isinstance(self.arena.do(self.bo.hear_next), Pong)

    def teardown(self) -> None:
        """When all have hung up, nobody holds the place of anna."""
        if hasattr(self, "arena"):
            try:
                for guest in self.open:
                    self.arena.do(guest.hang_up)
                self.arena.pass_time(LOGIN_SECONDS + DRAIN_SECONDS)
                assert isinstance(self._log_in(self.arena.do(self.arena.connect), "anna"), Welcome)
            finally:
                self.arena.close()


async def hear_no_signals(_: Shutdown) -> None:
    """Only a main thread hears any."""
    await trio.sleep_forever()


@pytest.mark.parametrize("second_login", ["refuse", "take_over"])
def test_whatever_one_name_does_the_run_goes_on(second_login: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Shutdown, "obey_signals", hear_no_signals)
    machine = type("Machine", (Logins,), {"second_login": second_login})
    machine.TestCase.settings = settings(max_examples=60, stateful_step_count=12, deadline=None)
    machine.TestCase().runTest()
