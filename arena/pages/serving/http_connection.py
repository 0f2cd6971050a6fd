"""One connection of the web server: HTTP/1.1 by h11, answered by an application (ASGI).

One task serves a connection. It reads a request, lets the application answer, and reads the next
one. Meanwhile it reads nothing else, unless the application listens for the end of the client.

Encryption and HTTP/2 are the work of a reverse proxy. A request to upgrade is answered as any other
request: by HTTP/1.1.
"""

from contextlib import suppress
from functools import partial
from time import time
from typing import Final
from urllib.parse import unquote
from wsgiref.handlers import format_date_time

import h11
import trio
from starlette.types import ASGIApp, Message, Scope
from trio.abc import HalfCloseableStream

from arena.pages.serving.connections import SHOW, Connections

IDLE_SECONDS: Final = 15.0
"""A connection without a whole request, head and body, is dropped after this time."""
SEND_SECONDS: Final = 20.0
"""A client that takes longer to read one message is dropped."""
LINGER_SECONDS: Final = 2.0
"""After the last answer the client gets this time to read it and to hang up."""
MOST_HEAD_BYTES: Final = 16 * 1024
"""A longer head is refused. A stream ends for a client that sends more behind its request."""
READ_BYTES: Final = 16 * 1024
"""The most that is read at once."""

REFUSALS: Final = {
    400: "This is not a whole and valid request of HTTP/1.1.",
    408: f"A request has to come within {IDLE_SECONDS:.0f} seconds.",
    431: f"The head of a request may have {MOST_HEAD_BYTES} bytes.",
    501: "Chunked is the only transfer encoding here.",
    505: "This server speaks HTTP/1.1.",
}
"""The sentence for a client whose request does not reach the application, by status."""


class HttpConnection:
    """A connection, from its first request to its end."""

    def __init__(self, stream: HalfCloseableStream, app: ASGIApp, connections: Connections) -> None:
        self._stream = stream
        self._app = app
        self._connections = connections
        self._serving = trio.CancelScope()
        self._due = 0.0
        """When the whole request must have come, on the clock of trio."""
        self.http = h11.Connection(h11.SERVER, max_incomplete_event_size=MOST_HEAD_BYTES)

    async def serve(self) -> None:
        """Answer requests until the client leaves, is refused or is dropped."""
        try:
            with self._serving:
                if self._connections.enter(self):
                    await self._answer_requests()
                    await self._hang_up()
        finally:
            self.drop()
            await trio.aclose_forcefully(self._stream)

    def drop(self) -> None:
        """End the connection at once, even if it waits, and count it no more."""
        self._connections.leave(self)
        self._serving.cancel()

    async def read_some(self) -> bytes:
        """Return what has come; nothing if the client has hung up or is gone."""
        try:
            return bytes(await self._stream.receive_some(READ_BYTES))
        except trio.BrokenResourceError:
            return b""

    async def read_request(self) -> None:
        """Read more of a request. Raises `h11.RemoteProtocolError` if it takes too long."""
        with trio.move_on_at(self._due):
            self.http.receive_data(await self.read_some())
            return
        raise h11.RemoteProtocolError("it is not whole in time", error_status_hint=408)

    async def write(self, content: bytes) -> None:
        """Send `content`; drop the client if it reads too slowly or is gone."""
        is_sent = False
        with trio.move_on_after(SEND_SECONDS), suppress(trio.BrokenResourceError):
            await self._stream.send_all(content)
            is_sent = True
        if not is_sent:
            self.drop()
            await trio.lowlevel.checkpoint()  # `drop` has cancelled this task: stop here

    async def _answer_requests(self) -> None:
        try:
            while await self._answer_next():
                self.http.start_next_cycle()
        except h11.RemoteProtocolError as error:
            await self._refuse(error)

    async def _answer_next(self) -> bool:
        """Answer the next request; return True if another one may follow."""
        self._due = trio.current_time() + IDLE_SECONDS
        request = await self._next_request()
        if request is None:
            return False
        if not request.http_version.startswith(b"1."):
            raise h11.RemoteProtocolError("another version of HTTP", error_status_hint=505)
        exchange = Exchange(self, is_head=request.method == b"HEAD")
        scope = _scope_of(request)
        scope["state"] = {SHOW: partial(self._connections.show, self)}
        await self._app(scope, exchange.receive, exchange.send)
        if exchange.fault is not None:
            raise exchange.fault
        return self.http.our_state is self.http.their_state is h11.DONE

    async def _next_request(self) -> h11.Request | None:
        """Read the head of a request; return None if the client hangs up instead."""
        event = self.http.next_event()
        while event is h11.NEED_DATA:
            await self.read_request()
            event = self.http.next_event()
        if isinstance(event, h11.Request):
            return event
        return None

    async def _refuse(self, error: h11.RemoteProtocolError) -> None:
        """Answer an unreadable request, unless an answer has started or nothing has come."""
        http = self.http
        has_answered = http.our_state not in {h11.IDLE, h11.SEND_RESPONSE}
        has_come = http.their_state is not h11.IDLE or bool(http.trailing_data[0])
        if has_answered or not has_come:
            return
        status = error.error_status_hint
        sentence = f"{REFUSALS.get(status, REFUSALS[400])}\n".encode()
        headers = [
            ("content-type", "text/plain; charset=utf-8"),
            ("content-length", str(len(sentence))),
            ("connection", "close"),
            ("date", _date()),
        ]
        head = http.send(h11.Response(status_code=status, headers=headers))
        await self.write(head + sentence)

    async def _hang_up(self) -> None:
        """Say that nothing more is sent, and read until the client hangs up, too.

        If bytes were left unread, the system would reset the connection, and the client would
        lose an answer that it has not read yet.
        """
        with trio.move_on_after(LINGER_SECONDS), suppress(trio.BrokenResourceError):
            await self._stream.send_eof()
            while await self._stream.receive_some(READ_BYTES):
                pass


