"""What the index of a run learns from match records: how many turns games had, and what bots called themselves."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from arena.matches.facts import BotReady, GameEnded, MatchOpened
from arena.pages.index import Learnt
from arena.records.files import match_record
from arena.records.lines import RecordError, match_lines
from arena.server.io.disk import read_inside

_WANTED: Final = (b'{"event":"match_opened"', b'{"event":"bot_ready"', b'{"event":"game_ended"')


def read_for_index(folder: Path, fixture: str, attempt: int) -> Learnt:
    """What the record of a match says of an attempt.

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


def read_all_for_index(folder: Path, wanted: Sequence[tuple[str, int]]) -> list[Learnt]:
    """The same of several matches."""
    return [read_for_index(folder, *one) for one in wanted]
