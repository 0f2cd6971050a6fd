"""Join a venue: an account for a new bot."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from typing import Final

from arena.server.io.door_reasons import recognized
from arena.services.errors import FailedError, RefusedError
from arena.services.one_bot import environment_line
from arena.words import Said, quoted
from arena.words.system_errors import system_reason

EXAMPLE: Final = "python mybot.py"


class JoinRefusedError(RefusedError):
    """The venue gives no account; says why."""


class NoArenaError(FailedError):
    """There is no arena at the address, or it is not trusted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAccount:
    """The account of a new bot. Only here is its token known."""

    address: str
    name: str
    token: str
    page: str
    """The address of the bot's page; empty if the venue has none."""

    def __repr__(self) -> str:
        """Show everything but the token."""
        return f"NewAccount({self.address}, {self.name})"

    @property
    def start_line(self) -> str:
        """The command that starts a bot in Python."""
        environment = environment_line(self.address, self.name, shlex.quote(self.token))
        line = f"{environment} {EXAMPLE}"
        authority = os.environ.get("ARENA_CA")
        if authority and self.address.startswith("tls:"):
            return f"ARENA_CA={shlex.quote(authority)} {line}"
        return line


def join_venue(address: str, name: str, invite: str | None, display: str) -> NewAccount:
    """Join the venue at an address as a new bot.

    Raises `JoinRefusedError` and `NoArenaError`.
    """
    from protocol.client import JoinError, join

    try:
        joined = join(address, name, invite, display)
    except JoinError as error:
        values = {"code": error.code, "reason": recognized(error.message)}
        raise JoinRefusedError(Said("join.refused", values)) from error
    except ValueError as error:
        raise JoinRefusedError(quoted(str(error))) from error
    except OSError as error:
        values = {"address": address, "reason": system_reason(error)}
        raise NoArenaError(Said("join.no_arena", values)) from error
    return NewAccount(
        address=address,
        name=joined.name,
        token=joined.token,
        page=joined.page,
    )
