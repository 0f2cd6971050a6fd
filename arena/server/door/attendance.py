"""Attendance of remote bots, and what the operator hears about it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import trio

from arena.server.io import secret_values
from arena.server.io.operator_log import Log
from arena.server.setup.account import Account
from arena.words import Said
from protocol.errors import ErrorCode
from protocol.greetings import Login
from protocol.messages import Error


class Attendance:
    """Sees bots come, go and come back."""

    def __init__(self, accounts: Iterable[Account], log: Log) -> None:
        self._accounts = {account.name: account for account in accounts}
        self._log = log
        self._absent = dict.fromkeys(self._accounts)
        """Those that have not come yet."""
        self._all_came = trio.Event()
        for account in self._accounts.values():
            account.on_login = partial(self._came, account.name)
            account.on_loss = partial(self._lost, account.name)

    def _came(self, name: str) -> None:
        if name not in self._absent:
            self._log.info("bot_returned", name=name)
            return
        del self._absent[name]
        here = len(self._accounts) - len(self._absent)
        self._log.info("bot_logged_in", name=name, number=here, of=len(self._accounts))
        if not self._absent:
            self._all_came.set()

    def _lost(self, name: str, reason: Said) -> None:
        self._log.warning("bot_lost", name=name, reason=reason)

    def refused(self, login: Login, why: Error, log: Log) -> None:
        """A login was refused; `log` says where it came from. A name that belongs to no bot is not logged as one."""
        account = self._accounts.get(login.name)
        if account is None:
            log.warning("login_unknown", claimed=login.name, expected=list(self._accounts))
        elif why.code == ErrorCode.BAD_LOGIN and not secret_values.is_token(login.token, account.token):
            log.warning("login_refused", name=account.name, reason="wrong token")
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
