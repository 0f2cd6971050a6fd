"""The pages of a venue: its first page, ladders, bots and cups, above the folder of its runs.

`arena watch` of a venue serves them, and so does the process below `arena serve`. They read the
folder of the venue only.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arena.pages.live.run_pages import Pages
from arena.pages.live.runs_pages import RunsPages
from arena.pages.live.venue import Venue
from arena.pages.live.venue_answers import VenueAnswers
from arena.pages.serving.app import front, tagged


def pages_of_venue(folder: Path, delay_ms: int) -> Pages:
    """Return the watcher of a venue, and the routes of its pages."""
    venue = Venue(folder, delay_ms)
    return venue, VenuePages(venue).routes()


class VenuePages:
    """The routes of the pages of a venue."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._kept: dict[tuple[str, str], tuple[int, bytes]] = {}
        """Answers, each with how often something had changed before."""

    def routes(self) -> list[BaseRoute]:
        """List the routes: the first page, what it and the pages below it ask for, the runs."""
        answers = VenueAnswers(self._venue)
        return [
            front("venue"),
            Route("/api/venue", self._route("venue", answers.first_page)),
            Route("/api/ladders/{name}", self._route("ladder", answers.ladder_page)),
            Route("/api/bots/{name}", self._route("bot", answers.bot_page)),
            Route("/api/cups/{name}", self._route("cup", answers.cup_page)),
            Route("/api/places/{name}", self._route("place", answers.place)),
            *RunsPages(self._venue.runs, kind="venue_run").routes_below_a_page(),
        ]

    def _route(
        self, kind: str, answer: Callable[[str], object]
    ) -> Callable[[Request], Awaitable[Response]]:
        """Return what answers with JSON about the thing that an address names."""

        async def respond(request: Request) -> Response:
            name = request.path_params.get("name", "")
            content = await trio.to_thread.run_sync(self._content, kind, name, answer)
            return tagged(request, content, "application/json")

        return respond

    def _content(self, kind: str, name: str, answer: Callable[[str], object]) -> bytes:
        """Return an answer: the same until something has changed, however many ask."""
        now = self._venue.runs.changes
        changes, content = self._kept.get((kind, name), (-1, b""))
        if changes != now:
            try:
                content = msgspec.json.encode(answer(name))
            except KeyError as error:
                unknown = f"This venue has no {kind} called {name[:60]!r}."
                raise HTTPException(404, unknown) from error
            self._kept[kind, name] = (now, content)
        return content
