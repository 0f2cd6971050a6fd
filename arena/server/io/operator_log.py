"""The operator's log: events through structlog, to a terminal and to a file of JSON lines.

    log.warning("bot_lost", name="anna", reason="it hung up")

An event is a name and keys, never prose. `sentence` makes what people read from them.
"""

import fcntl
import json
import logging
import os
import re
import shlex
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import structlog
from structlog.typing import EventDict, FilteringBoundLogger

from arena.own_programs import module_advice
from arena.server.io.disk import DiskError, kept_on_disk, write_all
from arena.server.io.door_reasons import recognized
from arena.words import DEFAULT, LANGUAGES, Said, say

WINDOW_MS: Final = 60_000
PLACES: Final = 4096
"""How many places are remembered; the place that was silent longest is forgotten first."""
MOST: Final = 5
"""Events of one kind about one bot, or from one place, within `WINDOW_MS`: a flood must not hide
other events."""
MOST_FAILURES: Final = 1000
"""Failures of the arena itself: each is a bug to be mended, so nearly all of them are kept."""
MOST_FROM_PLACES: Final = 60
"""Events of one kind from all places together: an attacker may have thousands of addresses, and the
disk is finite."""
OF_THE_MACHINE: Final = frozenset(
    {"containment", "bots_may_read", "limit_open_files", "secrets_in_reach"}
)
"""Events about the machine, which every chunk of a worker would repeat."""
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
    may_lose: bool = False,
) -> Iterator[Log]:
    """Yield the logger of a run: events are shown, and added to the file at `path`.

    The file is made with the first event. The logger limits how often one thing is logged. In every
    text the keys of `instead` are replaced by their values, and anything that looks like a secret
    by stars. Events whose name is in `unwritten` are shown and not written. Logging raises
    `DiskError` when the disk takes no more, unless the log `may_lose` events that are shown.
    """
    events = _Events(now_ms, show, instead or {}, unwritten)
    with closing(LogFile(path, may_lose=may_lose)) as file:
        yield structlog.wrap_logger(
            structlog.BytesLogger(cast("BinaryIO", file)),
            processors=[
                structlog.processors.add_log_level,
                events.limit,
                structlog.processors.format_exc_info,
                events.tell,
                structlog.processors.JSONRenderer(serializer=_to_json),
            ],
            wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        )


def _to_json(event: EventDict, **options: Any) -> bytes:
    text = json.dumps(event, **options)
    return text.encode()


def shared_log(logs: Callable[[], Iterable[Log]]) -> Log:
    """Return a logger that hands every event to each of these."""

    def hand_on(_logger: object, level: str, event: EventDict) -> EventDict:
        name = event.pop("event")
        for log in logs():
            getattr(log, level)(name, **event)
        raise structlog.DropEvent

    bound = structlog.make_filtering_bound_logger(logging.INFO)
    log: Log = structlog.wrap_logger(
        structlog.ReturnLogger(),
        processors=[hand_on],
        wrapper_class=bound,
    )
    return log


def console_line(level: str, sentence: str, language: str = DEFAULT) -> str:
    """Return an event as people see it, with the colours of a terminal and without `info`."""
    shown = {"event": sentence}
    if level != "info":
        shown["level"] = say(Said(f"severity.{level}"), language)
    event = cast("EventDict", shown)
    rendered = _RENDERER(None, level, event)
    return str(rendered)


def _level_styles() -> dict[str, str]:
    """Return the colours of levels by their words in every language."""
    styles = structlog.dev.ConsoleRenderer.get_default_level_styles()
    for language in LANGUAGES:
        for level in ("warning", "error"):
            word = say(Said(f"severity.{level}"), language)
            styles[word] = styles[level]
    return styles


_RENDERER: Final = structlog.dev.ConsoleRenderer(
    0,
    colors=True,
    pad_level=False,
    level_styles=_level_styles(),
)


class LogFile:
    """A file that several processes may append to.

    Only its owner can read it, since a traceback may hold anything.
    """

    def __init__(self, path: Path, *, may_lose: bool = False) -> None:
        self._path = path
        self._number: int | None = None
        self._lost: tuple[type[DiskError], ...] = ()
        if may_lose:
            self._lost = (DiskError,)

    def write(self, lines: bytes) -> None:
        """Add whole lines. Raises `DiskError`, unless the log may lose them."""
        with suppress(*self._lost), kept_on_disk(self._path):
            number = self._locked()
            try:
                size = os.fstat(number).st_size
                if size and os.pread(number, 1, size - 1) != b"\n":
                    lines = b"\n" + lines  # the last line was cut short
                write_all(number, lines)
            finally:
                fcntl.flock(number, fcntl.LOCK_UN)

    def _locked(self) -> int:
        """Open and lock the file; another process may have replaced it since the last line."""
        while True:
            if self._number is None:
                self._number = os.open(
                    self._path,
                    os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW,
                    0o600,
                )
            fcntl.flock(self._number, fcntl.LOCK_EX)
            if self._is_in_place(self._number):
                return self._number
            self.close()

    def _is_in_place(self, number: int) -> bool:
        """Return False if another file stands at the path by now."""
        try:
            return os.path.samestat(os.fstat(number), self._path.stat())
        except FileNotFoundError:
            return True

    def flush(self) -> None:
        """Do nothing: `write` has no buffer."""

    def close(self) -> None:
        """Close the file; the next line opens it again."""
        if self._number is not None:
            os.close(self._number)
            self._number = None


