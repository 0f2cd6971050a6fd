"""The files that pages are made of: those of the report, and those that only live pages need."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

TYPES: Final = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
_FOLDERS: Final = ("arena.report", "arena.web")


@cache
def asset(name: str) -> tuple[bytes, str] | None:
    """The bytes of a script, a style or a picture, and a tag that changes with them; None if there is none."""
    if name.rpartition(".")[2] not in TYPES or "/" in name or "\\" in name:
        return None
    for package in _FOLDERS:
        file = files(package) / "assets" / name
        if file.is_file():
            data = file.read_bytes()
            return data, f'"{hashlib.sha256(data).hexdigest()[:16]}"'
    return None


@cache
def page(name: str) -> bytes:
    """A page of `arena/web/assets`, such as `watch.html`: the same for everybody, everything else is fetched by it."""
    return (files("arena.web") / "assets" / name).read_bytes()


async def serve_asset(request: Request) -> Response:
    """A file by its name."""
    name = request.path_params["name"]
    found = asset(name)
    if found is None:
        return Response(f"There is no file {name!r} here.\n", 404, media_type="text/plain")
    data, tag = found
    headers = {"etag": tag, "cache-control": "no-cache"}  # asked for again each time, and sent only if it has changed
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(data, media_type=TYPES[name.rpartition(".")[2]], headers=headers)


ROUTES: Final = [Route("/assets/{name}", serve_asset)]
