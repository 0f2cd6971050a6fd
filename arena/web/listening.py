"""The web server: where it listens, how many connections it takes, and how it ends.

Hypercorn speaks HTTP on each connection. The listener is ours for three reasons. A browser that does not read must not
hold a task for ever: after `SEND_SECONDS` its connection is dropped, and it comes back and resumes. A connection that
is closed ends with all its tasks: of Hypercorn's one waits for ever for the end of an answer, if the client went during
it and had asked for an upgrade or sent the next request already. And the end of the server waits for nobody: Hypercorn
shields what it sends from being cancelled.
"""

from __future__ import annotations

import gc
import ipaddress
import signal
import socket
import ssl
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import trio
from hypercorn import Config
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ConnectionState

from arena.server.io.address import ListenError, NetAddress, parse_address
from arena.server.io.tls import server_context
from arena.web.faults import survived

SEND_SECONDS: Final = 20.0
"""How long one message may take to be read by a viewer; then its connection is dropped."""
IDLE_SECONDS: Final = 15.0
"""How long a connection may stay without a whole request."""
MOST_CONNECTIONS: Final = 2500
"""At once, from everywhere."""
MOST_FROM_ONE: Final = 64
"""At once from one address of a network; programs of this machine and a reverse proxy have no such limit."""

AGAIN_SECONDS: Final = 0.1
"""When a connection could not be accepted, as without free descriptors, the next one waits for so long."""
QUIET_SECONDS: Final = 30.0
MANY: Final = 256
"""When so many connections have ended, and none for `QUIET_SECONDS`, what they left is collected."""