class Recent:
    """The times of events within a window of time, at each place or under each name."""

    def __init__(self, window_ms: int = WINDOW_MS) -> None:
        self._window_ms = window_ms
        self._times_ms: dict[str, deque[int]] = {}

    def add(self, place: str, now_ms: int) -> None:
        """Add an event."""
        times = self._times_ms.pop(place, deque())
        times.append(now_ms)
        # At the end: the places stand in the order of their last event.
        self._times_ms[place] = times
        if len(self._times_ms) > PLACES:
            longest_silent = next(iter(self._times_ms))
            del self._times_ms[longest_silent]

    def times(self, place: str, now_ms: int) -> Sequence[int]:
        """Return the times of the events in the window before now."""
        times = self._times_ms.get(place, deque())
        while times and times[0] <= now_ms - self._window_ms:
            times.popleft()
        return times


@dataclass(frozen=True, slots=True)
class _Events:
    """The events of a run on their way through structlog."""

    now_ms: Callable[[], int]
    show: Show
    instead: Mapping[str, str]
    unwritten: Collection[str]
    recent: Recent = field(default_factory=Recent)

    def limit(
        self,
        _logger: object,
        _level: str,
        event: EventDict,
    ) -> EventDict:
        """Drop events beyond the limits.

        The last event that is let through says so, as `no_more_for_s`.
        """
        about = [str(event.get(key, "")) for key in SUBJECT]
        subject = " ".join(about)
        limits = {subject: MOST}
        if event["level"] == "error":
            limits[subject] = MOST_FAILURES
        if "place" in event:
            limits[event["event"]] = MOST_FROM_PLACES
        now_ms = self.now_ms()
        allowed = min(most - len(self.recent.times(name, now_ms)) for name, most in limits.items())
        if allowed <= 0:
            raise structlog.DropEvent
        for name in limits:
            self.recent.add(name, now_ms)
        if allowed == 1:
            event["no_more_for_s"] = WINDOW_MS // 1000
        return event

    def tell(
        self,
        _logger: object,
        _level: str,
        event: EventDict,
    ) -> EventDict:
        """Show an event to people, and pass it on to the file unless it is in `unwritten`.

        Time (UTC), level and name come first.
        """
        name = event.pop("event")
        level = event.pop("level")
        at = datetime.fromtimestamp(self.now_ms() / 1000, UTC)
        stamp = at.isoformat(timespec="milliseconds")
        stamp = stamp.replace("+00:00", "Z")
        scrubbed = {
            "timestamp": stamp,
            "level": level,
            "event": name,
        }
        for key, detail in event.items():
            scrubbed[key] = self._scrubbed(detail)
        self.show(dict(scrubbed))
        if name in self.unwritten:
            raise structlog.DropEvent
        return scrubbed

    def _scrubbed(self, detail: object) -> object:
        """Replace texts in a detail of an event: secrets by stars, and the keys of `instead`."""
        if isinstance(detail, str):
            for text, shown in self.instead.items():
                detail = detail.replace(text, shown)
            return _SECRET.sub(_STARS, detail)
        if isinstance(detail, list | tuple):
            return [self._scrubbed(part) for part in detail]
        if isinstance(detail, Mapping):
            return {key: self._scrubbed(part) for key, part in detail.items()}
        return detail


def sentence(event: Event, language: str = DEFAULT) -> str:
    """Return the event in words."""
    details = {**event, **_derived(event)}
    if isinstance(event.get("reason"), str):
        details["reason"] = recognized(event["reason"])
    text = Said(f"event.{event['event']}", details)
    if event["event"] == "waiting_for_bots" and event["tokens_made"]:
        names = event["tokens_made"]
        run = Path(event["tokens_file"]).parent
        tokens = {
            "said": text,
            "count": len(names),
            "name": names[0],
            "run": shlex.quote(str(run)),
        }
        text = Said("operator.tokens", tokens)
    advice = module_advice(event.get("last_words", ""))
    if advice:
        text = Said("operator.advice", {"said": text, "advice": advice})
    if "no_more_for_s" in event:
        details = {**event, "said": text}
        text = Said("operator.no_more", details)
    return say(text, language)


def _derived(event: Event) -> dict[str, Any]:
    """Return the details of a sentence that follow from the keys of its event."""
    match event["event"]:
        case "containment":
            return {"said": _containment(event)}
        case "bot_absent":
            return {"waited_s": _seconds(event["waited_ms"])}
        case "bots_awaited" | "bots_given_up":
            return {"join_s": _seconds(event["join_ms"])}
        case "run_finished":
            finished = datetime.fromtimestamp(event["finished_ms"] / 1000, UTC)
            return {"at": f"{finished:%Y-%m-%d %H:%M}"}
        case "stopping":
            return {"count": event["turns"]}
        case "secret_files_readable":
            return dict(readable_files(event["files"]).values)
        case "program_did_not_log_in" | "program_lost":
            code = "operator.last_words" if event["last_words"] else "operator.silent"
            return {"last": Said(code, event)}
        case _:
            return {}


def _containment(event: Event) -> Said:
    """Say how launched bots are contained, and whether they are measured."""
    kind = event["contained_by"]
    if event["wanted"] == "off":
        kind = "off"
    containment = Said(f"containment.{kind}")
    if event["measures"]:
        return containment
    return Said("containment.unmeasured", {"said": containment})


def _seconds(ms: int) -> float:
    """Return a time in seconds, without decimals if it has none."""
    if ms % 1000:
        return ms / 1000
    return ms // 1000


def readable_files(files: Sequence[str]) -> Said:
    """Return the warning of secret files that others on this machine can read."""
    details = {"files": files, "paths": " ".join(files)}
    return Said("event.secret_files_readable", details)
