"""The entrance: the addresses where bots connect, and the remote bots, which all runs share."""

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from itertools import count, islice
from pathlib import Path
from typing import Final

from arena.server.door.connection_limits import (
    OF_THE_ARENA,
    ConnectionLimits,
    Place,
    Room,
    Visit,
    allow_files,
    spare_connections,
)
from arena.server.door.listener import accept_links
from arena.server.door.logins import Logins
from arena.server.io.door_reasons import CROWDED, WRONG_TOKEN
from arena.server.io.event_loop import EventLoop
from arena.server.io.link import Link
from arena.server.io.listening import Address, UnixAddress, address_of, open_listener
from arena.server.io.operator_log import Log
from arena.server.io.secret_values import is_token
from arena.server.io.tls import TlsLink
from arena.server.play.player import Player
from arena.server.play.session import Session
from arena.server.setup.account import Account
from arena.server.setup.credentials import tls_of
from arena.server.setup.listen_section import ListenSection
from arena.words import Said, SaidError
from protocol.errors import ErrorCode
from protocol.greetings import Login
from protocol.messages import Bye, Error

STOPPED: Final = "the run was stopped; ask its operator whether it goes on"
"""The message to bots if a run ends before its time."""
MOST_NAMED: Final = 20
"""Names of expected bots that are logged with the login of an unknown one."""


class AccountError(SaidError):
    """A run asks for a bot on other terms than another run; says what to do."""


