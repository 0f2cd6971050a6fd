"""The operator's files: tokens of remote bots, the certificate and its key."""

from __future__ import annotations

import ssl
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from arena.server.io.tls import server_context
from arena.server.setup.tournament_file import Plan

TOKEN_CHARACTERS: Final = 256
"""The longest token a login can hold."""
SHORTEST_TOKEN: Final = 12
"""Characters that are too many to guess at a few thousand guesses a second: wrong logins bar nobody."""


def read_token(path: Path) -> str:
    """The token in a file, without white space around it. Raises `OSError`, and `ValueError` if it is not a token."""
    token = path.read_text().strip()
    if not token:
        raise ValueError("the file is empty")
    if len(token) < SHORTEST_TOKEN:
        raise ValueError(
            f"it holds {len(token)} characters, which can be guessed; a token has {SHORTEST_TOKEN} or more that nobody "
            "could think of, such as those of: openssl rand -hex 32"
        )
    if len(token) > TOKEN_CHARACTERS:
        raise ValueError(f"it holds {len(token)} characters; a token has at most {TOKEN_CHARACTERS}")
    return token


def given_tokens(plan: Plan, directory: Path) -> list[str]:
    """The tokens given by the operator, as far as they can be read; no log may show them."""
    tokens = []
    for section in plan.bot:
        if section.token_file is not None:
            with suppress(OSError, ValueError):  # reported where it is used
                tokens.append(read_token(directory / section.token_file))
    return tokens


def tls_of(plan: Plan, directory: Path) -> ssl.SSLContext | None:
    """The TLS context, if the plan asks for TLS. Raises `OSError` and `ValueError`."""
    listen = plan.listen
    if listen.certificate is None or listen.key is None:
        return None
    return server_context(directory / listen.certificate, directory / listen.key)


def credential_problems(plan: Plan, directory: Path) -> list[str]:
    """The operator's files that cannot be used, found before anything begins."""
    problems = []
    for section in plan.bot:
        if section.token_file is not None:
            try:
                read_token(directory / section.token_file)
            except (OSError, ValueError) as error:
                problems.append(f"bot {section.name}: token_file {section.token_file!r} cannot be used: {error}")
    try:
        tls_of(plan, directory)
    except (OSError, ValueError) as error:
        problems.append(f"[listen] certificate: {error}")
    return problems


def open_secrets(plan: Plan, directory: Path) -> list[str]:
    """Secret files that others on this machine can read, with the names the operator gave."""
    given = [section.token_file for section in plan.bot if section.token_file is not None]
    given += [plan.listen.key] if plan.listen.key is not None else []
    return [name for name in given if stat.S_IMODE((directory / name).stat().st_mode) & 0o077]
