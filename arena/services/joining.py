"""Join a venue: an account for a new bot."""

from __future__ import annotations

import os
import shlex
import ssl
from typing import TYPE_CHECKING, Final

from arena.server.io.door_reasons import recognized
from arena.services.errors import FailedError, RefusedError
from arena.services.one_bot import environment_line
from arena.words import Said, quoted
from arena.words.system_errors import system_reason

if TYPE_CHECKING:
    from protocol.greetings import Joined

EXAMPLE: Final = "python mybot.py"


class JoinRefusedError(RefusedError):
    """The venue gives no account; says why."""


class NoArenaError(FailedError):
    """There is no arena at the address, or it is not trusted."""


def start_line(address: str, joined: Joined) -> str:
    """Return the command that starts a new bot in Python."""
    environment = environment_line(address, joined.name, shlex.quote(joined.token))
    line = f"{environment} {EXAMPLE}"
    authority = os.environ.get("ARENA_CA")
    if authority and address.startswith("tls:"):
        return f"ARENA_CA={shlex.quote(authority)} {line}"
    return line


def join_venue(address: str, name: str, invite: str | None, display: str) -> Joined:
    """Join the venue at an address as a new bot; returns its account.

    Raises `JoinRefusedError` and `NoArenaError`.
    """
    from protocol.client import JoinError, join

    try:
        return join(address, name, invite, display)
    except JoinError as error:
        values = {"code": error.code, "reason": recognized(error.message)}
        raise JoinRefusedError(Said("join.refused", values)) from error
    except ValueError as error:
        raise JoinRefusedError(quoted(str(error))) from error
    except OSError as error:
        reason = system_reason(error)
        if isinstance(error, ssl.SSLError):  # its number is none of the system's
            reason = quoted(error.reason or str(error))
        values = {"address": address, "reason": reason}
        raise NoArenaError(Said("join.no_arena", values)) from error
