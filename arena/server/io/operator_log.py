"""The operator's log: events through structlog, for people on a terminal and as lines of JSON in the run folder.

    log.warning("bot_lost", name="anna", reason="it hung up")

An event is a name and keys, never prose. The sentence for people is made from them by `operator_events.py`.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import structlog
from structlog.typing import EventDict, FilteringBoundLogger

from arena.server.io.disk import kept_on_disk, write_all
from arena.server.io.recent import WINDOW_MS, Recent

MOST: Final = 5
"""Events of one kind about one bot, or from one place, within `WINDOW_MS`: a flood must not hide other events."""
MOST_FAILURES: Final = 1000
"""Failures of the arena itself: each is a bug to be mended, so nearly all of them are kept."""
MOST_FROM_PLACES: Final = 60
"""Events of one kind from all places together: an attacker may have thousands of addresses, and the disk is finite."""
SUBJECT: Final = ("event", "name", "place", "error")
"""The keys that say what an event is about."""

Log = FilteringBoundLogger
Event = Mapping[str, Any]
"""`event`, `level` (`info`, `warning`, `error`), `timestamp` and the keys of the event."""
Show = Callable[[Event], object]
"""Shows an event to people."""

_SECRET: Final = re.compile("[0-9A-Fa-f]{64}")
"""Secrets that the arena makes itself: tokens, resume keys, the dice key, seeds."""
_STARS: Final = "***"


@contextmanager
def operator_log(
    path: Path,
    now_ms: Callable[[], int],
    show: Show,
    *,
    instead: Mapping[str, str] | None = None,
    unwritten: Collection[str] = (),
) -> Iterator[Log]:
    """The logger of a run: events are shown, and added to the file at `path`, which is made with the first of them.

    It limits how often one thing is logged. In every text the keys of `instead` are replaced by their values, and
    anything that looks like a secret by stars. Events whose name is in `unwritten` are shown and not written. Logging
    raises `DiskError` when the disk takes no more.
    """
    with closing(LogFile(path)) as file:
        yield structlog.wrap_logger(
            structlog.BytesLogger(cast("BinaryIO", file)),
            processors=[
                structlog.processors.add_log_level,
                _Stamp(now_ms),
                _RateLimit(now_ms),
                structlog.processors.format_exc_info,
                _Scrub(instead or {}),
                _Tee(show, unwritten),
                structlog.processors.JSONRenderer(serializer=_line),
            ],
            wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        )


def console_line(level: str, sentence: str) -> str:
    """An event as people see it, with the colours of a terminal; `info` is left out."""
    shown = {"event": sentence} if level == "info" else {"event": sentence, "level": level}
    rendered = _RENDERER(None, level, cast("EventDict", shown))
    return str(rendered)


_RENDERER: Final = structlog.dev.ConsoleRenderer(0, colors=True, pad_level=False)


class LogFile:
    """A file that several processes may append to. Only its owner can read it, since a traceback may hold anything."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._number: int | None = None

    def write(self, data: bytes) -> None:
        """Add whole lines. Raises `DiskError`."""
        with kept_on_disk():
            if self._number is None:
                self._number = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
                size = os.fstat(self._number).st_size
                if size and os.pread(self._number, 1, size - 1) != b"\n":
                    data = b"\n" + data  # the last line was cut short
            write_all(self._number, data)

    def flush(self) -> None:
        """Nothing: it has been written."""

    def close(self) -> None:
        """Close the file; the next line opens it again."""
        if self._number is not None:
            os.close(self._number)
            self._number = None


class _Stamp:
    """Adds the time: UTC, whole milliseconds, as ISO 8601."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms

    def __call__(self, _logger: object, _level: str, event: EventDict) -> EventDict:
        at = datetime.fromtimestamp(self._now_ms() / 1000, UTC)
        event["timestamp"] = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return event


class _RateLimit:
    """Drops events beyond the limits. The last event that is let through says so, as `no_more_for_s`."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._recent = Recent()

    def __call__(self, _logger: object, _level: str, event: EventDict) -> EventDict:
        is_failure = event["level"] == "error"
        limits = {" ".join(str(event.get(key, "")) for key in SUBJECT): MOST_FAILURES if is_failure else MOST}
        if "place" in event:
            limits[event["event"]] = MOST_FROM_PLACES
        now_ms = self._now_ms()
        left = min(most - self._recent.count(subject, now_ms) for subject, most in limits.items())
        if left <= 0:
            raise structlog.DropEvent
        for subject in limits:
            self._recent.add(subject, now_ms)
        if left == 1:
            event["no_more_for_s"] = WINDOW_MS // 1000
        return event


class _Scrub:
    """Replaces texts in the values of an event: secrets by stars, and the keys of `instead`."""

    def __init__(self, instead: Mapping[str, str]) -> None:
        self._instead = instead

    def __call__(self, _logger: object, _level: str, event: EventDict) -> EventDict:
        return {key: value if key in ("event", "level") else self._scrubbed(value) for key, value in event.items()}

    def _scrubbed(self, value: object) -> object:
        if isinstance(value, str):
            for text, shown in self._instead.items():
                value = value.replace(text, shown)
            return _SECRET.sub(_STARS, value)
        if isinstance(value, list | tuple):
            return [self._scrubbed(one) for one in value]
        if isinstance(value, Mapping):
            return {key: self._scrubbed(one) for key, one in value.items()}
        return value


class _Tee:
    """Shows an event to people, and passes it on to the file unless its name is in `unwritten`."""

    def __init__(self, show: Show, unwritten: Collection[str]) -> None:
        self._show = show
        self._unwritten = unwritten

    def __call__(self, _logger: object, _level: str, event: EventDict) -> EventDict:
        self._show(dict(event))
        if event["event"] in self._unwritten:
            raise structlog.DropEvent
        return event


def _line(event: EventDict, **options: Any) -> bytes:
    """A line of JSON; time, level and event come first."""
    first = {key: event[key] for key in ("timestamp", "level", "event")}
    return json.dumps({**first, **event}, **options).encode()
