"""How a venue is: answers for monitors, from the last pulse of its referee.

They hold no name, address or secret. `/healthz` and `/readyz` answer with 200 and `ok`, or with 503
and one word: what is wrong. `/metrics` is the text format of Prometheus.
"""

import time
from collections.abc import Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from arena.server.setup.referee_lines import LEAST_FREE, Pulse, parse_line
from arena.words import Said

FRESH_SECONDS: Final = 1.0
"""The loop of a referee that works turned within this time."""

METRICS: Final[tuple[tuple[str, str, Callable[[Pulse], float]], ...]] = (
    ("matches_in_play", "Matches being played; each has a seat.", lambda p: p.matches_in_play),
    ("seats", "Matches that can be played at once.", lambda p: p.seats),
    (
        "matches_finished_total",
        "Matches settled since the referee began.",
        lambda p: p.matches_finished,
    ),
    ("bots_connected", "Bots connected from elsewhere.", lambda p: p.bots_connected),
    ("turn_lag_seconds", "How late the referee was last.", lambda p: p.turn_lag_ms / 1000),
    ("disk_free_ratio", "Share of the disk, or of its files.", lambda p: p.disk_free),
    ("disk_free_bytes", "Bytes that can still be written.", lambda p: p.disk_free_bytes),
    (
        "pairing_stopped",
        "1 while no match may begin.",
        lambda p: p.pairing_stopped is not None,
    ),
)
"""Name, help and value of each metric; a name that ends in `_total` is a counter."""


class Health:
    """The last pulse of a referee, and the answers that follow from it."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self.pulse: Pulse | None = None

    def hear(self, line: bytes) -> None:
        """Take in a line of the referee."""
        message = parse_line(line)
        assert isinstance(message, Pulse), "the parent passes no other line on"
        self.pulse = message

    def routes(self) -> list[BaseRoute]:
        """List the routes of the answers."""
        return [
            Route("/healthz", self._healthz),
            Route("/readyz", self._readyz),
            Route("/metrics", self._metrics),
        ]

    @property
    def is_fresh(self) -> bool:
        """True if the loop of the referee turned of late."""
        if self.pulse is None:
            return False
        return self._now_s() - self.pulse.turned_at_s <= FRESH_SECONDS

    @property
    def why_not_ready(self) -> str:
        """What keeps bots from playing, in a word; empty if nothing does."""
        pulse = self.pulse
        if pulse is None or not self.is_fresh:
            return "referee"
        if not pulse.is_door_open:
            return "door"
        if not pulse.is_journal_writable:
            return "journal"
        if pulse.disk_free < LEAST_FREE:
            return "disk"
        return ""

    def notice(self) -> Said | None:
        """Return why no match begins, for readers; None if matches begin."""
        if self.pulse is None or not self.is_fresh:
            return Said("pairing.no_referee")
        return self.pulse.pairing_stopped

    def metrics(self) -> str:
        """Return all metrics; without a pulse only that the referee is not up."""
        lines = _metric("up", "1 if the referee's loop turned within a second.", self.is_fresh)
        if self.pulse is not None:
            for name, explanation, value_of in METRICS:
                lines += _metric(name, explanation, value_of(self.pulse))
        return "".join(f"{line}\n" for line in lines)

    async def _healthz(self, _request: Request) -> Response:
        if self.is_fresh:
            return _answer("ok")
        return _answer("referee", 503)

    async def _readyz(self, _request: Request) -> Response:
        if self.why_not_ready:
            return _answer(self.why_not_ready, 503)
        return _answer("ok")

    async def _metrics(self, _request: Request) -> Response:
        return PlainTextResponse(
            self.metrics(),
            headers={
                "cache-control": "no-store",
                "content-type": "text/plain; version=0.0.4; charset=utf-8",
            },
        )


def _metric(name: str, explanation: str, value: float) -> list[str]:
    """Return the lines of one metric."""
    kind = "gauge"
    if name.endswith("_total"):
        kind = "counter"
    full_name = f"brade_arena_{name}"
    return [
        f"# HELP {full_name} {explanation}",
        f"# TYPE {full_name} {kind}",
        f"{full_name} {float(value)}",
    ]


def _answer(word: str, status: int = 200) -> Response:
    return PlainTextResponse(f"{word}\n", status, headers={"cache-control": "no-store"})
