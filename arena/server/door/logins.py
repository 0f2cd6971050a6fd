"""Logins: the bots that the arena expects, found by name and token, and which of the remote ones have come."""

from collections.abc import Callable, Iterable

import trio

from arena.records.confirmations import key_problem
from arena.server.io import secret_values
from arena.server.io.door_reasons import (
    CONNECTED_ALREADY,
    OTHER_BUILD,
    PLAYED_BY_HAND,
    UNEXPECTED,
    WRONG_TOKEN,
    bad_public_key,
)
from arena.server.io.operator_log import Log
from arena.server.play.player import Player
from arena.server.setup.account import Account
from arena.server.setup.tournament_file import SecondLogin
from arena.words import Said
from protocol.errors import ErrorCode
from protocol.greetings import Login
from protocol.messages import Error


class Logins:
    """The bots that may log in now: each has an account, and a player who sits at the tables."""

    def __init__(self, second_login: SecondLogin = "refuse") -> None:
        self._expected: dict[Player, None] = {}
        self._second_login = second_login

    def expect(self, player: Player) -> None:
        """Let this bot log in from now on."""
        self._expected[player] = None

    def forget(self, player: Player) -> None:
        """Refuse its token from now on."""
        del self._expected[player]

    def absent_programs(self) -> list[Player]:
        """Return the launched bots that are not connected."""
        return [player for player in self._expected if player.account.is_launched and not player.is_connected]

    def find(self, login: Login, *, is_private: bool = False) -> Player | Error:
        """Return the player that logs in, or why it may not. Seats of pages log in at the private address alone.

        Every expected token is compared, whatever the name, so that the time taken tells nothing. Wrong logins bar
        nobody: tokens are too long to be guessed, and a neighbour of a bot could keep it out by them.
        """
        found = [
            player
            for player in self._expected
            if secret_values.is_token(login.token, player.account.token) & (login.name == player.account.name)
        ]
        if not found:
            return ErrorCode.BAD_LOGIN.to_message(UNEXPECTED)
        account = found[0].account
        if account.is_by_pages and not is_private:
            return ErrorCode.BAD_LOGIN.to_message(PLAYED_BY_HAND)
        if login.public_key is not None and (problem := key_problem(login.public_key)):
            return ErrorCode.BAD_LOGIN.to_message(bad_public_key(problem))
        if account.connection is not None and not self._may_take_over(login, account):
            return ErrorCode.ALREADY_CONNECTED.to_message(CONNECTED_ALREADY)
        if account.build is not None and login.fingerprint != account.build:
            return ErrorCode.BAD_LOGIN.to_message(OTHER_BUILD)
        return found[0]

    def _may_take_over(self, login: Login, account: Account) -> bool:
        """Return whether this login has the key of the last one, or takes over without it.

        A launched bot may not: anything else that its program starts is not a second bot.
        """
        if login.resume and account.resume_key and secret_values.is_token(login.resume, account.resume_key):
            return True
        return self._second_login == "take_over" and not account.is_launched


class Attendance:
    """Sees bots come, go and come back."""

    def __init__(self, accounts: Iterable[Account], log: Log) -> None:
        self._accounts = {account.name: account for account in accounts}
        self._log = log
        self._absent = dict.fromkeys(self._accounts)
        """Those that have not come yet."""
        self._all_came = trio.Event()
        self.on_change: Callable[[str], object] = lambda _: None
        """Told the name whenever one has logged in, or lost its connection."""

    def has_come(self, name: str) -> bool:
        """Return whether a bot has logged in, now or before."""
        return name not in self._absent

    def seen(self, account: Account, lost: Said | None) -> None:
        """A bot has logged in, or lost its connection for this reason."""
        name = account.name
        if lost is not None:
            self._log.warning("bot_lost", name=name, reason=lost)
        elif name not in self._absent:
            self._log.info("bot_returned", name=name)
        else:
            del self._absent[name]
            here = len(self._accounts) - len(self._absent)
            self._log.info("bot_logged_in", name=name, number=here, of=len(self._accounts))
            if not self._absent:
                self._all_came.set()
        self.on_change(name)

    def refused(self, login: Login, why: Error, log: Log) -> None:
        """A login was refused; `log` says where it came from. A name that belongs to no bot is not logged as one."""
        account = self._accounts.get(login.name)
        if account is None:
            log.warning("login_unknown", claimed=login.name, expected=list(self._accounts))
        elif why.code == ErrorCode.BAD_LOGIN and not secret_values.is_token(login.token, account.token):
            log.warning("login_refused", name=account.name, reason=WRONG_TOKEN)
        else:
            log.warning("login_refused", name=account.name, reason=why.message)

    async def gather(self, join_ms: int) -> None:
        """Wait until all have come, or this time is over; a bot that does not come forfeits match by match."""
        if not self._absent:
            return
        with trio.move_on_after(join_ms / 1000):
            await self._all_came.wait()
        for name in self._absent:
            self._log.warning("bot_absent", name=name, waited_ms=join_ms)
