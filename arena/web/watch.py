"""`arena watch` as a task: pages on a socket that follow a run folder."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import trio

from arena.web.app import web_app
from arena.web.listening import Place, serve
from arena.web.run_pages import RunPages
from arena.web.watching import Watcher


def watch(folder: Path, place: Place, sock: socket.socket, *, delay_ms: int, ready: Callable[[Watcher], None]) -> None:
    """Serve the pages of a run until SIGINT or SIGTERM; `ready` is called once they can be opened."""
    trio.run(_watch, folder, place, sock, delay_ms, ready)


async def _watch(
    folder: Path, place: Place, sock: socket.socket, delay_ms: int, ready: Callable[[Watcher], None]
) -> None:
    watcher = Watcher(folder, delay_ms)
    with closing(watcher.index), trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(watcher.follow)
            await nursery.start(serve, web_app(RunPages(watcher).routes(), place), place, sock)
            ready(watcher)
            async for _ in signals:
                nursery.cancel_scope.cancel()
                break
