"""The file in which the index of a run is kept for the next start, beside the records; it can be thrown away.

Its first line has the first page as it was when nothing was being played, and says of how much of the tournament record
it was made. Each other line is what was learnt of a match. Nothing of it is believed for long: the first page is shown
until the record is read, which takes the place of it, and of what was learnt a sample is read again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from heapq import nsmallest
from pathlib import Path
from typing import Final, Literal

import msgspec

from arena.matches.facts import BotReady, GameEnded, MatchOpened
from arena.pages.contents import Overview
from arena.pages.index import Learnt
from arena.records.files import INDEX, TOURNAMENT_RECORD, match_record
from arena.records.lines import UNREADABLE, RecordError, encode_line, match_lines
from arena.server.io.disk import LONGEST_LINE_BYTES, read_inside, write_inside

SAMPLE: Final = 20
"""Matches of which is looked up again what was learnt."""
_WANTED: Final = (b'{"event":"match_opened"', b'{"event":"bot_ready"', b'{"event":"game_ended"')


class _Head(msgspec.Struct, frozen=True, kw_only=True):
    """The first line."""

    format: Literal["brade-index-1"] = "brade-index-1"
    size: int
    """The number of bytes of the tournament record that it was made of."""
    sha256: str
    overview: Overview | None


class Kept(msgspec.Struct, kw_only=True):
    """The kept part of a run that fits its tournament record."""

    size: int = 0
    """The number of bytes of the tournament record that it was made of."""
    overview: Overview | None = None
    """The first page; None if the record has grown since."""
    learnt: dict[str, Learnt] = {}
    """By fixture; what is in the index is taken out."""


def read_index(folder: Path) -> Kept:
    """Return what was kept for a run; nothing if the file is missing, damaged, or of another record."""
    try:
        first, *lines = read_inside(folder, INDEX).split(b"\n")
        head = msgspec.json.decode(first, type=_Head)
        learnt = [_decode(line) for line in lines[:-1]]
        record = read_inside(folder, TOURNAMENT_RECORD)
    except (OSError, *UNREADABLE):
        return Kept()
    if hashlib.sha256(record[: max(0, head.size)]).hexdigest() != head.sha256:
        return Kept()
    overview = head.overview if head.size == len(record) else None
    return Kept(size=head.size, overview=overview, learnt={one.fixture: one for one in learnt})


_decode: Final = msgspec.json.Decoder(Learnt).decode


def write_index(folder: Path, size: int, sha256: str, overview: Overview | None, learnt: list[bytes]) -> None:
    """Keep it. Raises `OSError`."""
    head = encode_line(_Head(size=size, sha256=sha256, overview=overview))
    if len(head) > LONGEST_LINE_BYTES:
        head = encode_line(_Head(size=size, sha256=sha256, overview=None))
    write_inside(folder, INDEX, b"".join(line + b"\n" for line in (head, *learnt)), mode=0o640)


def is_true(folder: Path, learnt: dict[str, Learnt]) -> bool:
    """Return whether the records agree with a sample that nobody can foresee: hashes differ in each process."""
    sample = [learnt[fixture] for fixture in nsmallest(SAMPLE, learnt, key=hash)]
    return read_all_for_index(folder, [(one.fixture, one.attempt) for one in sample]) == sample


def read_all_for_index(folder: Path, wanted: Sequence[tuple[str, int]]) -> list[Learnt]:
    """The same of several matches."""
    return [read_for_index(folder, *one) for one in wanted]


def read_for_index(folder: Path, fixture: str, attempt: int) -> Learnt:
    """Return what the record of a match says of an attempt.

    Reads only the lines that tell it; what cannot be read is left out, and `arena verify` says what is wrong.
    """
    turns: dict[int, int] = {}
    versions = ["", ""]
    is_it = False
    name = match_record(fixture)
    with suppress(OSError, RecordError):
        for line in read_inside(folder, name).split(b"\n"):
            if not line.startswith(_WANTED):
                continue
            fact = match_lines.read_line(name, line)
            if isinstance(fact, MatchOpened):
                is_it = fact.attempt == attempt
            elif is_it and isinstance(fact, BotReady):
                versions[fact.seat - 1] = fact.entrant.version
            elif is_it and isinstance(fact, GameEnded):
                turns[fact.game] = fact.turns
    return Learnt(fixture=fixture, attempt=attempt, versions=(versions[0], versions[1]), turns=turns)