class Entrance:
    """The open addresses of a venue.

    A private one is for launched bots and the seats of persons, others for bots from elsewhere if
    there are any.
    """

    def __init__(self, loop: EventLoop, private: Path, log: Log) -> None:
        """Prepare the private address, where bots connect after `open`."""
        self._loop = loop
        self._private = private
        self._log = log
        self._numbers = count(1)
        self._listeners: list[socket.socket] = []
        self._rooms: list[Room] = []
        """The needs of the open runs."""
        self._private_limits = ConnectionLimits(0)
        self._public_limits = ConnectionLimits(0)
        self._addresses: dict[tuple[ListenSection, Path], Address] = {}
        """The addresses where bots from elsewhere connect."""
        self._sessions: dict[Session, None] = {}
        self._count_again: dict[Player, Callable[[], object]] = {}
        """Functions that count the last connection of a bot again, while it is open."""
        self._server = server_name()
        self.logins = Logins()
        self.address = ""
        """The private address, where launched bots and the seats of persons connect."""
        self.remote: dict[str, Player] = {}
        """The bots from elsewhere, by name."""
        self._borrowers: dict[str, int] = {}
        """Number of runs in which each of them plays."""

    def open(self) -> None:
        """Listen at the private address, unless it is open. Raises `ListenError`."""
        if not self.address:
            address = self._listen(UnixAddress(path=self._private), self._private_limits)
            self.address = str(address)

    @contextmanager
    def expecting(self, room: Room) -> Iterator[None]:
        """Make room for the bots of a run."""
        self._rooms.append(room)
        needed, allowed = self._set_limits()
        if allowed < needed:
            self._log.warning("limit_open_files", needed=needed, allowed=allowed)
        try:
            yield
        finally:
            self._rooms.remove(room)
            self._set_limits()

    def _set_limits(self) -> tuple[int, int]:
        """Limit the connections at all addresses; return the files needed, and those allowed."""
        needed = OF_THE_ARENA + sum(room.files for room in self._rooms)
        allowed = allow_files(needed)
        spare = spare_connections(needed, allowed)
        self._private_limits.allow(spare + sum(room.private for room in self._rooms))
        self._public_limits.allow(spare + sum(room.public for room in self._rooms))
        return needed, allowed

    def open_to_others(self, listen: ListenSection, directory: Path) -> Address:
        """Listen for bots from elsewhere at the address of a tournament file.

        Files in it are relative to `directory`. Raises `ListenError` and `CertificateError`.
        """
        open_address = self._addresses.get((listen, directory))
        if open_address is not None:
            return open_address
        if listen.insecure and listen.key is None:
            self._log.warning("tokens_unencrypted", address=listen.address)
        tls = tls_of(listen, directory)
        address = self._listen(
            listen.where, self._public_limits, tls=tls, is_insecure=listen.insecure
        )
        self._addresses[listen, directory] = address
        return address

    def _listen(
        self,
        address: Address,
        connection_limits: ConnectionLimits,
        *,
        tls: ssl.SSLContext | None = None,
        is_insecure: bool = False,
    ) -> Address:
        """Listen for bots at an address."""
        listener = open_listener(address, is_insecure=is_insecure)
        self._listeners.append(listener)
        is_private = connection_limits is self._private_limits
        self._loop.spawn(
            accept_links,
            self._loop,
            listener,
            connection_limits,
            partial(self._serve, connection_limits, is_private=is_private),
            partial(self.failed_before_login, is_private=is_private),
            self._log,
            tls,
        )
        return address_of(listener, is_tls=tls is not None)

    def _serve(
        self,
        connection_limits: ConnectionLimits,
        link: Link,
        place: Place,
        log: Log,
        *,
        is_private: bool,
    ) -> None:
        has_tried = False
        owner: Player | None = None

        def find_player(login: Login) -> Player | Error:
            nonlocal has_tried, owner
            has_tried = True
            player = self.logins.find(login, is_private=is_private)
            if isinstance(player, Error):
                # At the private address launched programs may send any name.
                if not is_private or login.name in self.remote:
                    # It takes time, and is done after this batch.
                    self._loop.deadlines.at(0, partial(self._log_refused, login, player, log))
                return player
            connection_limits.leave(visit)
            self._count_last_again(player)
            self._count_again[player] = count_again
            owner = player
            return player

        def drop() -> None:
            log.warning("connection_refused", reason=CROWDED)
            advice = f"{CROWDED}; log in at once, or try again"
            session.stop(ErrorCode.TOO_MANY_CONNECTIONS.to_message(advice))

        session_id = f"s{next(self._numbers)}"
        session = Session(self._loop, link, session_id, self._server, find_player)
        session.make_up = partial(self.failed_before_login, is_private=is_private)
        self._sessions[session] = None
        visit = Visit(place=place, drop=drop)
        count_again = partial(connection_limits.enter, visit)

        def left() -> None:
            connection_limits.leave(visit)
            self._sessions.pop(session, None)
            # A later connection may have replaced this one, and may have left, too.
            if owner is not None and self._count_again.get(owner) is count_again:
                del self._count_again[owner]
            if not has_tried:
                self._log_last_word(session, log)

        if isinstance(link, TlsLink):
            link.on_refusal = lambda reason: log.warning("connection_refused", reason=reason)
        link.on_close = left
        link.serve(session)
        connection_limits.enter(visit)

    def _count_last_again(self, player: Player) -> None:
        """Count the earlier connection of a bot again: it was replaced, or is left but open."""
        count_again = self._count_again.get(player)
        if count_again is not None:
            count_again()

    def _log_last_word(self, session: Session, log: Log) -> None:
        """Log why a connection was refused that never tried to log in."""
        if isinstance(session.last_word, Error) and not session.has_failed:
            log.warning("connection_refused", reason=session.last_word.message)

    def _log_refused(self, login: Login, why: Error, log: Log, _now_ms: int) -> None:
        """Log a login that was refused; `log` knows its place.

        A name that belongs to no bot is not logged as one.
        """
        try:
            player = self.remote.get(login.name)
            if player is None:
                expected = list(islice(self.remote, MOST_NAMED))
                log.warning("login_unknown", claimed=login.name, expected=expected)
                return
            reason = why.message
            is_bad_login = why.code == ErrorCode.BAD_LOGIN
            if is_bad_login and not is_token(login.token, player.account.token):
                reason = WRONG_TOKEN
            log.warning("login_refused", name=login.name, reason=reason)
        except Exception as error:  # noqa: BLE001 - it is reported, and ends nothing
            self._loop.failed(error)

    def failed_before_login(self, *, is_private: bool) -> None:
        """Make up for a connection that the arena itself has lost before its login.

        It may be the connection of any launched program: no bot may forfeit for it. Other bots
        connect again.
        """
        if is_private:
            for player in self.logins.absent_programs():
                player.fail()
            self._loop.end_batch()

    # The bots from elsewhere

    def borrow(self, account: Account) -> Player:
        """Give a run the bot of an account, which has one connection for all its runs.

        If the bot is connected, it must have the fingerprint that the account asks for. Raises
        `AccountError`.
        """
        name = account.name
        player = self.remote.get(name)
        if player is None:
            player = Player(account, self._loop)
            self.remote[name] = player
            self.logins.expect(player)
        elif player.account.terms != account.terms:
            raise AccountError(Said("account.other_terms", {"name": name}))
        elif account.build is not None and player.account.build not in (None, account.build):
            raise AccountError(Said("account.other_build", {"name": name}))
        player.account.build = player.account.build or account.build
        self._borrowers[name] = self._borrowers.get(name, 0) + 1
        return player

    def give_back(self, player: Player, word: Bye | Error) -> None:
        """Take a bot back from a run; it is dismissed with this word if no other run needs it."""
        name = player.account.name
        self._borrowers[name] -= 1
        if not self._borrowers[name]:
            del self._borrowers[name], self.remote[name]
            self.logins.forget(player)
            player.account.dismiss(word)

    # The end

    def shut(self) -> None:
        """Accept no more connections."""
        for listener in self._listeners:
            listener.close()

    def stop(self, why: str) -> None:
        """Send the reason to all open connections, and close them."""
        word = ErrorCode.SHUTTING_DOWN.to_message(why)
        for session in list(self._sessions):
            session.stop(word)


def server_name() -> str:
    """Return the name of the arena in `hello`."""
    return f"arena {version('brade-arena')}"
