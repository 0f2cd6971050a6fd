"""Server-sent events: what is written to a viewer, and how many viewers share one source.

A `Channel` keeps the last messages of one source, already encoded. It has no queue for each viewer:
a viewer is a place in this one list, and waits for more. A viewer that is slow reads what has
gathered in one piece. When its place has left the list, or its `Last-Event-ID` is not in the
list, it gets a snapshot and goes on from there. So no viewer costs
memory, delays another one or misses a message unnoticed.
"""

from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import islice
from typing import Final, TypeAlias

import msgspec
import trio
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

KEPT: Final = 8192
"""Messages that a channel keeps for viewers that come back."""
COMMENT_SECONDS: Final = 15.0
"""After this time without a message a comment is sent, which shows whether the viewer is gone."""
RETRY: Final = b"retry: 1000\n\n"
"""The first words of a stream: the milliseconds after which a browser connects again."""
BUSY: Final = 1000
"""Messages a second to all viewers of a channel together; more are gathered into fewer."""
TOO_MANY: Final = "Too many pages are open at your address; close some, and try again."
MOST_STREAMS: Final = 100
"""Streams that a reverse proxy may pass on to one address: a class at school has one address."""
TAKE_STREAM: Final = "arena.take_stream"
"""In the `state` of a request (ASGI): takes a place for a stream."""

Write: TypeAlias = Callable[[bytes], Awaitable[None]]


def event(kind: str, content: object, key: str = "") -> bytes:
    """Return one message: its kind, and its content as JSON on one line.

    `key` is its id, with which a viewer can go on after it; it has no line feed.
    """
    head = f"event: {kind}\ndata: "
    if key:
        head = f"id: {key}\n{head}"
    return head.encode() + msgspec.json.encode(content) + b"\n\n"


async def wait_for(more: trio.Event, write: Write) -> None:
    """Wait until there is more to write, with a comment now and then."""
    while not more.is_set():
        with trio.move_on_after(COMMENT_SECONDS) as waited:
            await more.wait()
        if waited.cancelled_caught:
            await write(b": nothing new\n\n")


class Channel:
    """The messages of one source, for any number of viewers."""

    def __init__(self, snapshot: Callable[[], bytes], kept: int = KEPT) -> None:
        """Open the channel; `snapshot` makes the message that stands for everything so far."""
        self._snapshot = snapshot
        self._messages: deque[tuple[str, bytes]] = deque(maxlen=kept)
        self._first = 0
        """The number of the oldest message that is kept."""
        self._told = 0
        """Messages from this number on are still gathered."""
        self._more = trio.Event()
        self.viewers = 0
        self.is_over = False

    @property
    def next(self) -> int:
        """The number of the message that comes next."""
        return self._first + len(self._messages)

    @property
    def pace_seconds(self) -> float:
        """The time for which a source gathers messages: its viewers take little of the machine."""
        return self.viewers / BUSY

    def publish(self, key: str, message: bytes) -> None:
        """Add a message; `key` is its id, or empty."""
        if len(self._messages) == self._messages.maxlen:
            self._first += 1
        self._messages.append((key, message))

    def wake(self) -> None:
        """Tell every viewer what was published."""
        self._told = self.next
        waiting, self._more = self._more, trio.Event()
        waiting.set()

    def restart(self) -> None:
        """Forget all messages: they are no longer true, and every viewer gets a snapshot."""
        after = self.next + 1  # no viewer stands here
        self._messages.clear()
        self._first = after
        self.wake()

    def close(self) -> None:
        """End the channel; viewers that have read all are let go.

        Nothing is kept, neither messages nor the source: both would live until the collector finds
        the circle.
        """
        self.is_over = True
        self.wake()
        self._messages.clear()
        self._first = self._told
        self._snapshot = bytes

    def place_after(self, key: str) -> int | None:
        """Return the number of the message after the one with this id; None if that is not kept."""
        if not key:
            return None
        for back, (message_key, _) in enumerate(reversed(self._messages)):
            if message_key == key:
                return self.next - back
        return None

    def read(self, place: int | None) -> tuple[bytes, int]:
        """Return everything from a place on, in one piece, and the place after it.

        Return a snapshot if the place is not kept.
        """
        if place is None or not self._first <= place <= self.next:
            return self._snapshot(), self.next
        if place >= self._told:
            return b"", place
        new = islice(self._messages, place - self._first, self._told - self._first)
        return b"".join(message for _, message in new), self._told

    async def feed(self, write: Write, last_id: str = "") -> None:
        """Write the messages for one viewer, until there are no more.

        Go on after `last_id` if that is still kept.
        """
        place = self.place_after(last_id)
        self.viewers += 1
        try:
            await write(RETRY)
            while True:
                more = self._more
                content, place = self.read(place)
                if content:
                    await write(content)
                    continue
                if self.is_over:
                    return
                await wait_for(more, write)
        finally:
            self.viewers -= 1


class StreamPlaces:
    """Counts the open streams of each address."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    @contextmanager
    def take(self, address: str) -> Iterator[bool]:
        """Count a stream as long as the block goes on; yields False if there is no place for it.

        An empty address, of this machine, has all places.
        """
        if address and self._open[address] >= MOST_STREAMS:
            yield False
            return
        self._open[address] += 1
        try:
            yield True
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]


def _take_any() -> nullcontext[bool]:
    return nullcontext(True)


class EventResponse(Response):
    """The answer of a stream, as long as the page reads it.

    Starlette's StreamingResponse takes an async generator. One that is cancelled while it yields is
    only closed when it is collected; here a viewer is counted exactly as long as it is there.
    """

    def __init__(self, feed: Callable[[Write], Awaitable[None]]) -> None:
        """Answer with a stream; `feed` writes the messages for this viewer, until the last."""
        super().__init__(None, media_type="text/event-stream")
        self._feed = feed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Write to the viewer until it is gone, unless its address has too many streams.

        One that asks for the head alone gets no more.
        """
        take_stream = scope.get("state", {}).get(TAKE_STREAM, _take_any)
        with take_stream() as has_place:
            if has_place:
                await self._answer(scope, receive, send)
                return
        headers = {"cache-control": "no-store", "retry-after": "60"}
        refusal = PlainTextResponse(f"{TOO_MANY}\n", 429, headers=headers)
        await refusal(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [
            (b"content-type", b"text/event-stream; charset=utf-8"),
            (b"cache-control", b"no-cache, no-store"),
            (b"x-accel-buffering", b"no"),  # a reverse proxy passes each message on at once
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        if scope["method"] == "HEAD":
            # nothing would be written to it, so its end would go unnoticed
            await send({"type": "http.response.body", "body": b""})
            return

        async def write(content: bytes) -> None:
            await send({"type": "http.response.body", "body": content, "more_body": True})

        # Each task is cancelled by a scope of its own, and none by the nursery: it would raise an
        # exception group. CPython's method cache keeps a string of such a group for each of
        # thousands of streams, and with it their memory.
        writing = trio.CancelScope()
        hearing = trio.CancelScope()

        async def write_all() -> None:
            with writing:
                await self._feed(write)
                await send({"type": "http.response.body", "body": b""})
            hearing.cancel()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(write_all)
            with hearing:
                while (await receive())["type"] != "http.disconnect":
                    pass
            writing.cancel()
