"""A link by itself: what it tells its reader."""

import select
import socket

import pytest
import trio
import trio.testing

from arena.server.io.link import DRAIN_SECONDS, Link
from arena.server.io.poller import Poller
from arena.words import Said, say


@pytest.fixture(
    params=[
        pytest.param(
            True, marks=pytest.mark.skipif(not hasattr(select, "epoll"), reason="no epoll")
        ),
        False,
    ],
    ids=["epoll", "no epoll"],
)
async def poller(request: pytest.FixtureRequest, nursery: trio.Nursery) -> Poller:
    """A poller at work, with epoll and without."""
    made = Poller(nursery.start_soon, has_epoll=request.param)
    nursery.start_soon(made.run)
    return made


class Listener:
    """A reader that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[str | bytes] = []

    def begin(self) -> None:
        self.told.append("begin")

    def received(self, data: bytes) -> None:
        self.told.append(data)

    def ended(self, reason: Said) -> None:
        self.told.append(say(reason))


async def test_the_end_of_a_socket_is_told_once_though_the_link_stays_open(
    nursery: trio.Nursery, poller: Poller
) -> None:
    ours, theirs = socket.socketpair()
    link, listener = Link(ours, nursery.start_soon, poller), Listener()
    link.serve(listener)
    theirs.send(b"good")
    theirs.shutdown(socket.SHUT_WR)
    await trio.sleep(1)
    assert listener.told == ["begin", b"good", "it hung up"]
    link.abort(Said("lost.closed"))
    await trio.sleep(1)
    assert listener.told[3:] == []
    theirs.close()


class Flooded:
    """A TCP connection whose bot sends without end and does not read: messages to it fill the buffers of both."""

    def __init__(self, nursery: trio.Nursery, poller: Poller) -> None:
        self.poller = poller
        with socket.create_server(("127.0.0.1", 0)) as door:
            self.theirs = socket.socket()
            self.theirs.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            self.theirs.connect(door.getsockname())
            ours, _ = door.accept()
        self.theirs.settimeout(10)
        self.listener = Listener()
        self.link = Link(ours, nursery.start_soon, self.poller)
        self.link.serve(self.listener)
        self.link.write(bytes(100_000) + b"last word")
        self.theirs.send(b"x" * 100_000)

    def read_to_the_end(self) -> bytes:
        """What the bot hears when at last it reads; nothing else of this process runs meanwhile."""
        heard = b""
        while data := self.theirs.recv(65_536):
            heard += data
        return heard


async def test_last_words_reach_a_bot_that_has_not_stopped_talking(
    nursery: trio.Nursery, poller: Poller
) -> None:
    """Closing with something unread would reset the connection and throw away what the bot has not read yet."""
    flooded = Flooded(nursery, poller)
    nursery.start_soon(flooded.link.drain)
    await trio.testing.wait_all_tasks_blocked()
    flooded.theirs.send(b"x" * 100_000)
    with flooded.theirs:
        assert flooded.read_to_the_end().endswith(b"last word")


async def test_nobody_holds_a_closing_link_open_by_waiting(
    nursery: trio.Nursery, poller: Poller
) -> None:
    flooded = Flooded(nursery, poller)
    began = trio.current_time()
    async with trio.open_nursery() as closing:
        closing.start_soon(flooded.link.drain)
        for _ in range(15):
            await trio.sleep(0.1)
            flooded.theirs.send(b"x")
    assert trio.current_time() - began == pytest.approx(DRAIN_SECONDS)
    await trio.sleep(1)
    assert [told for told in flooded.listener.told if isinstance(told, str)] == [
        "begin",
        "closed by the arena",
    ]
    flooded.theirs.close()


async def test_nobody_holds_a_closing_link_open_by_talking(
    nursery: trio.Nursery, poller: Poller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.server.io.link.DROPPED_BYTES", 50_000)
    flooded = Flooded(nursery, poller)
    flooded.poller.linger_seconds = 0
    began = trio.current_time()
    async with trio.open_nursery() as closing:
        closing.start_soon(flooded.link.drain)
        await trio.testing.wait_all_tasks_blocked()
        flooded.theirs.send(b"x" * 100_000)
    assert trio.current_time() - began < DRAIN_SECONDS
    flooded.theirs.close()


async def test_last_words_said_at_once_reach_a_bot_that_was_talking(
    nursery: trio.Nursery, poller: Poller
) -> None:
    """When the arena stops it waits for no bot, but first reads what has arrived."""
    flooded = Flooded(nursery, poller)
    flooded.link.part(Said("lost.stopped"))
    with flooded.theirs:
        assert flooded.read_to_the_end().endswith(b"last word")


class Failing(Listener):
    """A reader that fails where it is told something."""

    def __init__(self, fails_at: str) -> None:
        super().__init__()
        self.fails_at = fails_at

    def received(self, data: bytes) -> None:
        super().received(data)
        if self.fails_at == "received":
            raise KeyError("a bug")

    def ended(self, reason: Said) -> None:
        super().ended(reason)
        if self.fails_at == "ended":
            raise KeyError("a bug")

    def closed(self) -> None:
        if self.fails_at == "closed":
            raise KeyError("a bug")


@pytest.mark.parametrize("fails_at", ["received", "ended", "closed"])
async def test_a_failure_over_one_link_closes_it_and_no_other(
    nursery: trio.Nursery, poller: Poller, fails_at: str
) -> None:
    ours, theirs = socket.socketpair()
    link, listener = Link(ours, nursery.start_soon, poller), Failing(fails_at)
    failures: list[Exception] = []
    link.on_failure, link.on_close = failures.append, listener.closed
    link.serve(listener)
    other_end, mine = socket.socketpair()
    other, beside = Link(other_end, nursery.start_soon, poller), Listener()
    other.serve(beside)
    theirs.send(b"good")
    await trio.sleep(0.1)
    link.close()
    theirs.close()
    await trio.sleep(DRAIN_SECONDS + 0.1)
    assert [str(one) for one in failures] == ["'a bug'"]
    assert ours.fileno() == -1
    mine.send(b"still here")
    await trio.sleep(0.1)
    assert beside.told == ["begin", b"still here"]
    mine.close()
    other.abort(Said("lost.closed"))


async def test_it_is_known_that_the_arena_failed_when_the_link_is_closed_for_it(
    nursery: trio.Nursery,
) -> None:
    """So that whoever makes up for a lost connection knows whose fault it was."""
    poller = Poller(nursery.start_soon)
    ours, theirs = socket.socketpair()
    link, told = Link(ours, nursery.start_soon, poller), list[str]()
    link.on_failure, link.on_close = lambda _: told.append("failed"), lambda: told.append("closed")
    link.serve(Listener())
    link.fail(KeyError("a bug"))
    assert told == ["failed", "closed"]
    theirs.close()


async def test_after_a_failed_flush_nothing_is_sent_twice(nursery: trio.Nursery) -> None:
    """The bytes had left when it failed; more is flushed before the link is closed for it."""
    ours, theirs = socket.socketpair()
    link = SentThenFailed(ours, nursery.start_soon, Poller(nursery.start_soon))
    link.on_failure = lambda _: None
    link.write(b"welcome")
    link.flush()
    link.write(b"match_start")
    link.flush()
    await trio.sleep(0.1)
    assert theirs.recv(100) == b"welcome"
    theirs.close()


class SentThenFailed(Link):
    def _send(self) -> int:
        super()._send()
        raise KeyError("a bug")
