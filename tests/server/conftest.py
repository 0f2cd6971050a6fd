"""The loop every test of the server plays in, and the time it plays in."""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from tests.fixtures.playing_room import Room

TWO_MONTHS = 60 * 24 * 3600
"""In seconds of the mock clock; a test in which nothing happens any more fails at once instead of
hanging."""


def run_on_mock_time(test: Callable[[], Awaitable[Any]], **options: Any) -> None:
    """Run a test under a clock that jumps to whatever happens next: nothing here ever waits for real."""

    async def bounded() -> None:
        with trio.fail_after(TWO_MONTHS):
            await test()

    trio.run(bounded, **options | {"clock": trio.testing.MockClock(autojump_threshold=0)})


def pytest_itemcollected(item: pytest.Item) -> None:
    """Run every async test of this folder on mock time."""
    if inspect.iscoroutinefunction(getattr(item, "obj", None)):
        item.add_marker(pytest.mark.trio(run=run_on_mock_time))


@pytest.fixture
def files() -> Iterator[ExitStack]:
    """Closes the records of a test when no task of it runs any more: a task may add to a record until it ends."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
async def room(
    request: pytest.FixtureRequest, nursery: trio.Nursery, tmp_path: Path, files: ExitStack
) -> AsyncIterator[Room]:
    """A playing loop on the usual transport; `over_every_transport` gives a test one on each."""
    made = Room(nursery, tmp_path, getattr(request, "param", "sockets"), files)
    try:
        yield made
    finally:
        await made.close()
