"""A folder of runs that is watched in a test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import trio

from arena.pages.live.runs import Runs
from arena.pages.live.runs_pages import RunsPages
from arena.pages.serving.app import web_app
from tests.fixtures.asked_pages import HERE, ask


class Club:
    """A folder of runs that is watched."""

    def __init__(self, folder: Path, delay_ms: int = 0) -> None:
        self.runs = Runs(folder, delay_ms)
        self.app = web_app(RunsPages(self.runs).routes(), HERE)

    async def listed(self, question: str = "") -> Any:
        await self.runs.look()
        return (await ask(self.app, f"/api/runs?{question}")).json

    async def row(self, folder: str) -> Any:
        [row] = [row for row in (await self.listed())["rows"] if row["folder"] == folder]
        return row


@asynccontextmanager
async def watched(folder: Path, delay_ms: int = 0) -> AsyncIterator[Club]:
    """Watch a folder; its runs are looked for when a test says so, and not by the clock."""
    club = Club(folder, delay_ms)
    with closing(club.runs):
        async with trio.open_nursery() as nursery:
            club.runs._nursery = nursery
            await club.runs.look()
            yield club
            nursery.cancel_scope.cancel()
