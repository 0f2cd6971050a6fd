"""How long the operator's log of a venue keeps its lines: some have addresses of bots."""

import fcntl
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec
import trio

from arena.regular_files import open_regular
from arena.server.io.clock import system_time_ms
from arena.server.io.disk import write_inside
from arena.server.io.operator_log import Log
from arena.words.system_errors import system_reason

KEPT: Final = timedelta(days=14)
LOOK_SECONDS: Final = 3600.0


class _Line(msgspec.Struct):
    timestamp: datetime


async def forget_old_lines(path: Path, log: Log) -> None:
    """Remove lines that are too old from a log, now and at each hour, for ever."""
    while True:
        before = datetime.fromtimestamp(system_time_ms() / 1000, UTC) - KEPT
        try:
            await trio.to_thread.run_sync(remove_lines_before, path, before)
        except OSError as error:
            log.warning("old_lines_kept", file=str(path), reason=system_reason(error))
        await trio.sleep(LOOK_SECONDS)


def remove_lines_before(path: Path, before: datetime) -> None:
    """Remove the lines of an operator's log that are older, and those without a time.

    Those who write to the log meanwhile wait (`LogFile`). Nothing is written if nothing is old.
    Raises `OSError`.
    """
    try:
        file = open_regular(path)
    except FileNotFoundError:
        return
    with os.fdopen(file, "rb") as log:
        fcntl.flock(file, fcntl.LOCK_EX)
        lines = log.readlines()
        kept = [line for line in lines if _is_since(line, before)]
        if len(kept) < len(lines):
            write_inside(path.parent, path.name, b"".join(kept), mode=0o600)


def _is_since(line: bytes, before: datetime) -> bool:
    try:
        return msgspec.json.decode(line, type=_Line).timestamp >= before
    except msgspec.MsgspecError:
        return False
