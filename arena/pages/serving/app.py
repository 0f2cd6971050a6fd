"""An application of pages: its routes behind the guard, and what is answered when something is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute

from arena.pages.serving.access import App, Guard, TooLongError
from arena.pages.serving.assets import ROUTES
from arena.pages.serving.listening import Place
from arena.words import Said, say

_encode = msgspec.json.Encoder().encode


class Json(Response):
    """An answer in JSON, of plain values and structs; it is never kept by browsers."""

    media_type = "application/json"

    def __init__(self, content: Any, status_code: int = 200) -> None:
        super().__init__(content, status_code, headers={"cache-control": "no-store"})

    def render(self, content: Any) -> bytes:
        """The content as bytes; what is bytes is JSON already."""
        return content if isinstance(content, bytes) else _encode(content)


def refused(status: int, sentence: str) -> HTTPException:
    """What a route raises to answer with one sentence."""
    return HTTPException(status, sentence)


class Refused(HTTPException):
    """What a route raises to answer with what is to be said, and the clause of the rule book."""

    def __init__(self, status: int, said: Said | str, clause: str = "") -> None:
        self.said, self.clause = said, clause
        super().__init__(status, say(said))


def web_app(routes: Sequence[BaseRoute], place: Place) -> App:
    """The application with these routes and the assets of all pages."""
    return Guard(
        Starlette(
            routes=[*routes, *ROUTES],
            exception_handlers={
                HTTPException: _say,
                TooLongError: _too_long,
                ClientDisconnect: _gone,
            },
        ),
        place,
    )


async def _say(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error, Refused):
        return Json({"refused": error.said, "clause": error.clause}, error.status_code)
    return PlainTextResponse(f"{error.detail}\n", error.status_code, headers={"cache-control": "no-store"})


async def _too_long(_request: Request, _error: Exception) -> Response:
    return PlainTextResponse("What is sent is too long.\n", 413)


async def _gone(_request: Request, _error: Exception) -> Response:
    return PlainTextResponse("", 400)  # nobody reads it
