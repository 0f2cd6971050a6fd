"""The pulse of a referee, and the pipe that it goes through."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from arena.server.io.line_pipes import MOST_UNSENT_BYTES, LineSender
from arena.server.io.operator_log import Event
from arena.server.series.pulse import PROBE, pulse_of
from arena.server.setup.referee_lines import Opened, parse_line
from arena.server.venue.venue import OpenRun, open_venue
from tests.fixtures.operator import lines_of


async def test_a_pulse_says_how_the_venue_is(tmp_path: Path) -> None:
    async with open_venue(lambda _: None) as venue:
        before_s = time.monotonic()
        pulse = pulse_of(venue, tmp_path, 0.007)
        assert before_s <= pulse.turned_at_s <= time.monotonic()
        assert (pulse.turn_lag_seconds, pulse.seats, pulse.bots_connected) == (0.007, 0, 0)
        assert not pulse.is_door_open
        assert 0 < pulse.disk_free_ratio < 1
        (tmp_path / PROBE).mkdir()
        why = pulse_of(venue, tmp_path, 0).pairing_stopped
        assert why is not None
        assert why.code == "pairing.not_writable"


async def test_a_venue_with_a_log_of_its_own_keeps_addresses_out_of_those_of_its_runs(
    tmp_path: Path,
) -> None:
    """The log of the venue forgets them after 14 days; runs are kept for ever."""
    shown: list[Event] = []
    async with open_venue(shown.append, tmp_path / "operator.jsonl") as venue:
        log: Any = SimpleNamespace()  # whatever it was told would fail
        venue._runs["day"] = cast("OpenRun", SimpleNamespace(log=log))
        venue.log.warning("connection_refused", reason="x", place="198.51.100.7")
        del venue._runs["day"]
    assert [event["place"] for event in shown] == ["198.51.100.7"]
    assert [line["place"] for line in lines_of(tmp_path / "operator.jsonl")] == ["198.51.100.7"]


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    os.close(writing)
    os.close(reading)


def test_a_sender_waits_for_no_reader_and_sends_whole_lines(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    sender = LineSender(writing)
    long = "x" * 1000
    for number in range(1000):
        sender.send(Opened(door=f"{number} {long}"))
    assert len(sender._unsent) <= MOST_UNSENT_BYTES
    sent = b""
    while sender._unsent:
        sent += os.read(reading, 5000)
        sender.send_line(b"")
    sent += os.read(reading, 1 << 20)
    doors: list[str] = []
    for line in sent.splitlines():
        message = parse_line(line)
        assert isinstance(message, Opened)
        doors.append(message.door)
    assert len(doors) > 200
    assert doors == [f"{number} {long}" for number in range(len(doors))]


def test_an_invite_is_not_shown_by_accident() -> None:
    assert "secret" not in repr(Opened(door="unix:/x", invite="secret"))
