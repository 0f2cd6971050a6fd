"""`arena watch`: answers about a run, as pages in JSON and streams of changes."""

import socket
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arena.matches.facts import MatchVoided
from arena.pages.contents import ReplayedGame
from arena.pages.following import MOST_GAMES
from arena.pages.games import follow
from arena.pages.index import SORTS
from arena.pages.live.watching import Watcher
from arena.pages.run_page import page_of_attempt
from arena.pages.serving.app import Json, front, web_app
from arena.pages.serving.event_stream import EventResponse
from arena.pages.serving.listening import ListeningPlace, served_until_signal
from arena.records.files import match_record
from arena.records.lines import Attempt, RecordError, read_as_far_as_possible
from arena.server.io.disk import read_inside
from arena.tournaments.schedule import parse_fixture
from arena.words import Said, say

MOST_ROWS: Final = 200
"""Rows of a list in one answer."""


class Followed(Protocol):
    """What pages show while it changes."""

    async def follow(self) -> None:
        """Look at the files for ever."""

    def close(self) -> None:
        """Give back what it holds."""


Pages: TypeAlias = tuple[Followed, list[BaseRoute]]
"""What pages show, and their routes."""


def pages_of_run(folder: Path, delay_ms: int) -> Pages:
    """Return the watcher of a run, and the routes of its pages."""
    watcher = Watcher(folder, delay_ms)
    return watcher, RunPages(watcher).routes()


def serve_pages(
    pages: Pages,
    place: ListeningPlace,
    sock: socket.socket,
    ready: Callable[[], None],
) -> None:
    """Serve pages until SIGINT or SIGTERM; call `ready` once they can be opened."""
    followed, routes = pages

    async def serve() -> None:
        with closing(followed):
            async with served_until_signal(web_app(routes, place), sock) as nursery:
                nursery.start_soon(followed.follow)
                ready()

    trio.run(serve)


