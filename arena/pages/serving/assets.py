"""The files that live pages are made of, and how they are sent."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Final, Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.pages.page import CATALOGUES, page_of_server
from arena.words import catalogues_script

TYPES: Final = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}


@cache
def assets() -> dict[str, tuple[bytes, str]]:
    """The scripts, styles and pictures by name: the bytes of each, and a tag that changes with them."""
    found = {
        file.name: file.read_bytes()
        for file in (files("arena.pages") / "assets").iterdir()
        if file.name.rpartition(".")[2] in TYPES
    }
    found[CATALOGUES] = catalogues_script().encode()
    return {name: (data, f'"{hashlib.sha256(data).hexdigest()[:16]}"') for name, data in found.items()}


_STYLES: Final = {"watch": ("report.css",), "play": ("report.css", "by_hand.css")}


@cache
def page(kind: Literal["watch", "play"]) -> bytes:
    """A page of `arena watch` or `arena play`: the same for everybody, everything else is fetched by it."""
    return page_of_server(kind, _STYLES[kind]).encode()


async def serve_asset(request: Request) -> Response:
    """A file by its name."""
    name = request.path_params["name"]
    if name not in assets():
        return Response(f"There is no file {name[:60]!r} here.\n", 404, media_type="text/plain")
    data, tag = assets()[name]
    headers = {"etag": tag, "cache-control": "no-cache"}  # asked for again each time, and sent only if it has changed
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(data, media_type=TYPES[name.rpartition(".")[2]], headers=headers)


ROUTES: Final = [Route("/assets/{name}", serve_asset)]
