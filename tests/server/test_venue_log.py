"""`venue.jsonl`: every line synced, a torn one mended, a newer one refused, a full disk survived."""

import errno
import os
from pathlib import Path

import pytest

from arena.records.files import VENUE_RECORD
from arena.records.lines import RecordError
from arena.records.venue_facts import Announced, BotBanned, BotJoined
from arena.server.io import disk
from arena.server.io.disk import DiskError
from arena.server.series.venue_log import VenueLog


def opened(folder: Path, now_ms: int = 1000) -> VenueLog:
    return VenueLog(folder, "club", lambda: now_ms)


def joined(name: str) -> BotJoined:
    return BotJoined(at_ms=2000, bot=name, shown=name)


def test_a_log_goes_on_where_it_was(tmp_path: Path) -> None:
    log = opened(tmp_path)
    log.write(joined("anna"))
    log = opened(tmp_path)
    assert (log.book.name, list(log.book.bots)) == ("club", ["anna"])
    assert log.at_ms() == 2000, "times never go back"
    log.write(joined("bo"))
    assert (tmp_path / VENUE_RECORD).read_bytes().count(b"\n") == 3


@pytest.mark.parametrize("cut", range(1, 40))
def test_a_torn_last_line_is_taken_off(tmp_path: Path, cut: int) -> None:
    log = opened(tmp_path)
    log.write(joined("anna"))
    log.write(joined("bo"))
    path = tmp_path / VENUE_RECORD
    os.truncate(path, path.stat().st_size - cut)
    log = opened(tmp_path)
    assert list(log.book.bots) == ["anna"]
    log.write(joined("bo"))
    log = opened(tmp_path)
    assert list(log.book.bots) == ["anna", "bo"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b'{"event":"bot_praised","v":1,"at_ms":1,"bot":"anna"}', "bot_praised"),
        (b'{"event":"announced","v":2,"at_ms":1,"text":"x"}', "version"),
        (b'{"event":"announced","v":1,"at_ms":1,"text":"x","more":1}', "canonical form"),
        (b'{"event":"venue_opened","v":1,"at_ms":1,"format":"brade-venue-2","name":"x"}', "format"),
        (b'{"event":"bot_banned","v":1,"at_ms":1,"bot":"bo","why":""}', "no earlier line tells"),
        (b'{"event":"venue_opened","v":1,"at_ms":1,"format":"brade-venue-1","name":"x"}', "first"),
        (b'{"event":"announced","v":1,"at_ms":1,"text":"\\u001b"}', "control"),
        (b"rubbish", "line"),
    ],
)
def test_what_this_arena_does_not_know_is_refused_in_one_sentence(
    tmp_path: Path, line: bytes, told: str
) -> None:
    opened(tmp_path)
    path = tmp_path / VENUE_RECORD
    before = path.read_bytes() + line + b"\n"
    path.write_bytes(before)
    with pytest.raises(RecordError) as refused:
        opened(tmp_path)
    assert f"{VENUE_RECORD}:2" in str(refused.value)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)
    assert path.read_bytes() == before
    path.unlink()


@pytest.mark.parametrize("failing", ["write", "fsync"])
def test_after_a_full_disk_it_goes_on_as_if_the_line_had_never_been_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def half(number: int, lines: bytes) -> int:
        os.pwrite(number, lines[:10], 0)
        raise OSError(errno.ENOSPC, "full")

    def not_synced(_number: int) -> None:
        raise OSError(errno.EIO, "broken")

    log = opened(tmp_path)
    log.write(joined("anna"))
    with monkeypatch.context() as full:
        full.setattr(disk.os, failing, half if failing == "write" else not_synced)
        for _ in range(2):
            with pytest.raises(DiskError):
                log.write(Announced(at_ms=3000, text="lost"))
    assert log.book.announcement is None
    log.write(BotBanned(at_ms=4000, bot="anna", why=""))
    log = opened(tmp_path)
    assert log.book.bots["anna"].ban == ""
    assert log.book.announcement is None
    assert b"lost" not in (tmp_path / VENUE_RECORD).read_bytes()
