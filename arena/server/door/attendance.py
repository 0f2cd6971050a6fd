"""Which of the bots that connect from elsewhere are here, and what the operator hears of it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import trio

from arena.server.io import secret_values
from arena.server.io.news import News
from arena.server.setup.account import Account
from protocol.errors import ErrorCode
from protocol.messages import Error, Login


class Attendance:
    """Sees bots come, go and come back."""

    def __init__(self, accounts: Iterable[Account], news: News) -> None:
        self._accounts = {account.name: account for account in accounts}
        self._news = news
        self._absent = dict.fromkeys(self._accounts)
        """Who has not come yet."""
        self._all_came = trio.Event()
        for account in self._accounts.values():
            account.on_login = partial(self._came, account.name)
            account.on_loss = partial(self._lost, account.name)

    def _came(self, name: str) -> None:
        if name not in self._absent:
            self._news.tell(name, f"{name} is back")
            return
        del self._absent[name]
        self._news.tell(name, f"{name} is here ({len(self._accounts) - len(self._absent)} of {len(self._accounts)})")
        if not self._absent:
            self._all_came.set()

    def _lost(self, name: str, reason: str) -> None:
        self._news.tell(name, f"{name} has lost its connection: {reason}")

    def refused(self, login: Login, why: Error) -> None:
        """A login was not let in. Whoever tries out names is told of under none of the bots' names."""
        account = self._accounts.get(login.name)
        if account is None:
            expected = ", ".join(self._accounts)
            self._news.tell("", f"a login as {login.name} was refused: bots are expected as {expected}")
        elif why.code == ErrorCode.BAD_LOGIN and not secret_values.is_token(login.token, account.token):
            self._news.tell(f"{account.name}, wrong", f"a login as {account.name} was refused: wrong token")
        else:
            self._news.tell(f"{account.name}, refused", f"a login as {account.name} was refused: {why.message}")

    async def gather(self, join_ms: int) -> None:
        """Wait until all have come, or this time is over; who does not come forfeits match by match."""
        if not self._absent:
            return
        with trio.move_on_after(join_ms / 1000):
            await self._all_came.wait()
        for name in self._absent:
            self._news.tell(name, f"{name} did not come within {join_ms / 1000:g} s; it forfeits until it does")
