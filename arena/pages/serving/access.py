"""Who may ask for what: the headers of every answer, the hosts that are answered, which requests may change anything.

Pages allow scripts, styles and connections of their own origin alone (Content-Security-Policy): no inline script, no
third party, no frame around them. On loopback only names of loopback are answered, so that no page of the web can reach
the server under a name of its own (DNS rebinding). A request that changes something must come from a page of this
origin.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, Final

from arena.pages.serving.faults import survived
from arena.pages.serving.listening import Place, hostname_of

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BODY_BYTES: Final = 64 * 1024
"""Of a request; what is longer is refused before it is read."""
SAFE: Final = frozenset({"GET", "HEAD"})
LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})

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


class Guard:
    """Wraps an application: adds the headers, and refuses what may not be asked for with a sentence."""

    def __init__(self, app: App, place: Place) -> None:
        self._app = app
        self._place = place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":  # nothing here speaks WebSocket
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return

        has_begun = False

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                own = {name for name, _ in message.get("headers", ())}
                more = [header for header in HEADERS if header[0] not in own]
                message = {**message, "headers": [*message.get("headers", ()), *more]}
                has_begun = True
            await send(message)

        with survived(f"{scope['method']} {scope['path'][:200]!r}") as found:
            await self._answer(scope, receive, send_with_headers)
        if found and not has_begun:
            await answer_text(send_with_headers, 500, "The pages failed here; their operator can read why.")

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = {bytes(name).decode("latin-1"): bytes(value).decode("latin-1") for name, value in scope["headers"]}
        refusal = refusal_of(scope["method"], headers, self._place)
        if refusal is None:
            await self._app(scope, _limited(receive), send)
        else:
            await answer_text(send, *refusal)


def refusal_of(method: str, headers: dict[str, str], place: Place) -> tuple[int, str] | None:
    """The status and the sentence with which a request is refused; None if it may be answered. Names in lower case."""
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
        return 403, "Only a page of this server may send this, and the request says that it comes from elsewhere."
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return 415, "What is sent has to be JSON, with the content type application/json."
    length = headers.get("content-length", "")
    if "transfer-encoding" in headers or not length.isdecimal():
        return 411, "What is sent has to say how long it is."
    if int(length) > MOST_BODY_BYTES:
        return 413, f"What is sent has {length} bytes; at most {MOST_BODY_BYTES} are taken."
    return None


async def answer_text(send: Send, status: int, sentence: str, headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
    """Answer with one sentence as plain text."""
    body = f"{sentence}\n".encode()
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [
                (b"content-type", b"text/plain; charset=utf-8"),
                (b"content-length", str(len(body)).encode()),
                (b"cache-control", b"no-store"),
                *headers,
            ],
        }
    )
    await send({"type": "http.response.body", "body": body})


class TooLongError(Exception):
    """A request goes on beyond `MOST_BODY_BYTES`."""


def _limited(receive: Receive) -> Receive:
    """The same requests, cut off where they are longer than they may be."""
    taken = 0

    async def receive_limited() -> MutableMapping[str, Any]:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > MOST_BODY_BYTES:
            raise TooLongError
        return message

    return receive_limited
