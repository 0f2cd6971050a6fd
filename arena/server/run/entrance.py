"""The way in: where bots connect, who may log in, and the remote bots."""

import socket
import ssl
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Final

from arena.server.door.connection_limits import (
    ConnectionLimits,
    Place,
    Visit,
    allow_files,
    needed_files,
    spare_connections,
)
from arena.server.door.listener import accept_links
from arena.server.door.logins import Attendance, Logins
from arena.server.io import secret_values
from arena.server.io.door_reasons import CROWDED
from arena.server.io.event_loop import EventLoop
from arena.server.io.link import Link
from arena.server.io.listening import Address, UnixAddress, address_of, open_listener
from arena.server.io.operator_log import Log
from arena.server.io.tls import TlsLink
from arena.server.play.player import Player
from arena.server.play.session import Session
from arena.server.setup.account import Account
from arena.server.setup.credentials import open_secrets, read_token, tls_of
from arena.server.setup.run_folder import SECRETS_FILE, RunFolder, Secrets
from arena.server.setup.seat_order import SeatToServe
from arena.server.setup.tournament_file import AHEAD, Plan
from protocol.errors import ErrorCode
from protocol.greetings import Login
from protocol.messages import Error

"""Why a connection is dropped."""
SEAT_GRACE_MS: Final = 120_000
"""For the pages of persons to come back in mid-game: longer than their three starts take on a busy machine."""


