"""Logins: the bots the arena expects, found by name and token."""

from __future__ import annotations

from arena.records.signatures import key_problem
from arena.server.io import secret_values
from arena.server.setup.account import Account
from arena.server.setup.tournament_file import SecondLogin
from protocol.errors import ErrorCode
from protocol.greetings import Login
from protocol.messages import Error


class Logins:
    """The accounts whose bots may log in now."""

    def __init__(self, second_login: SecondLogin = "refuse") -> None:
        self._expected: list[Account] = []
        self._second_login = second_login

    def expect(self, account: Account) -> None:
        """Let its bot log in from now on."""
        self._expected.append(account)

    def forget(self, account: Account) -> None:
        """Refuse its token from now on."""
        self._expected.remove(account)

    def find(self, login: Login) -> Account | Error:
        """The account that is logged in to, or why it may not be.

        Every expected token is compared, whatever the name, so that the time taken tells nothing. Wrong logins bar
        nobody: tokens are too long to be guessed, and a neighbour of a bot could keep it out by them.
        """
        found = [
            bot for bot in self._expected if secret_values.is_token(login.token, bot.token) & (login.name == bot.name)
        ]
        if not found:
            return ErrorCode.BAD_LOGIN.to_message("no bot of this name is expected with this token; check both")
        account = found[0]
        if login.public_key is not None and (problem := key_problem(login.public_key)):
            message = f"the public_key is {problem}: others can sign for it too; make a key with: arena key new"
            return ErrorCode.BAD_LOGIN.to_message(message)
        if account.connection is not None and not (_has_key(login, account) or self._may_take_over(account)):
            return ErrorCode.ALREADY_CONNECTED.to_message(
                "this bot has a connection already; close it, or give its resume_key to take its place",
            )
        if account.build is not None and login.fingerprint != account.build:
            message = "the fingerprint is not the one this bot first logged in with; a bot may not change in mid-run"
            return ErrorCode.BAD_LOGIN.to_message(message)
        if account.connection is not None:
            account.connection.replace()
        return account

    def _may_take_over(self, account: Account) -> bool:
        """A launched bot may not: anything else that its program starts is not a second bot."""
        return self._second_login == "take_over" and not account.is_launched


def _has_key(login: Login, account: Account) -> bool:
    """Return whether this login has the key that the bot was given at its last one."""
    return (
        bool(login.resume)
        and bool(account.resume_key)
        and secret_values.is_token(login.resume or "", account.resume_key)
    )
