"""The entrance: the addresses where bots connect, and the remote bots, which all runs share."""

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from itertools import count, islice
from pathlib import Path
from typing import Final, Protocol

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
from arena.server.io.secret_values import is_token, sha256_of
from arena.server.io.tls import TlsLink
from arena.server.play.player import Player
from arena.server.play.session import Session, refuse_to_join
from arena.server.setup.account import Account
from arena.server.setup.credentials import tls_of
from arena.server.setup.listen_section import ListenSection
from arena.words import Said, SaidError
from protocol.errors import ErrorCode
from protocol.greetings import Join, Joined, Login
from protocol.messages import Bye, Error

STOPPED: Final = "the run was stopped; ask its operator whether it goes on"
"""The message to bots if a run ends before its time."""
MOST_NAMED: Final = 20
"""Names of expected bots that are logged with the login of an unknown one."""


class AccountError(SaidError):
    """A run asks for a bot on other terms than another run; says what to do."""


class Doorkeeper(Protocol):
    """Decides who may come in from elsewhere, beyond names and tokens."""

    def join(self, wish: Join, place: Place) -> Joined | Error:
        """Give an account to a new bot, or say why not."""

    def refusal(self, player: Player, login: Login) -> Error | None:
        """Say why a bot with the right token may not come in; None if it may."""

    def wrong_login(self, place: Place) -> Error | None:
        """Note a wrong login; return what to say of it if there are too many from this place."""


