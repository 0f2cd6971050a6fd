"""The pages of a run as the index has them, without its record being read: it has not changed."""

import gzip
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec
import trio
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arena.pages.contents import Overview, RunPage
from arena.pages.following import MOST_GAMES
from arena.pages.games import follow
from arena.pages.index import Index
from arena.pages.live.run_pages import (
    answer_of_game,
    attempt_that_is_over,
    games_asked_for,
    no_entrant,
    whole_number,
)
from arena.pages.live.runs_index import RunsIndex
from arena.pages.live.watching import FIRST_GAMES
from arena.pages.run_page import page_of_attempt
from arena.pages.serving.app import Json
from arena.tournaments.schedule import parse_fixture

T = TypeVar("T")


class NotKeptError(Exception):
    """The index does not have the answer: the record has to be read."""


class KeptRun:
    """A run in the index, and the routes of what the index can answer about it."""

    def __init__(
        self, folder: Path, index: RunsIndex, run: int, *, delay_ms: int, until_ms: int
    ) -> None:
        """Look at the run with this number; its match records are in `folder`."""
        self._folder = folder
        self._index = index
        self._run = run
        self._delay_ms = delay_ms
        self._until_ms = until_ms

    def routes(self) -> list[BaseRoute]:
        """List the routes; each raises `NotKeptError` where it does not know the answer."""
        return [
            Route("/api/run", self._overview),
            Route("/api/crosstable", partial(self._ready_page, "crosstable")),
            Route("/api/pairings", partial(self._ready_page, "pairings")),
            Route("/api/games", self._games),
            Route("/api/bots/{bot}", self._bot),
            Route("/api/matches/{fixture}", self._match),
            Route("/api/matches/{fixture}/{attempt:int}/{game:int}", self._game),
        ]

    async def overview(self) -> Overview:
        """Return the first page. Raises `NotKeptError`."""
        run = await self._run_page()
        annulled = await self._annulled()
        games = await self._ask(lambda index: index.games(most=FIRST_GAMES, annulled=annulled))
        running = await self._decoded("running", list[str])
        return Overview(
            run=run, running=(), more_running=len(running), has_chances=True, games=games
        )

    async def _ask(self, work: Callable[[Index], T]) -> T:
        return await trio.to_thread.run_sync(self._index.ask, self._run, work)

    async def _page(self, name: str) -> bytes:
        content = await trio.to_thread.run_sync(self._index.page, self._run, name)
        if content is None:
            raise NotKeptError(name)
        return content

    async def _run_page(self) -> RunPage:
        return replace(await self._decoded("run", RunPage), delay_ms=self._delay_ms)

    async def _annulled(self) -> list[str]:
        return await self._decoded("annulled", list[str])

    async def _decoded(self, name: str, kind: type[T]) -> T:
        """Return what is kept under this name, not compressed."""
        content = gzip.decompress(await self._page(name))
        return msgspec.json.decode(content, type=kind)

    async def _overview(self, _request: Request) -> Response:
        return Json(await self.overview())

    async def _ready_page(self, name: str, request: Request) -> Response:
        """Send a page as it is kept: a large cross-table takes long to compress."""
        content = await self._page(name)
        headers = {"cache-control": "no-store", "vary": "accept-encoding"}
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["content-encoding"] = "gzip"
        else:
            content = gzip.decompress(content)
        return Response(content, media_type="application/json", headers=headers)

    async def _games(self, request: Request) -> Response:
        question = games_asked_for(request)
        annulled = await self._annulled()
        return Json(await self._ask(lambda index: index.games(annulled=annulled, **question)))

    async def _bot(self, request: Request) -> Response:
        bot = request.path_params["bot"]
        start = whole_number(request.query_params.get("start", "0"))
        rows = {row.id: row for row in (await self._run_page()).entrants}
        if bot not in rows:
            raise no_entrant(bot)
        fixtures = await self._decoded("running", list[str])
        running = [name for name in fixtures if bot in parse_fixture(name).entrants]
        annulled = await self._annulled()
        page = await self._ask(
            lambda index: index.bot_page(rows[bot], running, start, annulled=annulled)
        )
        return Json(page)

    async def _match(self, request: Request) -> Response:
        fixture = request.path_params["fixture"]
        settled = await self._ask(lambda index: index.settled(fixture))
        if settled is None:
            raise NotKeptError(fixture)
        attempt_text = request.query_params.get("attempt", "")
        number = whole_number(attempt_text) if attempt_text else settled.attempt
        attempt, attempts, broken = await attempt_that_is_over(
            self._folder, fixture, number, self._until_ms
        )
        page = page_of_attempt(
            attempt,
            follow(attempt, ()).book,
            attempts,
            settled,
            is_counted=fixture not in await self._annulled(),
            best_game="value",  # the record has decided already
            broken=broken,
            most=MOST_GAMES,
        )
        return Json(page)

    async def _game(self, request: Request) -> Response:
        fixture = request.path_params["fixture"]
        if await self._ask(lambda index: index.settled(fixture)) is None:
            raise NotKeptError(fixture)
        return await answer_of_game(
            self._folder,
            fixture,
            request.path_params["attempt"],
            request.path_params["game"],
            self._until_ms,
        )