App = Callable[..., Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where pages are served, and who can reach them."""

    address: NetAddress
    tls: ssl.SSLContext | None = None
    is_behind_proxy: bool = False
    hosts: frozenset[str] = frozenset()
    """The names that are answered, beside those of loopback if the place is local; every name if there are none."""

    @property
    def is_local(self) -> bool:
        """Whether only programs of this machine can connect, and none of them passes requests on."""
        return self.address.is_loopback and not self.is_behind_proxy


def place_of(
    text: str, *, certificate: Path | None, key: Path | None, is_behind_proxy: bool, hosts: Iterable[str] = ()
) -> Place:
    """Where to serve pages: `127.0.0.1:8080`, or an address of a network if pages are encrypted on the way.

    Raises `ListenError` for what is no address, for one of a network without TLS and without a reverse proxy, for a
    certificate that cannot be used, and for what is no name of a host.
    """
    try:
        address = parse_address(f"tcp:{text}")
    except ListenError as error:
        raise ListenError(
            f"{text!r} is no address to serve pages on; expected HOST:PORT, such as 127.0.0.1:8080, "
            f"where the host is an IP address of this machine or localhost"
        ) from error
    assert isinstance(address, NetAddress), "tcp: is in front of it"
    if (certificate is None) != (key is None):
        raise ListenError("a certificate and its key belong together; give --certificate and --key, or neither")
    tls = None
    if certificate is not None and key is not None:
        try:
            tls = server_context(certificate, key)
        except (OSError, ValueError) as error:
            raise ListenError(f"the certificate cannot be used: {error}") from error
    elif not address.is_loopback and not is_behind_proxy:
        raise ListenError(
            f"{address.host} can be reached from other machines, and pages would cross the net unencrypted; give "
            "--certificate and --key, or --behind-proxy if a reverse proxy in front of it does the encryption"
        )
    for host in hosts:
        if hostname_of(host) != host.lower():
            raise ListenError(f"{host!r} is no name of a host; expected one such as arena.example, without a port")
    named = frozenset(host.lower() for host in hosts)
    return Place(address=address, tls=tls, is_behind_proxy=is_behind_proxy, hosts=named)


def hostname_of(host: str) -> str:
    """The name in a `Host` header, without the port and in lower case; empty if it is none."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def open_socket(address: NetAddress) -> socket.socket:
    """A socket that listens there; port 0 takes a free one. Raises `ListenError`."""
    family = socket.AF_INET6 if ipaddress.ip_address(address.host).version == 6 else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((address.host, address.port))
        sock.listen(1024)
        sock.setblocking(False)
    except OSError as error:
        sock.close()
        reason = (error.strerror or str(error)).lower()
        raise ListenError(
            f"cannot serve pages on {address.host} port {address.port}: {reason}; give --listen another port, "
            f"or port 0 for a free one"
        ) from error
    return sock


def url_of(place: Place, sock: socket.socket) -> str:
    """The address to type into a browser."""
    host, port = sock.getsockname()[:2]
    if ipaddress.ip_address(host).is_unspecified:
        host = socket.gethostname()
    return f"{'https' if place.tls else 'http'}://{f'[{host}]' if ':' in host else host}:{port}/"


@dataclass(slots=True)
class Connections:
    """The open connections of a server, and how many there may be."""

    is_local: bool
    most: int = MOST_CONNECTIONS
    most_from_one: int = MOST_FROM_ONE
    open: set[_Stream] = field(default_factory=set)
    refused: int = 0
    """How many were closed at once because there were too many."""
    ended: int = 0
    """How many were closed since what they left was collected."""
    _from: Counter[str] = field(default_factory=Counter)

    def admit(self, stream: _Stream) -> bool:
        """Count a new connection; False if there are too many, in all or from its address."""
        if len(self.open) >= self.most or (not self.is_local and self._from[stream.peer] >= self.most_from_one):
            self.refused += 1
            return False
        self.open.add(stream)
        self._from[stream.peer] += 1
        return True

    def forget(self, stream: _Stream) -> None:
        """A connection is closed."""
        if stream in self.open:
            self.open.discard(stream)
            self.ended += 1
            self._from[stream.peer] -= 1
            if not self._from[stream.peer]:
                del self._from[stream.peer]


class _Stream(trio.abc.HalfCloseableStream):
    """A connection that is dropped when what is sent is not read; whoever serves it is cancelled when it is closed."""

    def __init__(self, stream: trio.SocketStream, connections: Connections) -> None:
        self._stream = stream
        self.socket = stream.socket
        self._direct = socket.socket(fileno=stream.socket.fileno())
        """The same socket without trio: nearly always the system takes a message at once, and nothing has to wait."""
        self._connections = connections
        self.serving = trio.CancelScope()
        try:
            self.peer = str(stream.socket.getpeername()[0])
        except OSError:  # it has gone already; the first read says so
            self.peer = ""

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send, and wait at most `SEND_SECONDS` until it is on its way."""
        if self._direct.fileno() < 0:
            raise trio.ClosedResourceError
        try:
            sent = self._direct.send(data)
        except (BlockingIOError, InterruptedError):
            sent = 0
        except OSError as error:
            self.drop()
            raise trio.BrokenResourceError("the viewer is gone") from error
        if sent == len(data):
            await trio.lowlevel.checkpoint()  # as every send of trio; hypercorn's tasks take turns here
            return
        try:
            with trio.fail_after(SEND_SECONDS):
                await self._stream.send_all(memoryview(data)[sent:])
        except (trio.TooSlowError, trio.BrokenResourceError) as error:
            self.drop()
            raise trio.BrokenResourceError("the viewer does not read, or is gone") from error

    async def wait_send_all_might_not_block(self) -> None:
        """As of any stream."""
        await self._stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """As of any stream."""
        return await self._stream.receive_some(max_bytes)

    async def send_eof(self) -> None:
        """As of any stream."""
        await self._stream.send_eof()

    async def aclose(self) -> None:
        """Close it, and count it no more."""
        self.drop()
        await trio.lowlevel.checkpoint()

    def drop(self) -> None:
        """The same at once."""
        self._connections.forget(self)
        self._direct.detach()
        self.socket.close()
        self.serving.cancel()


class _Listener(trio.abc.Listener[_Stream]):
    """Accepts connections, as many as are allowed."""

    def __init__(self, sock: socket.socket, connections: Connections) -> None:
        self._accepting = trio.SocketListener(trio.socket.from_stdlib_socket(sock))
        self._connections = connections

    async def accept(self) -> _Stream:
        """The next connection that is allowed; those that are too many are closed at once."""
        while True:
            stream = _Stream(await self._accepting.accept(), self._connections)
            is_admitted = False
            try:
                is_admitted = self._connections.admit(stream)
            finally:
                if not is_admitted:
                    stream.drop()
            if is_admitted:
                return stream

    async def aclose(self) -> None:
        """Stop accepting."""
        await self._accepting.aclose()


async def serve(
    app: App,
    place: Place,
    sock: socket.socket,
    *,
    task_status: trio.TaskStatus[Connections] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve an application until cancelled; then every connection is closed. `started` gives the open connections."""
    connections = Connections(is_local=place.is_local or place.is_behind_proxy)
    listener: trio.abc.Listener[Any] = _Listener(sock, connections)
    if place.tls is not None:
        listener = trio.SSLListener(listener, place.tls, https_compatible=True)
    config = Config()
    config.keep_alive_timeout = IDLE_SECONDS
    config.ssl_handshake_timeout = IDLE_SECONDS
    config.include_server_header = False
    config.errorlog = config.accesslog = None  # an exception of ours is told by the guard
    config.h11_max_incomplete_size = 16 * 1024
    context = WorkerContext(None)
    wrapped = ASGIWrapper(app)

    async def handle(stream: Any) -> None:
        connection: _Stream = getattr(stream, "transport_stream", stream)
        try:
            gone = suppress(trio.BrokenResourceError, trio.ClosedResourceError)
            with connection.serving, survived("a connection is served"), gone:
                await TCPServer(wrapped, config, context, ConnectionState({}), stream)
        finally:
            connection.drop()

    async with trio.open_nursery() as answering:
        answering.start_soon(_tidy, connections)
        try:
            async with listener:
                task_status.started(connections)
                while True:
                    with survived("a connection is accepted"):
                        stream = await listener.accept()
                        answering.start_soon(handle, stream)
                        continue
                    await trio.sleep(AGAIN_SECONDS)
        finally:
            with trio.CancelScope(shield=True):
                await context.terminated.set()
                for stream in list(connections.open):  # what is being sent is shielded, and ends by this
                    await trio.aclose_forcefully(stream)


async def _tidy(connections: Connections) -> None:
    """Give back the memory of a crowd that has gone: the parts of a connection hold each other until a collection."""
    before = 0
    while True:
        await trio.sleep(QUIET_SECONDS)
        if connections.ended == before >= MANY:
            connections.ended = 0
            gc.collect()
        before = connections.ended


async def serve_until_signal(
    app: App,
    place: Place,
    sock: socket.socket,
    *,
    begin: Callable[[trio.Nursery], None],
    end: Callable[[], None] = lambda: None,
) -> None:
    """Serve an application until SIGINT or SIGTERM.

    `begin` is called once pages can be opened, and starts what runs beside them; `end` before all of it is cancelled.
    """
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:
            await nursery.start(serve, app, place, sock)
            begin(nursery)
            async for _ in signals:
                end()
                nursery.cancel_scope.cancel()
                break
