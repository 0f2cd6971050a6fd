"""`arena play` as a task: the page of a person on a socket, and the match behind it."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import trio

from arena.pages.by_hand.hand_pages import HandPages
from arena.pages.by_hand.hand_room import Room
from arena.pages.serving.app import web_app
from arena.pages.serving.faults import survived
from arena.pages.serving.listening import Place, serve_until_signal
from arena.person.arena_run import Wanted
from arena.server.io import secret_values


def play_in_browser(
    place: Place,
    sock: socket.socket,
    *,
    default: Wanted,
    wanted: Wanted | None,
    folder: Path | None,
    out: Path | None,
    ready: Callable[[str], None],
) -> Path | None:
    """Serve the page until SIGINT or SIGTERM.

    `default` is what is not chosen on the page. `wanted` begins at once; `folder` is a match to go on with. `ready`
    gets the token of the link once the page can be opened. Returns the folder of a match that is not over.
    """

    async def play() -> Path | None:
        room, token = Room(Path("runs"), default.name), secret_values.new_token()
        room.out = out
        unfinished = None

        async def begin_match() -> None:
            with survived("a match is begun"):
                await room.begin(wanted, folder)

        def begin(nursery: trio.Nursery) -> None:
            nursery.start_soon(room.settle)
            ready(token)
            if wanted is not None or folder is not None:
                nursery.start_soon(begin_match)

        def end() -> None:
            nonlocal unfinished
            unfinished = room.stop()

        pages = HandPages(room, token, default)
        await serve_until_signal(web_app(pages.routes(), place), sock, begin=begin, end=end)
        return room.stop() or unfinished  # of an arena that was just being started

    return trio.run(play)