class Exchange:
    """One request and its answer, as the application hears and says them."""

    def __init__(self, connection: HttpConnection, *, is_head: bool) -> None:
        self._connection = connection
        self._http = connection.http
        self._is_head = is_head
        self._body = b""
        """The part of the body that has come and that the application does not have yet."""
        self._is_body_given = False
        self._answer_head = b""
        """The head of the answer, which is sent together with the first part of its body."""
        self.fault: h11.RemoteProtocolError | None = None
        """What the client did wrong in the body of its request."""
        self._keep_body()

    async def receive(self) -> Message:
        """Return the next part of the body; after its end, wait until the client has gone."""
        if self._is_body_given:
            await self._until_client_leaves()
            return {"type": "http.disconnect"}
        try:
            while self._is_body_coming and not self._body:
                await self._read_body()
        except h11.RemoteProtocolError as error:
            self.fault = error
        if self.fault is not None:
            return {"type": "http.disconnect"}
        body, self._body = self._body, b""
        self._is_body_given = not self._is_body_coming
        return {"type": "http.request", "body": body, "more_body": self._is_body_coming}

    async def send(self, message: Message) -> None:
        """Send a part of the answer; nothing if the request is at fault and is refused soon."""
        if self.fault is not None:
            await trio.lowlevel.checkpoint()
        elif message["type"] == "http.response.start":
            self._answer_head = self._begin_answer(message)
        else:
            await self._connection.write(self._part_of_answer(message))

    @property
    def _is_body_coming(self) -> bool:
        return self._http.their_state is h11.SEND_BODY

    def _keep_body(self) -> None:
        """Keep what has come of the body. Raises `h11.RemoteProtocolError`."""
        event = self._http.next_event()
        while isinstance(event, h11.Data):
            self._body += event.data
            event = self._http.next_event()

    async def _read_body(self) -> None:
        """Read more of the body. Raises `h11.RemoteProtocolError`."""
        if self._http.they_are_waiting_for_100_continue:
            go_on = h11.InformationalResponse(status_code=100, headers=[])
            await self._connection.write(self._http.send(go_on))
        await self._connection.read_request()
        self._keep_body()

    async def _until_client_leaves(self) -> None:
        """Wait until the client hangs up, or has sent more than `MOST_HEAD_BYTES` ahead."""
        ahead = len(self._http.trailing_data[0])
        while ahead <= MOST_HEAD_BYTES:
            received = await self._connection.read_some()
            if not received:
                return
            self._http.receive_data(received)
            ahead += len(received)

    def _begin_answer(self, message: Message) -> bytes:
        headers = [*message.get("headers", ()), (b"date", _date().encode())]
        if self._is_body_coming:  # where a next request would begin is not known
            headers.append((b"connection", b"close"))
        return self._http.send(h11.Response(status_code=message["status"], headers=headers))

    def _part_of_answer(self, message: Message) -> bytes:
        """Return the bytes of a part of the answer, the first time with its head."""
        part, self._answer_head = self._answer_head, b""
        body = message.get("body", b"")
        if body and not self._is_head:
            part += self._http.send(h11.Data(data=body))
        if not message.get("more_body", False):
            part += self._http.send(h11.EndOfMessage())
        return part


def _date() -> str:
    """Return the date as HTTP writes it.

    `email.utils` looks up a method of a time zone by a new string each time. The type cache of
    CPython keeps thousands of these strings, and with them memory of connections that have gone.
    """
    return format_date_time(time())


def _scope_of(request: h11.Request) -> Scope:
    path, _, query = request.target.partition(b"?")
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": request.http_version.decode(),
        "method": request.method.decode(),
        "scheme": "http",
        "path": unquote(path.decode()),
        "raw_path": path,
        "query_string": query,
        "root_path": "",
        "headers": list(request.headers),
    }
