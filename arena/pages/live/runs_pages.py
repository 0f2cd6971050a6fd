"""`arena watch` of a folder of runs: the list, and each run under a path of its own.

The pages of the run in `2026/friday` are below `runs/2026/friday/`, and are those of a run by
itself (run_pages.py), with a link to the list.
"""

import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final
from urllib.parse import quote

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from arena.pages.live.kept_run import NotKeptError
from arena.pages.live.run_pages import MOST_ROWS, RunPages, whole_number
from arena.pages.live.runs import OpenRun, Runs
from arena.pages.serving.app import Json, front, web_app
from arena.pages.serving.event_stream import RETRY, EventResponse, Write
from arena.pages.serving.listening import ListeningPlace, served_until_signal

FIRST_LOOK_SECONDS: Final = 5.0
"""How long a page of a run waits for the first look at the folder."""


def watch_folder(
    folder: Path,
    place: ListeningPlace,
    sock: socket.socket,
    *,
    delay_ms: int,
    ready: Callable[[], None],
) -> None:
    """Serve the pages of all runs in a folder; see `run_pages.watch`."""

    async def serve() -> None:
        with closing(Runs(folder, delay_ms)) as runs:
            app = web_app(RunsPages(runs).routes(), place)
            async with served_until_signal(app, sock) as nursery:
                nursery.start_soon(runs.follow)
                ready()

    trio.run(serve)


class RunsPages:
    """The routes of the list of runs, and of each run."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs

    def routes(self) -> list[BaseRoute]:
        """List the routes of the pages."""
        return [
            front("runs"),
            Route("/api/runs", self._list),
            Route("/events/runs", self._events),
            Mount("/runs", app=self._page_of_run),
        ]

    async def _list(self, request: Request) -> Response:
        query = request.query_params
        find = query.get("find", "")[:200]
        start = whole_number(query.get("start", "0"))
        most = min(MOST_ROWS, whole_number(query.get("most", "50")))
        return Json(await trio.to_thread.run_sync(self._runs.page, find, start, most))

    async def _events(self, _request: Request) -> Response:
        return EventResponse(self._runs.news.feed)

    async def _page_of_run(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for a run, with the run as the first page of its own site."""
        path = scope["path"].removeprefix(scope["root_path"]).removeprefix("/")
        folder = self._runs.folder_in(path)
        if folder is None and not self._runs.has_looked.is_set():
            with trio.move_on_after(FIRST_LOOK_SECONDS):
                await self._runs.has_looked.wait()
            folder = self._runs.folder_in(path)
        if folder is None:
            raise HTTPException(404, f"There is no run {path[:60]!r} in the folder.")
        if path == folder:
            last = folder.rpartition("/")[2]
            redirect = RedirectResponse(f"./{quote(last, safe='')}/")
            await redirect(scope, receive, send)
            return
        inner = {
            **scope,
            "root_path": f"{scope['root_path']}/{folder}",
        }
        async with self._runs.looking_at(folder) as run:
            await self._answer(run, inner, receive, send)

    async def _answer(self, run: OpenRun, scope: Scope, receive: Receive, send: Send) -> None:
        first_page = front("run", depth=run.folder.count("/") + 2)

        async def stream(_request: Request) -> Response:
            async def feed(write: Write) -> None:
                await write(RETRY)
                await self._runs.feed(run, write)

            return EventResponse(feed)

        routes: list[BaseRoute] = [first_page, Route("/events/run", stream)]
        kept = self._runs.kept(run.folder)
        if kept is not None and (run.watcher is None or run.is_finished):
            routes += kept.routes()
        routes.append(Mount("/", app=self._answer_of_watcher(run)))
        try:
            await Router(routes, redirect_slashes=False)(scope, receive, send)
        except NotKeptError:
            await self._answer_of_watcher(run)(scope, receive, send)

    def _answer_of_watcher(self, run: OpenRun) -> ASGIApp:
        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            watcher = await self._runs.followed(run)
            if watcher is None:
                raise HTTPException(404, "The run is no longer there.")
            await Router(RunPages(watcher).routes(), redirect_slashes=False)(scope, receive, send)

        return answer
