"""Rows of records as lines for a person."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from arena.cli.shared.sources import RecordSource
from arena.cli.shared.story import ending_words
from arena.matches.facts import MatchOpened
from arena.records.rows import AbsenceRow, BotRow, GameRow, MatchRow, RejectionRow, Row, TurnRow
from arena.server.io.inside import first_line

R = TypeVar("R", bound=Row)
IDS: Final = frozenset({"bot", "opponent", "winner", "loser", "seat_1", "seat_2"})
"""The columns that hold the id of an entrant."""


def lines_of(row: Row, source: RecordSource, *, verbose: bool) -> Iterator[str]:
    """A line that begins with its place in the record; with `verbose`, then the commands that show more of it."""
    path = source.place(row.file)
    yield f"{path}:{row.line}  {_words(_named(row, _names(path)))}"
    if verbose:
        words = ["arena", "show", str(path), "--attempt", str(row.attempt)]
        if isinstance(row, GameRow | TurnRow | RejectionRow):
            words += ["--game", str(row.game)]
        if isinstance(row, TurnRow | RejectionRow):
            words += ["--turn", str(row.turn)]
            yield f"    {shlex.join(['arena', 'replay', *words[2:]])} --bot COMMAND"
        yield f"    {shlex.join(words)}"


@cache
def _names(record: Path) -> Mapping[str, str]:
    """What the entrants of a match record are called on screens, by id."""
    found = record.resolve()
    opened = msgspec.json.decode(first_line(found.parent, found.name), type=MatchOpened)
    return dict(zip(opened.entrants, opened.shown, strict=True))


def _named(row: R, names: Mapping[str, str]) -> R:
    """The row with what entrants are called in place of their ids."""
    found = {field: getattr(row, field) for field in row.__struct_fields__ if field in IDS}
    return msgspec.structs.replace(row, **{field: names.get(value, value) for field, value in found.items()})


def _words(row: Row) -> str:
    match row:
        case MatchRow():
            told = row.decision or row.void_reason or f"{row.games} games"
            score = f"{row.seat_1} {row.score_1} : {row.score_2} {row.seat_2}"
            return f"{_time(row.at_ms)}  attempt {row.attempt} {row.state}: {score}  ({told})"
        case GameRow():
            return f"{_time(row.at_ms)}  game {row.game}: {_game_words(row)}, {row.turns} turns ({row.clause})"
        case TurnRow():
            return f"{_turn(row)} {_turn_words(row)}  {row.spent_ms} ms"
        case RejectionRow():
            left = "one too many" if row.left < 0 else f"{row.left} left"
            return f"{_turn(row)} {row.code} ({row.clause}; {left}): {row.message}"
        case AbsenceRow():
            what = {"bot_left": "is gone", "bot_missing": "does not come", "bot_returned": "is back"}[row.event]
            return f"{_time(row.at_ms)}  {row.bot} {what}" + (f": {row.reason}" if row.reason else "")
        case BotRow():
            said = f"version {row.version or '-'}, fingerprint {row.fingerprint or '-'}"
            return f"{_time(row.at_ms)}  seat {row.seat} {row.bot}: {said}"
    raise AssertionError(row)


def _time(at_ms: int) -> str:
    """When, in UTC."""
    return f"{datetime.fromtimestamp(at_ms // 1000, UTC):%Y-%m-%d %H:%M:%SZ}"


def _turn(row: TurnRow | RejectionRow) -> str:
    """The turn, its bot and its roll."""
    roll = f" rolls {'-'.join(map(str, row.dice))}:" if row.dice else ":"
    return f"game {row.game} turn {row.turn}  {row.bot}{roll}"


def _turn_words(row: TurnRow) -> str:
    if row.event == "flag_fell":
        return "no answer in time"
    if row.event == "draw_agreed":
        return "accepts the draw"
    return f"{row.notation}{', offers a draw' if row.draw_offered else ''}"


def _game_words(row: GameRow) -> str:
    beaten = f" against {row.loser}" if row.winner else f" between {row.seat_1} and {row.seat_2}"
    return ending_words(row.winner, row.ending, row.points, row.cause) + (" with monk" if row.monk else "") + beaten
