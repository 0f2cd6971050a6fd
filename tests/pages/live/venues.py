"""The folder of a venue that is watched in a test."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import msgspec
import trio

from arena.pages.live.venue import Venue, WhyPaused
from arena.pages.live.venue_pages import VenuePages
from arena.pages.serving.app import web_app
from arena.records.files import VENUE_RECORD
from arena.records.lines import encode_line
from tests.fixtures.asked_pages import HERE, Answered, ask
from tests.generators.make_venue import write_venue

FIRST_MS = 1_795_651_200_000
"""The beginning of Thursday, 26 November 2026, in UTC."""
DAYS = ("vasa-2026-11-26", "vasa-2026-11-27", "vasa-2026-11-28", "vasa-2026-11-29")
CUP = "saturday-2026-11-28"


@cache
def made_once() -> Path:
    """A venue of four days with a cup; tests copy it."""
    folder = Path(mkdtemp(prefix="arena-venue-")) / "venue"
    write_venue(folder, days=len(DAYS), matches=60, bots=5, first_ms=FIRST_MS)
    return folder


def venue_in(folder: Path) -> Path:
    """Copy the venue to a folder."""
    shutil.copytree(made_once(), folder)
    return folder


def tell(folder: Path, *facts: msgspec.Struct) -> None:
    """Write more lines into the log of a venue."""
    with (folder / VENUE_RECORD).open("ab") as log:
        for fact in facts:
            log.write(encode_line(fact) + b"\n")


class Club:
    """A venue that is watched; its files are looked at when a test says so."""

    def __init__(self, folder: Path, why_paused: WhyPaused = lambda: None) -> None:
        self.folder = folder
        self.venue = Venue(folder, why_paused=why_paused)
        self.app = web_app(VenuePages(self.venue).routes(), HERE)

    async def look(self) -> None:
        self.venue.look()
        await self.venue.runs.look()

    async def ask(self, place: str, **headers: str) -> Answered:
        return await ask(self.app, place, **headers)

    async def json(self, place: str) -> Any:
        answer = await self.ask(place)
        assert answer.status == 200, answer.text
        return answer.json


@asynccontextmanager
async def watched(folder: Path, why_paused: WhyPaused = lambda: None) -> AsyncIterator[Club]:
    club = Club(folder, why_paused)
    with closing(club.venue):
        async with trio.open_nursery() as nursery:
            club.venue.runs._nursery = nursery
            await club.look()
            yield club
            nursery.cancel_scope.cancel()


def texts_in(content: Any) -> Iterator[str]:
    """Every text in an answer, keys included."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict):
        for key, part in content.items():
            yield key
            yield from texts_in(part)
    elif isinstance(content, list):
        for part in content:
            yield from texts_in(part)
