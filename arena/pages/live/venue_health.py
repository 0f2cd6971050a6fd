"""How a venue is: answers for monitors, from the last pulse of its referee.

They hold no name, address or secret. `/healthz` and `/readyz` answer with 200 and `ok`, or with 503
and one word: what is wrong. `/metrics` is the text format of Prometheus.
"""

import time
from collections.abc import Mapping
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from arena.server.setup.referee_lines import Pulse
from arena.words import Said

FRESH_SECONDS: Final = 1.0
"""The loop of a referee that works turned within this time."""
METRICS: Final[Mapping[str, str]] = {
    "matches_in_play": "Matches being played; each has a seat.",
    "seats": "Matches that can be played at once.",
    "matches_finished_total": "Matches settled since the referee began.",
    "bots_connected": "Bots connected from elsewhere.",
    "turn_lag_seconds": "How late the referee was last.",
    "disk_free_ratio": "Share of the disk, or of its files.",
    "disk_free_bytes": "Bytes that can still be written.",
}
"""The fields of a pulse that are metrics, each with its help; `_total` ends that of a counter."""
STOPS: Final[Mapping[str, str]] = {
    "pairing.not_writable": "journal",
    "pairing.disk_low": "disk",
}
"""The word of `/readyz` for each reason why no match begins."""
NOT_KEPT: Final = {"cache-control": "no-store"}


class Health:
    """The last pulse of a referee, and the answers that follow from it."""

    pulse: Pulse | None = None

    def hear(self, line: bytes) -> None:
        """Take in a pulse of the referee."""
        self.pulse = msgspec.json.decode(line, type=Pulse)

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
        return time.monotonic() - self.pulse.turned_at_s <= FRESH_SECONDS

    @property
    def why_not_ready(self) -> str:
        """What keeps bots from playing, in a word; empty if nothing does."""
        if self.pulse is None or not self.is_fresh:
            return "referee"
        if not self.pulse.is_door_open:
            return "door"
        why = self.pulse.pairing_stopped
        if why is None:
            return ""
        return STOPS[why.code]

    def notice(self) -> Said | None:
        """Return why no match begins, for readers; None if matches begin."""
        if self.pulse is None or not self.is_fresh:
            return Said("pairing.no_referee")
        return self.pulse.pairing_stopped

    def metrics(self) -> str:
        """Return all metrics; without a pulse only that the referee is not up."""
        text = _metric("up", "1 if the referee's loop turned within a second.", self.is_fresh)
        if self.pulse is None:
            return text
        for name, explanation in METRICS.items():
            text += _metric(name, explanation, getattr(self.pulse, name))
        is_stopped = self.pulse.pairing_stopped is not None
        return text + _metric("pairing_stopped", "1 while no match may begin.", is_stopped)

    async def _healthz(self, _request: Request) -> Response:
        if self.is_fresh:
            return _answer("")
        return _answer("referee")

    async def _readyz(self, _request: Request) -> Response:
        return _answer(self.why_not_ready)

    async def _metrics(self, _request: Request) -> Response:
        kind = {"content-type": "text/plain; version=0.0.4; charset=utf-8"}
        return PlainTextResponse(self.metrics(), headers=NOT_KEPT | kind)


def _metric(name: str, explanation: str, value: float) -> str:
    """Return the lines of one metric."""
    kind = "gauge"
    if name.endswith("_total"):
        kind = "counter"
    name = f"brade_arena_{name}"
    return f"# HELP {name} {explanation}\n# TYPE {name} {kind}\n{name} {float(value)}\n"


def _answer(problem: str) -> Response:
    """Answer `ok`, or with the problem."""
    if problem:
        return PlainTextResponse(f"{problem}\n", 503, headers=NOT_KEPT)
    return PlainTextResponse("ok\n", headers=NOT_KEPT)
