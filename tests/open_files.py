"""Tests must leave nothing open: one process runs thousands, and an ordinary user may have 1,024 open files."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator
from contextlib import suppress
from time import monotonic
from typing import Any

import pytest

PATIENCE_S = 5.0
"""For a thread of a test to close its end; what stays open longer is forgotten."""
DESCRIPTORS = "/proc/self/fd/"
"""A link for each open descriptor of this process."""
STREAMS = ("0", "1", "2")
"""Pytest redirects them."""
_BEFORE = pytest.StashKey[tuple[set[str], int]]()
"""What was open before a test, and how many tests had failed by then."""
_LASTING: set[str] = set()
"""What a fixture keeps open for several tests, such as the pipes to a browser."""


def _open_files() -> set[str]:
    """The open descriptors of this process and what each leads to; empty where the system does not show them."""
    found = set()
    with suppress(FileNotFoundError):
        for descriptor in os.listdir(DESCRIPTORS):
            with suppress(OSError):  # the descriptor this folder was read by
                if descriptor not in STREAMS:
                    found.add(f"{descriptor} -> {os.readlink(DESCRIPTORS + descriptor)}")
    return found


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
    """Note what a fixture for several tests opens."""
    if fixturedef.scope == "function":
        return (yield)
    before = _open_files()
    try:
        return (yield)
    finally:
        _LASTING.update(_open_files() - before)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Note what is open before a test."""
    item.stash[_BEFORE] = (_open_files(), item.session.testsfailed)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    """Fail a test that leaves something open."""
    yield
    before, failed = item.stash[_BEFORE]
    if item.session.testsfailed > failed:
        return  # its traceback keeps what it had open
    left = _open_files() - before - _LASTING
    give_up_at = monotonic() + PATIENCE_S
    while left and monotonic() < give_up_at:
        gc.collect()
        left &= _open_files()
    assert not left, f"it leaves open: {', '.join(sorted(left))}"
