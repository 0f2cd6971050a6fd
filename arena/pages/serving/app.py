"""An application of pages: who may ask for what, its routes, its files, and what is answered when something is wrong.

Pages allow scripts, styles and connections of their own origin alone (Content-Security-Policy): no
inline script, no third party, no frame around them. On loopback only names of loopback are
answered, so that no page of the web can reach the server under a name of its own (DNS rebinding). A
request that changes something must come from a page of this origin.
"""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal, TypeAlias

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.pages.page import CATALOGUES, page_of_server
from arena.pages.serving.faults import survived
from arena.pages.serving.listening import Place, hostname_of
from arena.records.lines import RecordError
from arena.words import Said, catalogues_script, say

MOST_BODY_BYTES: Final = 64 * 1024
"""A longer request is refused before it is read."""
SAFE: Final = frozenset({"GET", "HEAD"})
LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})
TYPES: Final = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Final[tuple[tuple[bytes, bytes], ...]] = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
"""Sent with every answer."""

AnswerError: TypeAlias = Callable[[Request, Exception], Awaitable[Response]]


class Refused(HTTPException):
    """Raised by a route to answer with a status and a sentence."""

    def __init__(self, status: int, said: Said | str) -> None:
        self.said = said
        super().__init__(status, say(said))


class Json(Response):
    """An answer in JSON, of plain values and structs; it is never kept by browsers."""

    media_type = "application/json"

    def __init__(self, content: Any, status_code: int = 200) -> None:
        super().__init__(
            msgspec.json.encode(content), status_code, headers={"cache-control": "no-store"}
        )


def _text(status: int, sentence: str) -> Response:
    return PlainTextResponse(f"{sentence}\n", status, headers={"cache-control": "no-store"})


def web_app(
    routes: Sequence[BaseRoute],
    place: Place,
    refusals: Sequence[tuple[type[Exception], AnswerError]] = (),
) -> ASGIApp:
    """The application with these routes and the assets of all pages; `refusals` answer errors of its own."""
    handlers = {
        HTTPException: _say,
        RecordError: _unreadable,
        ClientDisconnect: _gone,
        **dict(refusals),
    }
    return Guard(
        Starlette(routes=[*routes, Route("/assets/{name}", _asset)], exception_handlers=handlers),
        place,
    )


async def _say(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error, Refused):
        return Json({"refused": error.said, "clause": ""}, error.status_code)
    return _text(error.status_code, error.detail)


async def _unreadable(_request: Request, error: Exception) -> Response:
    return _text(503, str(error))


async def _gone(_request: Request, _error: Exception) -> Response:
    return PlainTextResponse("", 400)  # nobody reads it


def front(kind: Literal["watch", "play"]) -> Route:
    """The first page of `arena watch` or `arena play`: the same for everybody, everything else is fetched by it."""
    content = page_of_server(kind)

    async def answer(_request: Request) -> Response:
        return Response(content, media_type="text/html", headers={"cache-control": "no-cache"})

    return Route("/", answer)


@cache
def assets() -> dict[str, tuple[bytes, str]]:
    """The scripts, styles and pictures by name: the bytes of each, and a tag that changes with them."""
    found = {
        file.name: file.read_bytes()
        for file in (files("arena.pages") / "assets").iterdir()
        if file.name.rpartition(".")[2] in TYPES
    }
    found[CATALOGUES] = catalogues_script().encode()
    return {
        name: (data, f'"{hashlib.sha256(data).hexdigest()[:16]}"') for name, data in found.items()
    }


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in assets():
        raise HTTPException(404, f"There is no file {name[:60]!r} here.")
    data, tag = assets()[name]
    headers = {
        "etag": tag,
        "cache-control": "no-cache",
    }  # asked for again each time, and sent only if it has changed
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(data, media_type=TYPES[name.rpartition(".")[2]], headers=headers)


class Guard:
    """Wraps an application: adds the headers, and refuses what may not be asked for with a sentence."""

    def __init__(self, app: ASGIApp, place: Place) -> None:
        self._app = app
        self._place = place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        has_begun = False
        taken = 0

        async def send_with_headers(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
                has_begun = True
            await send(message)

        async def receive_limited() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > MOST_BODY_BYTES:
                if has_begun:  # it is too late to refuse it
                    return {"type": "http.disconnect"}
                raise HTTPException(413, "What is sent is too long.")
            return message

        with survived(f"{scope['method']} {scope['path'][:200]!r}") as found:
            headers = {
                bytes(name).decode("latin-1"): bytes(value).decode("latin-1")
                for name, value in scope["headers"]
            }
            refusal = refusal_of(scope["method"], headers, self._place)
            answer = self._app if refusal is None else _text(*refusal)
            await answer(scope, receive_limited, send_with_headers)
        if found and not has_begun:
            failed = _text(500, "The pages failed here; their operator can read why.")
            await failed(scope, receive, send_with_headers)


def refusal_of(method: str, headers: dict[str, str], place: Place) -> tuple[int, str] | None:
    """The status and the sentence with which a request is refused; None if it may be answered.

    Names in lower case.
    """
    host = headers.get("host", "")
    names = place.hosts if place.is_behind_proxy else place.hosts | LOOPBACK_NAMES
    if names and hostname_of(host) not in names:
        known = " or ".join(sorted(names))
        return 421, f"This server answers only as {known}, and was asked under another name."
    if method in SAFE:
        return None
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    schemes = ("http", "https") if place.is_behind_proxy else ("http",)
    own = {f"{each}://{host}" for each in schemes}
    if not (origin in own or (origin is None and site == "same-origin")):
        return (
            403,
            "Only a page of this server may send this, and the request says that it comes from elsewhere.",
        )
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return 415, "What is sent has to be JSON, with the content type application/json."
    length = headers.get("content-length", "")
    if "transfer-encoding" in headers or not length.isdecimal():
        return 411, "What is sent has to say how long it is."
    if int(length) > MOST_BODY_BYTES:
        return 413, f"What is sent has {length} bytes; at most {MOST_BODY_BYTES} are taken."
    return None
