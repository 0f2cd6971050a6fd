"""Encrypted links: TLS over a socket that the poller reads like any other."""

import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Final

from arena.regular_files import failed, read_regular
from arena.server.io.door_reasons import HUNG_UP, NO_TLS, english
from arena.server.io.link import READ_BYTES, Link, Spawn
from arena.server.io.poller import Poller
from arena.words import Said, SaidError

PLAIN: Final = frozenset(
    {"HTTP_REQUEST", "HTTPS_PROXY_REQUEST", "WRONG_VERSION_NUMBER", "UNKNOWN_PROTOCOL"}
)
"""Reasons that OpenSSL gives for a client that does not speak TLS."""


class TlsLink(Link):
    """A TCP socket with TLS, the arena as the server; the handshake is part of the first reads.

    OpenSSL works on the socket itself, without waiting. trio's SSLStream would need a task per link
    and send every turn through the scheduler, and the arena would not know how long an answer had
    lain unread.
    """

    def __init__(
        self,
        sock: socket.socket,
        spawn: Spawn,
        poller: Poller,
        context: ssl.SSLContext,
    ) -> None:
        sock.setblocking(False)
        self._secured = context.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
        self._has_shaken_hands = False
        self.on_refusal: Callable[[str], object] = lambda _: None
        """Called once with the reason if the handshake fails."""
        super().__init__(self._secured, spawn, poller)

    @property
    def is_open(self) -> bool:
        """True once the handshake is over."""
        return self._has_shaken_hands

    def _receive(self) -> bytes:
        """Return what has come, decrypted. Raises `BlockingIOError` if there is nothing yet."""
        try:
            if not self._has_shaken_hands:
                self._shake_hands()
            received = self._secured.recv(READ_BYTES)
            # Bytes that are decrypted already are pending: the system would not report them again.
            while self._secured.pending():
                received += self._secured.recv(READ_BYTES)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError) as error:
            raise BlockingIOError from error
        except OSError:
            self._forget_error()
            raise
        return received

    def _shake_hands(self) -> None:
        """Go on with the handshake. Raises `OSError`."""
        try:
            self._secured.do_handshake()
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise
        except OSError as error:
            self.on_refusal(_why_no_handshake(error))
            raise
        self._has_shaken_hands = True
        self.flush()  # the arena's hello has waited for it

    def _send_now(self) -> bool:
        if not self._has_shaken_hands:
            return True
        return super()._send_now()

    def _send(self) -> int:
        """Send as much as the system takes. Raises `BlockingIOError` if it takes nothing."""
        try:
            return super()._send()
        except ssl.SSLWantWriteError as error:
            raise BlockingIOError from error
        except OSError:
            self._forget_error()
            raise

    def _end_stream(self) -> None:
        self._notify_end()
        self._has_shaken_hands = True  # or never will: from now on the socket carries plain bytes
        super()._end_stream()

    def _let_go(self) -> None:
        self._notify_end()
        super()._let_go()

    def _notify_end(self) -> None:
        """Send close_notify, which says that nothing was cut off.

        Do not wait for the answer of the bot.
        """
        if not self._has_shaken_hands:
            return
        try:
            self._secured.unwrap()
        except (OSError, ValueError):
            # There is no answer yet, the bot has gone, or close_notify was sent before.
            self._forget_error()

    def _forget_error(self) -> None:
        """Clear OpenSSL's queue of errors, which all connections of this thread share.

        From Python 3.13 on a broken pipe stays there, and breaks the next read of any other bot
        that has to wait for the rest of a record. A new SSLObject clears the queue, and takes 4 us.
        """
        incoming = ssl.MemoryBIO()
        outgoing = ssl.MemoryBIO()
        self._secured.context.wrap_bio(incoming, outgoing, server_side=True)


def _why_no_handshake(error: OSError) -> str:
    """Return why a TLS handshake failed, in English."""
    if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError | ConnectionError):
        return HUNG_UP
    reason = error.strerror
    if isinstance(error, ssl.SSLError):
        reason = error.reason
    if reason in PLAIN:
        return NO_TLS
    text = str(reason or error).lower()
    words = text.replace("_", " ")
    return english("door.handshake_failed", reason=words)


class CertificateError(SaidError):
    """A certificate and its key cannot be used; says why and what to do."""


def server_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """Return the TLS context of the arena, from PEM files.

    `certificate` holds the certificate with its chain, `key` its key. Raises `CertificateError`.
    """
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.options |= ssl.OP_NO_RENEGOTIATION  # else a write might have to wait for a read
    try:
        for path in (certificate, key):
            read_regular(path)  # its error names the file; OpenSSL would wait for a pipe
        context.load_cert_chain(certificate, key, password=_no_password)
    except ssl.SSLError as error:
        details = {"certificate": str(certificate), "key": str(key)}
        if error.reason == "KEY_VALUES_MISMATCH":
            raise CertificateError(Said("tls.mismatch", details)) from error
        details["error"] = str(error)
        raise CertificateError(Said("tls.not_a_pair", details)) from error
    except OSError as error:
        raise CertificateError(failed(error)) from error
    return context


def _no_password() -> str:
    raise CertificateError(Said("tls.encrypted"))
