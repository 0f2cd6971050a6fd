"""The private socket by which the operator's commands reach a running referee."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
import trio

from arena.server.io.disk import write_inside
from arena.server.io.listening import UnixAddress, open_listener
from arena.server.series.admin_orders import ADDRESS_FILE, LONGEST_ORDER_BYTES, Answer, AnyOrder
from arena.words import Said, quoted

ADMIN_SOCKET: Final = "orders.sock"
"""Its name in the private folder of the venue."""
ORDER_SECONDS: Final = 10.0
"""How long a command may take to send its order."""

Obey = Callable[[AnyOrder], Answer]


class AdminSocket:
    """Takes orders, one a connection.

    Only the user of the arena can enter the folder of the socket.
    """

    def __init__(self, folder: Path, socket: Path, obey: Obey) -> None:
        """`folder` is that of the venue; `socket` lies in a private folder with a short path."""
        self._folder = folder
        self._socket = socket
        self._obey = obey

    async def serve(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Obey orders, for ever. Raises `ListenError` and `OSError`."""
        listener = open_listener(UnixAddress(path=self._socket))
        with self._written_down():
            task_status.started()
            await trio.serve_listeners(
                self._answer,
                [trio.SocketListener(trio.socket.from_stdlib_socket(listener))],
            )

    @contextmanager
    def _written_down(self) -> Iterator[None]:
        """Write where the socket is, until the end."""
        write_inside(self._folder, ADDRESS_FILE, os.fsencode(self._socket), mode=0o600)
        try:
            yield
        finally:
            (self._folder / ADDRESS_FILE).unlink(missing_ok=True)

    async def _answer(self, stream: trio.SocketStream) -> None:
        """Obey the order of one connection."""
        try:
            with trio.move_on_after(ORDER_SECONDS):
                answer = self._answer_to(await _line_of(stream))
                await stream.send_all(msgspec.json.encode(answer) + b"\n")
        except trio.BrokenResourceError:
            return  # the command was ended; what it ordered is done

    def _answer_to(self, line: bytes) -> Answer:
        try:
            order: AnyOrder = msgspec.json.decode(line, type=AnyOrder)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            values = {"reason": quoted(str(error))}
            return Answer(is_done=False, said=Said("admin.unreadable", values))
        return self._obey(order)


async def _line_of(stream: trio.SocketStream) -> bytes:
    """Return the first line that comes, at most `LONGEST_ORDER_BYTES` of it."""
    line = b""
    while b"\n" not in line and len(line) < LONGEST_ORDER_BYTES:
        part = await stream.receive_some(LONGEST_ORDER_BYTES - len(line))
        if not part:
            break
        line += part
    return bytes(line.partition(b"\n")[0])
