"""What monitors are told of a venue."""

from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from arena.pages.live import venue_health
from arena.pages.live.venue import Venue
from arena.pages.live.venue_answers import VenueAnswers
from arena.pages.live.venue_health import Health
from arena.server.setup.referee_lines import Pulse
from arena.words import Said

PULSE = Pulse(
    turned_at_s=100.0,
    matches_in_play=3,
    seats=64,
    matches_finished_total=1234567,
    bots_connected=20,
    turn_lag_seconds=0.002,
    disk_free_ratio=0.5,
    disk_free_bytes=1 << 40,
    is_door_open=True,
)


@pytest.fixture(autouse=True)
def now(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a second has passed since the pulse."""
    monkeypatch.setattr(venue_health.time, "monotonic", lambda: 100.5)


def health(pulse: Pulse | None) -> Health:
    pages = Health()
    if pulse is not None:
        pages.hear(msgspec.json.encode(pulse) + b"\n")
    return pages


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({}, ""),
        ({"turned_at_s": 99.4}, "referee"),
        ({"is_door_open": False}, "door"),
        ({"pairing_stopped": Said("pairing.not_writable")}, "journal"),
        ({"pairing_stopped": Said("pairing.disk_low")}, "disk"),
    ],
)
def test_a_venue_is_ready_while_bots_can_play(change: dict[str, object], wrong: str) -> None:
    pulse = msgspec.structs.replace(PULSE, **change)
    assert health(pulse).why_not_ready == wrong
    assert health(pulse).is_fresh == (wrong != "referee")


def test_a_venue_without_a_referee_is_told_from_one_with_one() -> None:
    nothing = health(None)
    assert (nothing.is_fresh, nothing.why_not_ready) == (False, "referee")
    assert nothing.metrics() == (
        "# HELP brade_arena_up 1 if the referee's loop turned within a second.\n"
        "# TYPE brade_arena_up gauge\n"
        "brade_arena_up 0.0\n"
    )


def test_metrics_are_what_prometheus_reads() -> None:
    """Units in the names, a type and a help for each, counters that end in `_total`."""
    lines = health(PULSE).metrics().splitlines()
    figures = {}
    for explained, typed, figure in zip(*[iter(lines)] * 3, strict=True):
        name, number = figure.split()
        figures[name.removeprefix("brade_arena_")] = float(number)
        assert explained.startswith(f"# HELP {name} ")
        kind = "counter" if name.endswith("_total") else "gauge"
        assert typed == f"# TYPE {name} {kind}"
    assert figures == {
        "up": 1,
        "matches_in_play": 3,
        "seats": 64,
        "matches_finished_total": 1234567,
        "bots_connected": 20,
        "turn_lag_seconds": 0.002,
        "disk_free_ratio": 0.5,
        "disk_free_bytes": 1 << 40,
        "pairing_stopped": 0,
    }


async def test_readers_are_told_why_no_match_begins(tmp_path: Path) -> None:
    why = Said("pairing.disk_low", {"free": 4.9, "least": 5.0})
    low = health(msgspec.structs.replace(PULSE, pairing_stopped=why))
    with closing(Venue(tmp_path, why_paused=low.notice)) as venue:
        venue.look()
        assert VenueAnswers(venue).first_page("").paused == why
        before = venue.runs.news.next
        low.pulse = PULSE
        venue.look()
        assert venue.runs.news.next > before  # open pages fetch it again
        assert venue.paused is None
    assert health(PULSE).notice() is None
    assert health(None).notice() == Said("pairing.no_referee")