class Entrance:
    """The open addresses of a venue.

    A private one is for launched bots and the seats of persons, others for bots from elsewhere if
    there are any.
    """

    def __init__(self, loop: EventLoop, private: Path, log: Log) -> None:
        """Prepare the private address, where bots connect after `open`."""
        self.loop = loop
        self._private = private
        self._log = log
        self.numbers = count(1)
        """The numbers of the next sessions."""
        self._listeners: list[socket.socket] = []
        self._rooms: list[Room] = []
        """The needs of the open runs."""
        self._private_limits = ConnectionLimits(0)
        self._public_limits = ConnectionLimits(0)
        self._addresses: dict[tuple[ListenSection, Path], Address] = {}
        """The addresses where bots from elsewhere connect."""
        self._certificates: dict[tuple[ListenSection, Path], ssl.SSLContext] = {}
        """The certificates of those that speak TLS."""
        self.sessions: dict[Session, None] = {}
        self.last_arrivals: dict[Player, _Arrival] = {}
        """The last connection of each bot, while it is open."""
        self.server = server_name()
        self.logins = Logins()
        self.doorkeeper: Doorkeeper | None = None
        """That of a venue that stays open; an arena that plays one run has none."""
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
        door = (listen, directory)
        open_address = self._addresses.get(door)
        if open_address is not None:
            return open_address
        if listen.insecure and listen.key is None:
            self._log.warning("tokens_unencrypted", address=listen.address)
        certificate = tls_of(listen, directory)
        tls = None
        if certificate is not None:
            self._certificates[door] = certificate
            tls = partial(self._certificate, door)
        address = self._listen(
            listen.where, self._public_limits, tls=tls, is_insecure=listen.insecure
        )
        self._addresses[door] = address
        return address

    def _certificate(self, door: tuple[ListenSection, Path]) -> ssl.SSLContext:
        return self._certificates[door]

    def renew_certificates(self) -> None:
        """Read the certificates again, for new connections. Raises `CertificateError`."""
        renewed: dict[tuple[ListenSection, Path], ssl.SSLContext] = {}
        for listen, directory in self._certificates:
            certificate = tls_of(listen, directory)
            assert certificate is not None, "there was one"
            renewed[listen, directory] = certificate
        self._certificates = renewed

    def _listen(
        self,
        address: Address,
        connection_limits: ConnectionLimits,
        *,
        tls: Callable[[], ssl.SSLContext] | None = None,
        is_insecure: bool = False,
    ) -> Address:
        """Listen for bots at an address."""
        listener = open_listener(address, is_insecure=is_insecure)
        self._listeners.append(listener)
        is_private = connection_limits is self._private_limits
        self.loop.spawn(
            accept_links,
            self.loop,
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
        """Serve a new connection: count it as a visit until it has logged in or ended."""
        arrival = _Arrival(self, connection_limits, link, place, log, is_private=is_private)
        self.sessions[arrival.session] = None
        if isinstance(link, TlsLink):
            link.on_refusal = lambda reason: log.warning("connection_refused", reason=reason)
        link.on_close = arrival.on_close
        link.serve(arrival.session)
        arrival.count()

    def failed_before_login(self, *, is_private: bool) -> None:
        """Make up for a connection that the arena itself has lost before its login.

        It may be the connection of any launched program: no bot may forfeit for it. Other bots
        connect again.
        """
        if is_private:
            for player in self.logins.absent_programs():
                player.fail()
            self.loop.end_batch()

    # The bots from elsewhere

    @property
    def is_open_to_others(self) -> bool:
        """True while bots from elsewhere can connect."""
        return bool(self._addresses)

    @property
    def bots_connected(self) -> int:
        """Number of bots from elsewhere that are connected."""
        return sum(player in self.last_arrivals for player in self.remote.values())

    def borrow(self, account: Account) -> Player:
        """Give a run the bot of an account, which has one connection for all its runs.

        If the bot is connected, it must have the fingerprint that the account asks for. Raises
        `AccountError`.
        """
        name = account.name
        player = self.remote.get(name)
        if player is None:
            player = Player(account, self.loop)
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
        self._addresses.clear()
        for listener in self._listeners:
            listener.close()

    def stop(self, why: str) -> None:
        """Send the reason to all open connections, and close them."""
        word = ErrorCode.SHUTTING_DOWN.to_message(why)
        for session in list(self.sessions):
            session.stop(word)


class _Arrival:
    """A new connection, which counts as a visit until it has logged in or ended."""

    def __init__(
        self,
        entrance: Entrance,
        connection_limits: ConnectionLimits,
        link: Link,
        place: Place,
        log: Log,
        *,
        is_private: bool,
    ) -> None:
        self._entrance = entrance
        self._connection_limits = connection_limits
        self._place = place
        self._log = log
        self._is_private = is_private
        self._visit = Visit(place=place, drop=self.drop)
        self._owner: Player | None = None
        """The player who has logged in."""
        self._has_tried_login = False
        self.session = Session(
            entrance.loop,
            link,
            f"s{next(entrance.numbers)}",
            entrance.server,
            self.find_player,
        )
        self.session.answer_join = self.join
        self.session.make_up = partial(entrance.failed_before_login, is_private=is_private)

    def count(self) -> None:
        """Count it as a visit: it has no login, or a later one has replaced it."""
        self._connection_limits.enter(self._visit)

    def find_player(self, login: Login) -> Player | Error:
        """Return the player that logs in, or why it may not."""
        self._has_tried_login = True
        entrance = self._entrance
        player = self._looked_up(login)
        if isinstance(player, Error):
            # At the private address launched programs may send any name.
            if not self._is_private or login.name in entrance.remote:
                # It takes time, and is done after this batch.
                entrance.loop.deadlines.at(0, partial(self._log_refused, login, player))
            return player
        self._connection_limits.leave(self._visit)
        replaced = entrance.last_arrivals.get(player)
        if replaced is not None:  # or it has left, and is still open
            replaced.count()
        entrance.last_arrivals[player] = self
        self._owner = player
        return player

    def _looked_up(self, login: Login) -> Player | Error:
        """Return the player with this name and token, or why it may not log in."""
        entrance = self._entrance
        player = entrance.logins.find(login, is_private=self._is_private)
        doorkeeper = entrance.doorkeeper
        if doorkeeper is None or self._is_private:
            return player
        if isinstance(player, Player):
            return doorkeeper.refusal(player, login) or player
        if player.code == ErrorCode.BAD_LOGIN:
            return doorkeeper.wrong_login(self._place) or player
        return player

    def join(self, wish: Join) -> Joined | Error:
        """Return the account of a new bot, or why it gets none.

        A launched program may connect at the private address, and may have no other account.
        """
        self._has_tried_login = True
        doorkeeper = self._entrance.doorkeeper
        if doorkeeper is None or self._is_private:
            return refuse_to_join(wish)
        answer = doorkeeper.join(wish, self._place)
        if isinstance(answer, Error):
            self._log.warning("join_refused", claimed=wish.name, reason=answer.message)
        else:
            self._log.info("bot_joined", name=answer.name)
        return answer

    def drop(self) -> None:
        """Send the reason, and close the connection at once: there are too many."""
        self._log.warning("connection_refused", reason=CROWDED)
        advice = f"{CROWDED}; log in at once, or try again"
        self.session.stop(ErrorCode.TOO_MANY_CONNECTIONS.to_message(advice))

    def on_close(self) -> None:
        """Forget the connection, which has ended; log why, if it never tried to log in."""
        entrance = self._entrance
        self._connection_limits.leave(self._visit)
        entrance.sessions.pop(self.session, None)
        # A later connection may have replaced this one, and may have left, too.
        if self._owner is not None and entrance.last_arrivals.get(self._owner) is self:
            del entrance.last_arrivals[self._owner]
        if not self._has_tried_login:
            self._log_last_word()

    def _log_last_word(self) -> None:
        session = self.session
        if isinstance(session.last_word, Error) and not session.has_failed:
            self._log.warning("connection_refused", reason=session.last_word.message)

    def _log_refused(self, login: Login, why: Error, _now_ms: int) -> None:
        """Log a login that was refused.

        A name that belongs to no bot is not logged as one.
        """
        try:
            remote = self._entrance.remote
            player = remote.get(login.name)
            if player is None:
                expected = list(islice(remote, MOST_NAMED))
                self._log.warning("login_unknown", claimed=login.name, expected=expected)
                return
            reason = why.message
            is_bad_login = why.code == ErrorCode.BAD_LOGIN
            token_sha256 = sha256_of(login.token)
            if is_bad_login and not is_token(token_sha256, player.account.token_sha256):
                reason = WRONG_TOKEN
            self._log.warning("login_refused", name=login.name, reason=reason)
        except Exception as error:  # noqa: BLE001 - it is reported, and ends nothing
            self._entrance.loop.failed(error)


def server_name() -> str:
    """Return the name of the arena in `hello`."""
    return f"arena {version('brade-arena')}"
