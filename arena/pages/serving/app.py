"""An application of pages: who may ask for what, its routes, its files, and the answers to errors.

Pages allow scripts, styles and connections of their own origin alone (Content-Security-Policy): no
inline script, no third party, no frame around them. On loopback only names of loopback are
answered, so that no page of the web can reach the server under a name of its own (DNS rebinding). A
request that changes something must come from a page of this origin.
"""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from functools import cache, partial
from pathlib import PurePath
from typing import Any, Final, TypeAlias

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.pages.page import Kind, page_of_server
from arena.pages.serving.event_stream import TAKE_STREAM, StreamPlaces
from arena.pages.serving.faults import survived
from arena.pages.serving.listening import ListeningPlace, hostname_of
from arena.pages.site_files import TYPES, site_files, site_version
from arena.records.lines import RecordError
from arena.server.io.listening import household_of
from arena.words import DEFAULT, LANGUAGES, Said, say

MOST_BODY_BYTES: Final = 64 * 1024
"""A longer request is refused before it is read."""
FOREIGN: Final = (
    "Only a page of this server may send this, and the request says that it comes from elsewhere."
)
"""The sentence for a request of another site's page."""
SAFE: Final = frozenset({"GET", "HEAD"})
LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})
LANGUAGE_COOKIE: Final = "arena-language"
"""Has the language that the reader has chosen on a page."""

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS: Final[tuple[tuple[bytes, bytes], ...]] = (
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
"""Sent with every answer."""
HEADERS_OF_PAGES: Final[tuple[tuple[bytes, bytes], ...]] = (
    (b"content-security-policy", POLICY.encode()),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
"""Sent with every answer but scripts and styles, which are no pages. A first visit loads fifty of
them, and they would add 20 kB."""
LOADED: Final = (b"text/javascript", b"text/css")
"""The beginnings of the media types of scripts and styles."""

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
    place: ListeningPlace,
    refusals: Sequence[tuple[type[Exception], AnswerError]] = (),
) -> ASGIApp:
    """Return the application with these routes and the assets of all pages.

    `refusals` answer errors of its own.
    """
    handlers = {
        HTTPException: _say,
        RecordError: _unreadable,
        ClientDisconnect: _gone,
        **dict(refusals),
    }
    all_routes = [*routes, Route("/assets/{version}/{name}", _asset)]
    app = Starlette(
        routes=all_routes,
        exception_handlers=handlers,
        middleware=[Middleware(GZipMiddleware)],  # it leaves streams of events as they are
    )
    return Guard(app, place)


async def _say(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error, Refused):
        return Json({"refused": error.said, "clause": ""}, error.status_code)
    return _text(error.status_code, error.detail)


async def _unreadable(_request: Request, error: Exception) -> Response:
    return _text(503, str(error))


async def _gone(_request: Request, _error: Exception) -> Response:
    return PlainTextResponse("", 400)  # the client has gone and does not read it


def front(kind: Kind, depth: int = 0) -> Route:
    """Return the route of the first page of `arena watch` or `arena play`, or of a run of several.

    The page is the same for everybody who reads the language, and fetches everything else. `depth`
    is the number of folders between it and the first one.
    """

    async def answer(request: Request) -> Response:
        content = _front_page(kind, language_of(request), depth)
        return tagged(request, content, "text/html", vary="accept-language, cookie")

    return Route("/", answer)


@cache
def _front_page(kind: Kind, language: str, depth: int) -> bytes:
    return page_of_server(kind, language, depth).encode()


def tagged(request: Request, content: bytes, media_type: str, **headers: str) -> Response:
    """Answer with a page that a browser may keep, or that it has the page already."""
    digest = hashlib.sha256(content).hexdigest()
    headers |= {"cache-control": "no-cache", "etag": f'"{digest[:16]}"'}
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=media_type, headers=headers)


