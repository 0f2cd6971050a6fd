"""The private socket by which the operator's commands reach a running referee."""

import os
from collections.abc import Callable
from functools import partial
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
Failed = Callable[[Exception], object]
"""Reports a failure of the arena itself."""


async def serve_orders(
    folder: Path,
    socket: Path,
    obey: Obey,
    failed: Failed,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Take orders, one a connection, for ever. Raises `ListenError` and `OSError`.

    `folder` is that of the venue; `socket` lies in a private folder with a short path, which only
    the user of the arena can enter.
    """
    listener = open_listener(UnixAddress(path=socket))
    try:
        write_inside(folder, ADDRESS_FILE, os.fsencode(socket), mode=0o600)
        task_status.started()
        await trio.serve_listeners(
            partial(_answer, obey, failed),
            [trio.SocketListener(trio.socket.from_stdlib_socket(listener))],
        )
    finally:
        (folder / ADDRESS_FILE).unlink(missing_ok=True)


async def _answer(obey: Obey, failed: Failed, stream: trio.SocketStream) -> None:
    """Obey the order of one connection."""
    try:
        with trio.move_on_after(ORDER_SECONDS):
            answer = _answer_to(await _line_of(stream), obey, failed)
            await stream.send_all(msgspec.json.encode(answer) + b"\n")
    except trio.BrokenResourceError:
        return  # the command was ended; what it ordered is done


def _answer_to(line: bytes, obey: Obey, failed: Failed) -> Answer:
    try:
        order: AnyOrder = msgspec.json.decode(line, type=AnyOrder)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        unreadable = Said("admin.unreadable", {"reason": quoted(str(error))})
        return Answer(is_done=False, sentences=[unreadable])
    try:
        return obey(order)
    except Exception as error:  # noqa: BLE001 - it is reported, and ends nothing
        failed(error)
        return Answer(is_done=False, sentences=[Said("admin.failed")])


async def _line_of(stream: trio.SocketStream) -> bytes:
    """Return the first line that comes, at most `LONGEST_ORDER_BYTES` of it."""
    line = b""
    while b"\n" not in line and len(line) < LONGEST_ORDER_BYTES:
        part = await stream.receive_some(LONGEST_ORDER_BYTES - len(line))
        if not part:
            break
        line += part
    return bytes(line.partition(b"\n")[0])
