"""Plays a bot: connect, log in, answer until the arena says goodbye, and reconnect if need be."""

import os
import socket
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from protocol.client.bot import BotBase, wishes
from protocol.client.receipts import KeyFileError
from protocol.client.session import ClientSession, End, tell
from protocol.errors import ErrorCode

if TYPE_CHECKING:
    import argparse
    import ssl

HOW_TO_START: Final = (
    "start the bot through the arena (arena run --bot NAME=COMMAND ...), "
    "which sets ARENA_ADDRESS, ARENA_NAME and ARENA_TOKEN, or give --address, --name and --token"
)
SessionOf: TypeAlias = Callable[[BotBase, socket.socket, float | None], ClientSession]
"""Creates the session of a connection; the last argument is the `login_s` of `ClientSession`."""

_FIRST_PAUSE_S: Final = 0.05
_LONGEST_PAUSE_S: Final = 2.0
_ATTEMPT_S: Final = 5.0
"""How long one attempt to reconnect may wait for each word of the arena until its welcome."""
_WRONG_NAME: Final = (62, 64)
"""OpenSSL's numbers for a certificate that is for another name, or for another IP address."""
_OUT_OF_DATE: Final = (9, 10)
"""Those for a certificate that is not valid yet, or not any more."""
_KEEPALIVE: Final = (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3))
"""Idle seconds, seconds between probes, and probes, if the system has them: a dead connection fails
after a minute."""


def connect(address: str, timeout_s: float | None = None) -> socket.socket:
    """Open a blocking stream to `unix:/path`, `tcp:host:port` or `tls:host:port`.

    The certificate of a `tls` arena must be trusted by the system, or by the PEM file that the
    environment variable `ARENA_CA` names. `timeout_s` is for connecting only.

    Raises:
        ValueError: the address has another form, or this system (Windows) has no Unix sockets.
        OSError: there is no answer, a certificate is not trusted, or `ARENA_CA` cannot be read.
    """
    scheme, _, place = address.partition(":")
    if scheme == "unix" and place:
        return _connect_unix(place)
    host, _, port = place.rpartition(":")
    if scheme not in {"tcp", "tls"} or not host or not port.isdecimal():
        raise ValueError("the address must be unix:/path, tcp:host:port or tls:host:port")
    host = host.strip("[]")
    context = None
    if scheme == "tls":
        context = _trust()  # before connecting: its error is about a file of the bot
    stream = socket.create_connection((host, int(port)), timeout_s)
    # Without this the system may hold back a small answer for 40 ms, at the expense of the bot's
    # clock.
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, setting in _KEEPALIVE:
        if hasattr(socket, option):
            stream.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), setting)
    if context is not None:
        # Closed if the handshake fails; otherwise the secured stream has taken it over.
        with stream:
            stream = _secured(context, stream, host)
    stream.settimeout(None)
    return stream


def hint_of_tls(address: str) -> str:
    """Return what to try if an arena that was connected to has not said a word."""
    if address.startswith("tcp:"):
        return "; if the arena speaks TLS, give tls:HOST:PORT"
    return ""


def _connect_unix(path: str) -> socket.socket:
    if not hasattr(socket, "AF_UNIX"):
        raise ValueError(
            "this system has no Unix sockets; connect by tcp:host:port or tls:host:port"
        )
    stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        stream.connect(path)
    except OSError:
        stream.close()
        raise
    return stream


def _secured(context: "ssl.SSLContext", stream: socket.socket, host: str) -> socket.socket:
    """Speak TLS over a stream.

    Raises `OSError`, which says what to do if the certificate is not trusted.
    """
    import ssl

    try:
        return context.wrap_socket(stream, server_hostname=host)
    except ssl.SSLCertVerificationError as error:
        reason = error.verify_message.rstrip(".")
        raise OSError(
            f"its certificate is not trusted: {reason}; {_how_to_trust(error.verify_code)}"
        ) from error


def _how_to_trust(verify_code: int) -> str:
    """Return what to do about a certificate that OpenSSL does not take for this reason."""
    if verify_code in _WRONG_NAME:
        return (
            "give the address with a name that is on the certificate, "
            "such as tls:arena.example:4711"
        )
    if verify_code in _OUT_OF_DATE:
        return "ask the operator for a new one, and see whether this machine's clock is right"
    authorities = os.environ.get("ARENA_CA")
    if authorities:
        return f"ARENA_CA={authorities} holds others; ask the operator for the one of this arena"
    return "if the operator has made it, ask for the file and set ARENA_CA=arena.pem"


def _trust() -> "ssl.SSLContext":
    # here and in `main`: what few bots need is imported when it is needed, since most start often
    import ssl

    authorities = os.environ.get("ARENA_CA")
    try:
        return ssl.create_default_context(cafile=authorities or None)
    except OSError as error:
        raise OSError(
            f"ARENA_CA={authorities} is not a file of certificates in PEM form: {error}"
        ) from error


def kit_options() -> "argparse.ArgumentParser":
    """Return a parser of what `main` takes, as one of the `parents` of a bot's own parser."""
    import argparse

    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--address", help="unix:/path, tcp:host:port or tls:host:port")
    parser.add_argument("--name", help="entrant to play as")
    parser.add_argument("--token", help="secret that goes with the name")
    return parser


