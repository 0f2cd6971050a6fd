"""Pages served by a thread, and a browser that shows them."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from typing import Any, TypeVar

import trio
from starlette.types import ASGIApp

from arena.pages.serving.connections import Connections
from arena.pages.serving.listening import open_socket, serve, url_of
from tests.browser import PATIENCE_MS
from tests.fixtures.asked_pages import HERE

T = TypeVar("T")


class Site:
    """An application, its address, and what the pages that show it complain of."""

    def __init__(self, browser: Any, begin: Callable[[trio.Nursery], ASGIApp]) -> None:
        """`begin` makes the application, and starts what runs beside it; it is called in the task of the server."""
        self.browser, self._begin = browser, begin
        self.connections: Connections
        self.address = ""
        self.complaints: list[str] = []
        self.pages: list[Any] = []
        self._ready = Event()
        self._thread = Thread(target=trio.run, args=(self._serve,))
        self._thread.start()
        assert self._ready.wait(30)

    async def _serve(self) -> None:
        sock = open_socket(HERE.address)
        async with trio.open_nursery() as nursery:
            self.connections = await nursery.start(serve, self._begin(nursery), sock)
            self.address = url_of(sock)
            self._token, self._scope = trio.lowlevel.current_trio_token(), nursery.cancel_scope
            self._ready.set()

    def tell(self, what: Callable[[], T]) -> T:
        """Do something in the task of the server."""
        return trio.from_thread.run_sync(what, trio_token=self._token)

    def show(self, page: Any, place: str = "") -> Any:
        self.pages.append(page)
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(self.address + (f"#{place}" if place else ""))
        return page

    def close(self) -> None:
        for page in self.pages:
            page.context.close()
        self.tell(self._scope.cancel)
        self._thread.join()
        assert self.complaints == []
