"""Orders of an operator to the referee of a venue, which is running."""

import os
import socket
from pathlib import Path
from typing import Final

import msgspec

from arena.records.files import VENUE_RECORD
from arena.regular_files import read_regular
from arena.server.series.admin_orders import ADDRESS_FILE, Answer, AnyOrder
from arena.server.setup.venue_folder import VENUE_FILE
from arena.services.errors import FailedError, RefusedError
from arena.words import Said, joined
from arena.words.system_errors import system_reason

ANSWER_SECONDS: Final = 20.0
_PATH_BYTES: Final = 4096


class NoVenueError(RefusedError):
    """The folder holds no venue."""


class NotRunningError(FailedError):
    """No referee of the venue is running, or it does not answer."""


class OrderRefusedError(RefusedError):
    """The referee refuses an order, with its reason."""


def give_order(folder: Path, order: AnyOrder) -> Answer:
    """Give an order to the referee of a venue; returns its answer.

    Raises `NoVenueError`, `NotRunningError` and `OrderRefusedError`.
    """
    if not any((folder / name).exists() for name in (VENUE_FILE, VENUE_RECORD)):
        raise NoVenueError(Said("admin.no_venue", {"folder": str(folder)}))
    try:
        path = os.fsdecode(read_regular(folder / ADDRESS_FILE, _PATH_BYTES))
        reply = _reply(path, msgspec.json.encode(order) + b"\n")
    except (FileNotFoundError, ConnectionRefusedError) as error:
        raise NotRunningError(Said("admin.not_running", {"folder": str(folder)})) from error
    except OSError as error:
        values = {"folder": str(folder), "reason": system_reason(error)}
        raise NotRunningError(Said("admin.no_answer", values)) from error
    try:
        answer = msgspec.json.decode(reply, type=Answer)
    except msgspec.DecodeError as error:
        values = {"folder": str(folder), "reason": Said("admin.other_version")}
        raise NotRunningError(Said("admin.no_answer", values)) from error
    if not answer.is_done:
        raise OrderRefusedError(joined(answer.sentences))
    return answer


def _reply(path: str, line: bytes) -> bytes:
    """Return all that is answered to a line. Raises `OSError`."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(ANSWER_SECONDS)
        connection.connect(path)
        connection.sendall(line)
        with connection.makefile("rb") as answer:
            return answer.read()
