"""The options that every adapter has, and how an adapter ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import click

from arena.cli.shared.output import CHECK_FAILED, WRONG_USE, fail

_Command = TypeVar("_Command", bound=Callable[..., Any])


def seat_options(command: _Command) -> _Command:
    """Add `--address`, `--name` and `--token`, which the environment can give as well."""
    for option in (
        click.option("--token", envvar="ARENA_TOKEN", help="Secret that goes with the name; better as ARENA_TOKEN."),
        click.option("--name", envvar="ARENA_NAME", help="Entrant to play as; or ARENA_NAME."),
        click.option("--address", envvar="ARENA_ADDRESS", help="unix:/path, tcp:host:port or tls:host:port."),
    ):
        command = option(command)
    return command


def leave_after(play: Callable[[str, str, str], int], **seat: str | None) -> NoReturn:
    """Play at the given seat, and exit with its exit code.

    0 after a goodbye; 1 after a fatal error or a lost connection, or if the program behind the adapter fails; 2 for
    wrong use.
    """
    from arena.adapters.child import AdapterError, leave_in_order
    from protocol.client import HOW_TO_START

    missing = [name for name, value in seat.items() if not value]
    if missing:
        fail(f"no {' and no '.join(missing)} is given; {HOW_TO_START}", code=WRONG_USE)
    leave_in_order()
    try:
        code = play(*(value for value in seat.values() if value))
    except AdapterError as error:
        fail(str(error), code=CHECK_FAILED)
    raise SystemExit(code)