class RunPages:
    """The routes of the pages that follow one run."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher

    def routes(self) -> list[BaseRoute]:
        """List the routes of the pages."""
        return [
            front("watch"),
            Route("/api/run", self._overview),
            Route("/api/crosstable", self._crosstable),
            Route("/api/pairings", self._pairings),
            Route("/api/games", self._games),
            Route("/api/bots/{bot}", self._bot),
            Route("/api/matches/{fixture}", self._match),
            Route("/api/matches/{fixture}/{attempt:int}/{game:int}", self._game),
            Route("/events/run", self._run_events),
            Route("/events/matches/{fixture}", self._match_events),
        ]

    def _fresh(self) -> Watcher:
        """Return the watcher after a look at the files; refuse if there is no run."""
        watcher = self._watcher
        watcher.refresh()
        if watcher.run.state is None:
            raise HTTPException(503, say(watcher.why_not_started))
        return watcher

    async def _overview(self, _request: Request) -> Response:
        return Json(self._fresh().overview_now())

    async def _run_events(self, _request: Request) -> Response:
        self._watcher.refresh()
        return EventResponse(self._watcher.overview.feed)

    async def _crosstable(self, _request: Request) -> Response:
        watcher = self._fresh()
        return Json(await watcher.ask(watcher.run.crosstable))

    async def _pairings(self, _request: Request) -> Response:
        watcher = self._fresh()
        return Json(await watcher.ask(watcher.run.pairings))

    async def _games(self, request: Request) -> Response:
        question = games_asked_for(request)
        watcher = self._fresh()
        return Json(watcher.index.games(annulled=watcher.table.annulled(watcher.run), **question))

    async def _bot(self, request: Request) -> Response:
        """Answer with the page of an entrant."""
        watcher = self._fresh()
        bot = request.path_params["bot"]
        rows = {row.id: row for row in watcher.table.page(watcher.run).entrants}
        if bot not in rows:
            raise no_entrant(bot)
        running = [name for name in watcher.run.running if bot in parse_fixture(name).entrants]
        start = whole_number(request.query_params.get("start", "0"))
        annulled = watcher.table.annulled(watcher.run)
        return Json(watcher.index.bot_page(rows[bot], running, start, annulled=annulled))

    # One match

    async def _match(self, request: Request) -> Response:
        """Answer with the page of a match, at the attempt that is asked for, settled or in play."""
        watcher, fixture = self._match_asked_for(request)
        attempt_text = request.query_params.get("attempt", "")
        settled = watcher.run.settled.get(fixture)
        if attempt_text:
            number = whole_number(attempt_text)
        elif settled is not None:
            number = settled.attempt
        else:
            match = watcher.watched(fixture)
            if match.follower.book is None:
                raise HTTPException(404, say(match.why_not_there))
            return Json(match.follower.page())
        attempt, attempts, broken = await attempt_that_is_over(
            watcher.folder, fixture, number, watcher.until_ms
        )
        page = page_of_attempt(
            attempt,
            follow(attempt, ()).book,
            attempts,
            settled,
            is_counted=fixture not in watcher.table.annulled(watcher.run),
            best_game=watcher.run.best_game,
            broken=broken,
            most=MOST_GAMES,
        )
        return Json(page)

    async def _game(self, request: Request) -> Response:
        """Answer with one game; in play as it is followed, else replayed from its record."""
        watcher, fixture = self._match_asked_for(request)
        number = request.path_params["attempt"]
        game = request.path_params["game"]
        if fixture not in watcher.run.settled:
            follower = watcher.watched(fixture).follower
            if follower.book is not None and follower.book.opened.attempt == number:
                live = follower.games.get(game)
                if live is None:
                    raise HTTPException(
                        404, f"Game {game} of {fixture} cannot be shown before the match is over."
                    )
                return Json({"game": live, "key": follower.key, "broken": follower.broken})
        return await answer_of_game(watcher.folder, fixture, number, game, watcher.until_ms)

    async def _match_events(self, request: Request) -> Response:
        """Stream what changes in a match, after the line that the page names."""
        watcher, fixture = self._match_asked_for(request)
        last = request.headers.get("last-event-id", "")
        match = watcher.watched(fixture, is_page=True)
        if match.follower.book is None:
            raise HTTPException(404, say(match.why_not_there))
        return EventResponse(partial(match.channel.feed, last_id=last[:40]))

    def _match_asked_for(self, request: Request) -> tuple[Watcher, str]:
        """Return the run as it is now, and the fixture in an address; refuse an unknown one."""
        watcher = self._fresh()
        fixture = request.path_params["fixture"]
        if watcher.run.state is None or fixture not in watcher.run.state.fixtures:
            raise HTTPException(404, f"No match of this run is called {fixture[:60]!r}.")
        return watcher, fixture


def games_asked_for(request: Request) -> dict[str, Any]:
    """Return the arguments of `Index.games` that an address names; refuse an unknown column."""
    query = request.query_params
    sort = query.get("sort", "")
    if sort not in SORTS:
        columns = ", ".join(filter(None, SORTS))
        raise HTTPException(
            400, f"Games cannot be sorted by {sort[:40]!r}; expected one of {columns}."
        )
    return {
        "find": query.get("find", "")[:200],
        "sort": sort,
        "is_up": query.get("up") == "1",
        "start": whole_number(query.get("start", "0")),
        "most": min(MOST_ROWS, whole_number(query.get("most", "50"))),
    }


def whole_number(text: str) -> int:
    """Return the whole number in an address; refuse anything else."""
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise HTTPException(400, f"Found {text[:40]!r} where a whole number is expected.")
    return int(text)


def no_entrant(bot: str) -> HTTPException:
    """Return the refusal of a bot that is not in the run."""
    return HTTPException(404, f"No entrant of this run is called {bot[:60]!r}.")


async def attempt_that_is_over(
    folder: Path, fixture: str, number: int, until_ms: int
) -> tuple[Attempt, int, str]:
    """Read an attempt that is over; return it, the number of attempts, and the record's fault.

    The last is empty if nothing is wrong with the record. `until_ms` is the latest moment that
    viewers may know of.
    """
    try:
        attempts, broken = await trio.to_thread.run_sync(read_record, folder, fixture)
    except RecordError as error:
        raise HTTPException(404, str(error)) from error
    for attempt in attempts:
        if attempt.opened.attempt == number and _may_be_shown(attempt, until_ms):
            return attempt, len(attempts), broken
    no_attempt = f"There is no attempt {number} of {fixture} that is over."
    raise HTTPException(404, say(broken) or no_attempt)


def _may_be_shown(attempt: Attempt, until_ms: int) -> bool:
    """Return whether an attempt is over, also for viewers who see it with a delay."""
    end = attempt.end
    is_known = end is not None and end.at_ms <= until_ms
    return is_known and (attempt.is_closed or isinstance(end, MatchVoided))


async def answer_of_game(
    folder: Path, fixture: str, number: int, game: int, until_ms: int
) -> Response:
    """Answer with a game of an attempt that is over."""
    attempt, _, _ = await attempt_that_is_over(folder, fixture, number, until_ms)
    replayed, broken = await trio.to_thread.run_sync(game_of_attempt, folder, attempt, game)
    if replayed is None:
        no_game = f"There is no game {game} of {fixture} in attempt {number}."
        raise HTTPException(404, say(broken) or no_game)
    return Json({"game": replayed, "key": "", "broken": broken})


def read_record(folder: Path, fixture: str) -> tuple[list[Attempt], str]:
    """Return every attempt in the record of a match, and its fault; empty if nothing is wrong.

    Raises `RecordError` if there is none, or it cannot be read at all.
    """
    name = match_record(fixture)
    try:
        return read_as_far_as_possible(name, read_inside(folder, name))
    except FileNotFoundError as error:
        raise RecordError(name, "there is no such record") from error
    except OSError as error:
        raise RecordError(name, f"the file cannot be read: {error.strerror}") from error


def game_of_attempt(
    folder: Path, attempt: Attempt, number: int
) -> tuple[ReplayedGame | None, Said | str]:
    """Return a game of an attempt that is over, with its analysis, and the record's fault."""
    # not imported for the first page, which is to come soon
    from arena.records.analysed import analysis_of
    from arena.server.setup.run_folder import RunFiles

    analysis = analysis_of(RunFiles(folder), match_record(attempt.opened.match))
    followed = follow(attempt, {number}, analysis)
    game: ReplayedGame | None = None
    if followed.games:
        game = followed.games[0]
    return game, followed.broken