class Entrance:
    """The open addresses of a run.

    A private one is for launched bots and the seats of persons, another for bots from elsewhere if there are any.
    """

    def __init__(self, loop: EventLoop, plan: Plan, folder: RunFolder, directory: Path, log: Log) -> None:
        self._loop = loop
        self._plan = plan
        self._folder = folder
        self._directory = directory
        self._log = log
        self._numbers = count(1)
        self._listeners: list[socket.socket] = []
        self._sessions: dict[Session, None] = {}
        self._count_again: dict[Player, Callable[[], object]] = {}
        """Has the connection counted again on which a bot has logged in last, as long as that is open."""
        self._server = server_name()
        self._spare = 0
        """Connections without a login beyond the expected ones that each listener may keep."""
        self.logins = Logins(plan.limits.second_login)
        self.address = ""
        """The private address: where launched bots connect, and the seats of persons."""
        self.remote: dict[str, Player] = {}
        """The remote bots, by name."""
        self.attendance = Attendance((), log)

    def open(self, private: Path, secrets: Secrets, builds: Mapping[str, str]) -> None:
        """Listen at a private socket, and elsewhere for bots that connect from there.

        Remote bots in `builds` must have this fingerprint.

        Raises `ListenError`, and `TokenError` or `CertificateError` if a file of the operator can no longer be used.
        """
        allowed, needed = allow_files(self._plan), needed_files(self._plan)
        if allowed < needed:
            self._log.warning("limit_open_files", needed=needed, allowed=allowed)
        self._spare = spare_connections(self._plan, allowed)
        self._expect_remote(secrets, builds)
        elsewhere = self._plan.from_elsewhere
        address: Address | None = None
        if elsewhere:  # first: if it fails, the other must not have clients yet
            address = self._open_to_others(len(elsewhere))
        if files := open_secrets(self._plan, self._directory):
            self._log.warning("secret_files_readable", files=files)
        persons = [bot.entrant for bot in self._plan.bot if bot.person]
        expected = 2 * (self._plan.at_once + AHEAD) + len(self._plan.bot)
        self.address = str(self._listen(UnixAddress(path=private), bots=expected, is_private=True))
        if secrets.tokens:  # only now: a bot that waits for this file may connect at once
            self._folder.write_secrets(secrets)
        if address is not None:
            self._log.info(
                "waiting_for_bots",
                address=str(address),
                names=[section.entrant for section in elsewhere],
                tokens_made=[section.entrant for section in elsewhere if section.token_file is None],
                tokens_file=str(self._folder.path / SECRETS_FILE),
            )
        if persons:
            self._log.info("waiting_for_persons", address=self.address, names=persons)

    def _expect_remote(self, secrets: Secrets, builds: Mapping[str, str]) -> None:
        """Let the remote bots log in; tokens that nobody gave are made and added to the secrets."""
        accounts = []
        limits = self._plan.limits
        by_pages = {bot.entrant for bot in self._plan.by_pages}
        for section in self._plan.bot:
            if not section.remote:
                continue
            if section.token_file is not None:
                token = read_token(self._directory / section.token_file)
            else:
                token = secrets.tokens.setdefault(section.entrant, secret_values.new_token())
            is_by_pages = section.entrant in by_pages
            grace_ms = max(SEAT_GRACE_MS, limits.grace_ms) if is_by_pages else limits.grace_ms
            account = Account(section.entrant, token, grace_ms=grace_ms, is_by_pages=is_by_pages)
            account.build = builds.get(section.entrant)
            accounts.append(account)
        self.attendance = Attendance(accounts, self._log)
        for account in accounts:
            self.remote[account.name] = player = Player(account, self._loop, seen=self.attendance.seen)
            self.logins.expect(player)

    def _open_to_others(self, bots: int) -> Address:
        """Listen for bots from elsewhere, where the tournament file says."""
        listen = self._plan.listen
        if listen.insecure and listen.key is None:
            self._log.warning("tokens_unencrypted", address=listen.address)
        tls = tls_of(self._plan, self._directory)
        return self._listen(listen.where, bots=bots, tls=tls, is_insecure=listen.insecure)

    def _listen(
        self,
        address: Address,
        *,
        bots: int,
        tls: ssl.SSLContext | None = None,
        is_insecure: bool = False,
        is_private: bool = False,
    ) -> Address:
        """Listen for so many expected bots; the private address is for launched bots and the seats of persons."""
        listener = open_listener(address, is_insecure=is_insecure)
        self._listeners.append(listener)
        connection_limits = ConnectionLimits(bots + self._spare)
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
        self, connection_limits: ConnectionLimits, link: Link, place: Place, log: Log, *, is_private: bool
    ) -> None:
        has_tried = False
        owner: Player | None = None

        def find_player(login: Login) -> Player | Error:
            nonlocal has_tried, owner
            has_tried = True
            found = self.logins.find(login, is_private=is_private)
            if isinstance(found, Error):
                if not is_private or login.name in self.remote:  # launched programs may say anything there
                    self.attendance.refused(login, found, log)
                return found
            connection_limits.leave(visit)
            if found in self._count_again:  # that one was replaced, or the bot has left it and not hung up yet
                self._count_again[found]()
            self._count_again[found] = count_again
            owner = found
            return found

        def drop() -> None:
            log.warning("connection_refused", reason=CROWDED)
            session.stop(ErrorCode.TOO_MANY_CONNECTIONS.to_message(f"{CROWDED}; log in at once, or try again"))

        name, idle_ms = f"s{next(self._numbers)}", self._plan.limits.idle_ms
        session = Session(self._loop, link, name, self._server, find_player, idle_ms=idle_ms)
        session.make_up = partial(self.failed_before_login, is_private=is_private)
        self._sessions[session] = None
        visit = Visit(place=place, drop=drop)
        count_again = partial(connection_limits.enter, visit)

        def left() -> None:
            connection_limits.leave(visit)
            self._sessions.pop(session, None)
            if owner is not None and self._count_again.get(owner) is count_again:  # not if a later one has left, too
                del self._count_again[owner]
            if isinstance(session.last_word, Error) and not has_tried and not session.has_failed:
                log.warning("connection_refused", reason=session.last_word.message)

        if isinstance(link, TlsLink):
            link.on_refusal = lambda reason: log.warning("connection_refused", reason=reason)
        link.on_close = left
        link.serve(session)
        connection_limits.enter(visit)

    def failed_before_login(self, *, is_private: bool) -> None:
        """Make up for a connection that was lost through the arena itself before anybody had logged in on it.

        It may have been that of any launched program: no bot may forfeit for it. Others connect again.
        """
        if is_private:
            for player in self.logins.absent_programs():
                player.fail()
            self._loop.end_batch()

    def seats(self) -> tuple[SeatToServe, ...]:
        """Return the seats of those who play by hand at pages of the arena."""
        seats = []
        for bot in self._plan.by_pages:
            is_taken = self.attendance.has_come(bot.entrant)
            token = self.remote[bot.entrant].account.token
            seats.append(SeatToServe(entrant=bot.entrant, token=token, is_taken=is_taken))
        return tuple(seats)

    async def await_remote(self) -> None:
        """Give remote bots time to log in, unless their matches wait for them."""
        if self._plan.tournament.absent == "forfeit":
            await self.attendance.gather(self._plan.limits.join_ms)

    def shut(self) -> None:
        """Take no further connection."""
        for listener in self._listeners:
            listener.close()

    def stop(self, why: str) -> None:
        """Tell every connection that is left why the arena stops, and close it."""
        word = ErrorCode.SHUTTING_DOWN.to_message(why)
        for session in list(self._sessions):
            session.stop(word)


def server_name() -> str:
    """Return the name of the arena in `hello`."""
    return f"arena {version('brade-arena')}"
