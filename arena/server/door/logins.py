"""Who may log in: the bots the arena expects, found by name and token."""

from __future__ import annotations

from arena.server.io import secret_values
from arena.server.play.bot import Bot
from arena.server.setup.tournament_file import SecondLogin
from protocol.errors import ErrorCode
from protocol.messages import Error, Login


class Logins:
    """The bots that may log in now."""

    def __init__(self, second_login: SecondLogin = "refuse") -> None:
        self._expected: list[Bot] = []
        self._second_login = second_login

    def expect(self, bot: Bot) -> None:
        """Let this bot log in from now on."""
        self._expected.append(bot)

    def forget(self, bot: Bot) -> None:
        """Its token is worth nothing from now on."""
        self._expected.remove(bot)

    def find(self, login: Login, *, is_barred: bool = False) -> Bot | Error:
        """The bot that logs in, or why it may not.

        Every expected token is compared, whatever the name, so that the time taken tells nothing. From a place that
        is barred only a bot comes in that has been here: its resume_key cannot be guessed.
        """
        found = [
            bot for bot in self._expected if secret_values.is_token(login.token, bot.token) & (login.name == bot.name)
        ]
        has_key = bool(found) and _has_key(login, found[0])
        if is_barred and not has_key:
            message = (
                "too many wrong logins came from where you are; try again in a minute, with the right name and token"
            )
            return ErrorCode.LOCKED_OUT.to_message(message)
        if not found:
            return ErrorCode.BAD_LOGIN.to_message("no bot of this name is expected with this token; check both")
        bot = found[0]
        if bot.session is not None and not (has_key or self._may_take_over(bot)):
            return ErrorCode.ALREADY_CONNECTED.to_message(
                "this bot has a connection already; close it, or give its resume_key to take its place",
            )
        if bot.build is not None and login.fingerprint != bot.build:
            message = "the fingerprint is not the one this bot first logged in with; a bot may not change in mid-run"
            return ErrorCode.BAD_LOGIN.to_message(message)
        if bot.session is not None:
            bot.session.replace()
        return bot

    def _may_take_over(self, bot: Bot) -> bool:
        """A launched bot may not: whatever else its program starts is no second bot."""
        return self._second_login == "take_over" and bot.on_call is None


def _has_key(login: Login, bot: Bot) -> bool:
    """Whether it was this bot's program that logged in last."""
    return bool(login.resume) and bool(bot.resume_key) and secret_values.is_token(login.resume or "", bot.resume_key)