def language_of(request: Request) -> str:
    """Return the language that the reader has chosen, or else that the browser asks for."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    if chosen in LANGUAGES:
        return chosen
    for wanted in request.headers.get("accept-language", "").split(","):
        tag, _, _ = wanted.partition(";")
        language = tag.strip()[:2].lower()
        if language in LANGUAGES:
            return language
    return DEFAULT


async def _asset(request: Request) -> Response:
    """Answer with a file of the pages, or that the browser has it already."""
    name = request.path_params["name"]
    content = site_files().get(name)
    if content is None:
        raise HTTPException(404, f"There is no file {name[:60]!r} here.")
    cached = "public, max-age=31536000, immutable"
    if request.path_params["version"] != site_version():
        cached = "no-store"  # of a page that was opened before the arena was updated
    media_type = TYPES[PurePath(name).suffix]
    return Response(content, media_type=media_type, headers={"cache-control": cached})


def _with_headers(message: Message) -> Message:
    """Return the beginning of an answer with the headers that it needs."""
    headers = [*message.get("headers", ()), *HEADERS]
    media_type = dict(headers).get(b"content-type", b"")
    if not media_type.startswith(LOADED):
        headers += HEADERS_OF_PAGES
    return {**message, "headers": headers}


class Guard:
    """Wraps an application: adds the headers, and refuses forbidden requests with a sentence."""

    def __init__(self, app: ASGIApp, place: ListeningPlace) -> None:
        self._app = app
        self._place = place
        self._streams = StreamPlaces()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        has_begun = False
        body_bytes = 0

        async def send_with_headers(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                message = _with_headers(message)
                has_begun = True
            await send(message)

        async def receive_limited() -> Message:
            nonlocal body_bytes
            message = await receive()
            body_bytes += len(message.get("body", b""))
            if body_bytes <= MOST_BODY_BYTES:
                return message
            if has_begun:  # it is too late to refuse it
                return {"type": "http.disconnect"}
            raise HTTPException(413, "What is sent is too long.")

        with survived(f"{scope['method']} {scope['path'][:200]!r}") as faults:
            headers = {}
            for name, field in scope["headers"]:
                headers[bytes(name).decode("latin-1")] = bytes(field).decode("latin-1")
            answer = self._app
            refusal = refusal_of(scope["method"], headers, self._place)
            if refusal is not None:
                answer = _text(*refusal)
            take_stream = partial(self._streams.take, address_of(headers, self._place))
            scope["state"] = {**scope.get("state", {}), TAKE_STREAM: take_stream}
            await answer(scope, receive_limited, send_with_headers)
        if faults and not has_begun:
            failed = _text(500, "The pages failed here; their operator can read why.")
            await failed(scope, receive, send_with_headers)


def address_of(headers: dict[str, str], place: ListeningPlace) -> str:
    """Return the address that a reverse proxy names; empty for this machine, or if it names none.

    The proxy has added the last one; those before it are what the client says.
    """
    *_, last = headers.get("x-forwarded-for", "").split(",")
    if not place.is_behind_proxy:
        return ""
    try:
        return household_of(last.strip())
    except ValueError:
        return ""


def refusal_of(
    method: str,
    headers: dict[str, str],
    place: ListeningPlace,
) -> tuple[int, str] | None:
    """Return the status and the sentence that refuse a request; None if it may be answered.

    Names of headers are in lower case.
    """
    host = headers.get("host", "")
    names = place.hosts
    if not place.is_behind_proxy:
        names |= LOOPBACK_NAMES
    if names and hostname_of(host) not in names:
        known_names = " or ".join(sorted(names))
        return 421, f"This server answers only as {known_names}, and was asked under another name."
    if method in SAFE:
        return None
    if not _is_same_origin(host, headers, place):
        return 403, FOREIGN
    return _refusal_of_body(headers)


def _is_same_origin(
    host: str,
    headers: dict[str, str],
    place: ListeningPlace,
) -> bool:
    """Return whether a request comes from a page of this server."""
    origin = headers.get("origin")
    if origin is None:
        return headers.get("sec-fetch-site") == "same-origin"
    if place.is_behind_proxy and origin == f"https://{host}":
        return True
    return origin == f"http://{host}"


def _refusal_of_body(headers: dict[str, str]) -> tuple[int, str] | None:
    """Return the status and the sentence for a body that is refused before it is read."""
    media_type, _, _ = headers.get("content-type", "").partition(";")
    if media_type.strip().lower() != "application/json":
        return 415, "What is sent has to be JSON, with the content type application/json."
    length = headers.get("content-length", "")
    if "transfer-encoding" in headers or not length.isdecimal():
        return 411, "What is sent has to say how long it is."
    if int(length) > MOST_BODY_BYTES:
        return 413, f"What is sent has {length} bytes; at most {MOST_BODY_BYTES} are taken."
    return None
