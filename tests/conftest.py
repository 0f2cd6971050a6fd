"""What holds for the tests of every folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.record_schema import problems_in, records_below

PLAYING = ("end_to_end", "server", "torture")
"""Folders of tests in which an arena plays; elsewhere records are also forged."""


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
