"""What is answered about a run: pages as JSON, and the streams of changes."""

from __future__ import annotations

from typing import Final

import trio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arena.matches.facts import MatchVoided
from arena.pages.index import SORTS
from arena.pages.live.matches import (
    attempt_numbered,
    game_of_attempt,
    page_of_attempt,
    read_record,
)
from arena.pages.live.watching import Watcher
from arena.pages.serving.app import Json, refused
from arena.pages.serving.assets import page
from arena.pages.serving.event_stream import EventResponse
from arena.records.facts import result_of
from arena.records.lines import Attempt, RecordError
from arena.records.state import TournamentState
from arena.tournaments.results import decide_match

MOST_ROWS: Final = 200
"""Of a list, in one answer."""


class RunPages:
    """The routes of the pages that follow one run."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher

    def routes(self) -> list[BaseRoute]:
        """All of them."""
        return [
            Route("/", self.front),
            Route("/api/run", self.overview),
            Route("/api/crosstable", self.crosstable),
            Route("/api/games", self.games),
            Route("/api/bots/{bot}", self.bot),
            Route("/api/matches/{fixture}", self.match),
            Route("/api/matches/{fixture}/{attempt:int}/{game:int}", self.game),
            Route("/events/run", self.run_events),
            Route("/events/matches/{fixture}", self.match_events),
        ]

    async def front(self, _request: Request) -> Response:
        """The page: it fetches everything else."""
        return Response(page("watch"), media_type="text/html", headers={"cache-control": "no-cache"})

    def _fresh(self) -> Watcher:
        """The watcher after a look at the files; refuses if there is no run to speak of."""
        watcher = self._watcher
        watcher.refresh()
        if not watcher.run.is_begun:
            raise refused(503, watcher.why_not_begun)
        return watcher

    async def overview(self, _request: Request) -> Response:
        """Everything on the first page."""
        watcher = self._watcher if self._watcher.known else self._fresh()
        try:
            return Json(watcher.overview_now())
        except RecordError as error:
            raise refused(503, str(error)) from error

    async def run_events(self, _request: Request) -> Response:
        """What changes on the first page."""
        if not self._watcher.known:
            self._watcher.refresh()
        return EventResponse(self._watcher.overview)

    async def crosstable(self, _request: Request) -> Response:
        """Every meeting, in the order of the standings."""
        watcher = self._fresh()
        try:
            return Json(watcher.run.crosstable())
        except RecordError as error:
            raise refused(503, str(error)) from error

    async def games(self, request: Request) -> Response:
        """A part of the list of finished games."""
        watcher, asked = self._fresh(), request.query_params
        sort = asked.get("sort", "")
        if sort not in SORTS:
            raise refused(
                400, f"Games cannot be sorted by {sort[:40]!r}; expected one of {', '.join(filter(None, SORTS))}."
            )
        found = watcher.index.games(
            find=asked.get("find", "")[:200],
            sort=sort,
            is_up=asked.get("up") == "1",
            start=_whole(asked.get("start", "0")),
            most=min(MOST_ROWS, _whole(asked.get("most", "50"))),
            until_ms=watcher.settled_until_ms,
        )
        return Json(found)

    async def bot(self, request: Request) -> Response:
        """A bot with its history."""
        watcher, bot = self._fresh(), request.path_params["bot"]
        row = next((row for row in watcher.run.page().entrants if row.id == bot), None)
        if row is None:
            raise refused(404, f"No entrant of this run is called {bot[:60]!r}.")
        running = [name for name in watcher.run.running if bot in watcher.entrants_of(name)]
        start = _whole(request.query_params.get("start", "0"))
        return Json(watcher.index.bot_page(row, running, watcher.settled_until_ms, start))

    # One match

    async def match(self, request: Request) -> Response:
        """The head of a match and its games."""
        watcher, state, fixture = self._match_asked_for(request)
        asked = request.query_params.get("attempt", "")
        settled = watcher.index.settled(fixture, watcher.settled_until_ms)
        if settled is None and not asked:
            follower = watcher.watched(fixture).follower
            if follower.opened is None:
                raise refused(404, watcher.why_not_there(fixture))
            return Json(follower.page())
        number = _whole(asked) if asked else settled or 0
        attempt, attempts, broken = await self._attempt(fixture, number)
        is_counted = fixture in watcher.run.table().counted
        decided = None
        if settled is not None:
            result = result_of(fixture, [fact.result for fact in attempt.ended])
            decided = settled, decide_match(result, state.opened.best_game, state.names).reason
        return Json(page_of_attempt(attempt, attempts, decided, is_counted=is_counted, broken=broken))

    async def game(self, request: Request) -> Response:
        """One game, step by step."""
        watcher, _, fixture = self._match_asked_for(request)
        number, game = request.path_params["attempt"], request.path_params["game"]
        if watcher.index.settled(fixture, watcher.settled_until_ms) is None:
            follower = watcher.watched(fixture).follower
            if follower.opened is not None and follower.opened.attempt == number:
                live = follower.games.get(game)
                if live is None:
                    raise refused(404, f"Game {game} of {fixture} cannot be shown before the match is over.")
                return Json({"game": live.replayed(game), "key": follower.key, "broken": follower.broken})
        attempt, _, _ = await self._attempt(fixture, number)
        found, broken = await trio.to_thread.run_sync(game_of_attempt, watcher.folder, attempt, game)
        if found is None:
            raise refused(404, broken or f"There is no game {game} of {fixture} in attempt {number}.")
        return Json({"game": found, "key": "", "broken": broken})

    async def match_events(self, request: Request) -> Response:
        """What changes in a match; goes on after the line that the page names."""
        watcher, _, fixture = self._match_asked_for(request)
        last = request.headers.get("last-event-id", "")
        one = watcher.watched(fixture, is_page=True)
        if one.follower.opened is None:
            raise refused(404, watcher.why_not_there(fixture))
        return EventResponse(one.channel, last[:40])

    def _match_asked_for(self, request: Request) -> tuple[Watcher, TournamentState, str]:
        """Return the run as it is now, and the fixture that an address names; refuses one that is none of it."""
        watcher, fixture = self._fresh(), request.path_params["fixture"]
        state = watcher.run.state
        assert state is not None
        if fixture not in state.fixtures:
            raise refused(404, f"No match of this run is called {fixture[:60]!r}.")
        return watcher, state, fixture

    async def _attempt(self, fixture: str, number: int) -> tuple[Attempt, int, str]:
        """Read an attempt that is over, the number of attempts, and what is wrong with the record, if anything."""
        try:
            attempts, broken = await trio.to_thread.run_sync(read_record, self._watcher.folder, fixture)
        except RecordError as error:
            raise refused(404, str(error)) from error
        attempt = attempt_numbered(attempts, number)
        if attempt is None or not self._may_be_shown(attempt):
            raise refused(404, f"There is no attempt {number} of {fixture} that is over.")
        return attempt, len(attempts), broken

    def _may_be_shown(self, attempt: Attempt) -> bool:
        """Whether an attempt is over, also for those who see it later than it is played."""
        end = attempt.end
        until = self._watcher.until_ms
        return (
            end is not None
            and (until is None or end.at_ms <= until)
            and (attempt.is_closed or isinstance(end, MatchVoided))
        )


def _whole(text: str) -> int:
    """A whole number in an address; refuses anything else."""
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise refused(400, f"Found {text[:40]!r} where a whole number is expected.")
    return int(text)