def main(bot: BotBase) -> None:
    """Play with the address, name and token of the command line or environment, then exit.

    All other arguments are the bot's, and stay in `sys.argv`. A bot may read them before, with any
    parser; one that refuses unknown options has `kit_options()` among its `parents`.

    Exit code 0: the arena said goodbye, or hung up after the login; 1: a fatal error or a lost
    connection, with one line on stderr; 2: wrong use. Exceptions of `play` are not caught.
    """
    address = os.environ.get("ARENA_ADDRESS")
    name = os.environ.get("ARENA_NAME") or bot.name
    token = os.environ.get("ARENA_TOKEN")
    if sys.argv[1:] or not (address and name and token):
        import argparse

        parser = argparse.ArgumentParser(
            description=f"The bot {bot.name or type(bot).__name__}.",
            parents=[kit_options()],
            allow_abbrev=False,
        )
        parser.set_defaults(address=address, name=name, token=token)
        options, sys.argv[1:] = parser.parse_known_args()
        needed = ("address", "name", "token")
        missing = [option for option in needed if not getattr(options, option)]
        if missing:
            names = " and no ".join(missing)
            parser.error(f"no {names} is given{_misspelt(missing)}; {HOW_TO_START}")
        address, name, token = options.address, options.name, options.token
    sys.exit(run(bot, address, name, token))


def _misspelt(missing: list[str]) -> str:
    """Say which of the bot's own arguments look like a missing option, without their values."""
    import difflib

    names = [word.partition("=")[0] for word in sys.argv[1:] if word.startswith("-")]
    hints = ""
    for option in missing:
        for name in difflib.get_close_matches(f"--{option}", names, n=1):
            hints += f" ({name} is not --{option})"
    return hints


def run(
    bot: BotBase,
    address: str,
    name: str,
    token: str,
    session_of: SessionOf = ClientSession,
) -> int:
    """Play at an address until the arena says goodbye.

    Returns the exit code: 0, or 1 with a line on stderr.

    A connection that is lost after the login is made again for as long as the arena's grace allows.
    Each connection is a new session, made by `session_of(bot, stream, login_s)`.
    """
    return _leave(play_at(bot, address, name, token, session_of))


def play_at(
    bot: BotBase,
    address: str,
    name: str,
    token: str,
    session_of: SessionOf = ClientSession,
) -> End:
    """Play as `run` does; returns how it ended."""
    try:
        wishes(bot)
    except (TypeError, ValueError) as error:
        return End(1, str(error))
    try:
        stream = connect(address)
    except (OSError, ValueError) as error:
        return End(1, f"cannot connect to {address}: {error}")
    try:
        with stream:
            session = session_of(bot, stream, None)
            end = session.play(name, token)
        if end.is_mute:
            end = end._replace(reason=end.reason + hint_of_tls(address))
        while end.may_return and session.welcome is not None and session.welcome.limits.grace_ms:
            session, end = _come_back(bot, address, name, token, session, end, session_of)
    except KeyFileError as error:
        return End(1, str(error))
    return end


def _come_back(
    bot: BotBase,
    address: str,
    name: str,
    token: str,
    lost: ClientSession,
    end: End,
    session_of: SessionOf,
) -> tuple[ClientSession, End]:
    """Try to replace a lost connection; returns the next session that was welcome, and its end.

    If the grace is over before, returns the lost session, with an end that does not return.
    """
    assert lost.welcome is not None, "only a welcome session is resumed"
    grace_s = lost.welcome.limits.grace_ms / 1000
    reason = end.reason or "the arena hung up"
    tell(f"the connection was lost ({reason}); trying to come back for {grace_s:g} seconds")
    give_up = time.monotonic() + grace_s
    pause_s = _FIRST_PAUSE_S
    while time.monotonic() + pause_s < give_up:
        # Half of the pause or more, so that not all bots come at once.
        time.sleep(pause_s * (1 + os.urandom(1)[0] / 255) / 2)
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        try:
            stream = connect(address, _ATTEMPT_S)
        except OSError as error:
            end = End(1, f"cannot connect to {address}: {error}")
            continue
        with stream:
            session = session_of(bot, stream, _ATTEMPT_S)
            session.seen = lost.seen
            session.distrusted = lost.distrusted
            end = session.play(name, token, lost.welcome.resume_key)
        # The arena has not noticed the loss: time helps.
        is_still_there = end.error == ErrorCode.ALREADY_CONNECTED
        if session.welcome is not None or not (end.may_return or is_still_there):
            return session, end
    reason = f"the connection was lost and could not be made again in time; {end.reason}"
    return lost, End(1, reason)


def play_over(stream: socket.socket, bot: BotBase, name: str, token: str) -> int:
    """Play over a connected stream; returns the exit code like `run`. It cannot reconnect."""
    return _leave(ClientSession(bot, stream).play(name, token))


def _leave(end: End) -> int:
    """Report what went wrong on stderr, and return the exit code."""
    if end.reason:
        tell(end.reason)
    return end.code


class Bot(BotBase):
    """A bot: derive from this class, give it a name and implement `play`."""

    def main(self) -> None:
        """Play as the command line or the environment says, then exit: a script's last line."""
        main(self)
