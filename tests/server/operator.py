"""An operator of the tests: what was logged, in words and by its keys, at a time that the test sets."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.server.io.operator_log import Event, Log, operator_log, sentence


class Operator:
    """Sees every event."""

    def __init__(self, folder: Path) -> None:
        self.now_ms = 1_700_000_000_123
        self.path = folder / "operator.jsonl"
        self.seen: list[Event] = []

    @contextmanager
    def log(self, **more: Any) -> Iterator[Log]:
        with operator_log(self.path, lambda: self.now_ms, self.seen.append, **more) as log:
            yield log

    @property
    def heard(self) -> list[str]:
        """The sentences."""
        return [sentence(event) for event in self.seen]

    @property
    def names(self) -> list[str]:
        return [event["event"] for event in self.seen]

    def written(self) -> list[dict[str, Any]]:
        """The lines of the file."""
        return lines_of(self.path)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]
