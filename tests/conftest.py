"""Configuration for the tests of every folder."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests import browser, examples, open_files
from tests.record_schema import problems_in, records_below

PLAYING = ("end_to_end", "server", "zoo")
"""Folders of tests in which an arena plays; elsewhere records are also forged."""

settings.load_profile(examples.PATIENT)
"""Properties are about results: no machine is too slow for them."""


def pytest_configure(config: pytest.Config) -> None:
    """Watch open files, and let signals reach what the tests start.

    What a shell runs in the background ignores Ctrl-C, what `nohup` runs the end of its terminal,
    and that is inherited.
    """
    os.environ["ARENA_RECEIPTS"] = ""  # else bots in tests would leave them beside pytest
    config.pluginmanager.register(browser)
    config.pluginmanager.register(
        open_files
    )  # hooks of this file do not see fixtures of a whole session
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        # this process goes on without a terminal, as it was asked; a handler is not inherited
        signal.signal(signal.SIGHUP, lambda *_: None)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None]:
    """Collect the tests without the garbage collector, and let it leave them alone afterwards.

    They are many objects that stay to the end. Looking at them again and again took half of the
    time.
    """
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Run a test that is not to be measured without the tracer of coverage.

    `no_cover` of pytest-cov is for that, but does nothing in the processes of pytest-xdist (7.1).
    """
    tracer = sys.gettrace() if item.get_closest_marker("unmeasured") else None
    if tracer is not None:
        sys.settrace(None)
    try:
        yield
    finally:
        if tracer is not None:
            sys.settrace(tracer)


def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Every record that an arena has written in a test must fit the JSON Schema."""
    if item.path.parent.name not in PLAYING:
        return
    values: dict[str, Any] = getattr(item, "funcargs", {})
    problems = [
        problem
        for folder in set(_folders(*values.values()))
        for record in records_below(folder)
        for problem in problems_in(record)
    ]
    assert not problems, "\n".join(problems[:5])


def _folders(*values: Any) -> Iterator[Path]:
    """The folders among the fixtures of a test: a path, a run, or a tuple that begins with one."""
    for value in values:
        found = value[0] if isinstance(value, tuple) and value else value
        found = getattr(found, "folder", found)
        if isinstance(found, Path) and found.is_dir():
            yield found
