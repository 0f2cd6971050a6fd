"""`arena watch` as a task: pages on a socket that follow a run folder."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import trio

from arena.pages.live.run_pages import RunPages
from arena.pages.live.watching import Watcher
from arena.pages.serving.app import web_app
from arena.pages.serving.listening import Place, serve_until_signal


def watch(folder: Path, place: Place, sock: socket.socket, *, delay_ms: int, ready: Callable[[], None]) -> None:
    """Serve the pages of a run until SIGINT or SIGTERM; `ready` is called once they can be opened."""
    watcher = Watcher(folder, delay_ms)

    def begin(nursery: trio.Nursery) -> None:
        nursery.start_soon(watcher.follow)
        ready()

    with closing(watcher):
        trio.run(partial(serve_until_signal, web_app(RunPages(watcher).routes(), place), sock, begin=begin))
