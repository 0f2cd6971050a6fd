"""Who may log in: the bots the arena expects, found by name and token."""

from __future__ import annotations

from arena.server import chance
from arena.server.bot import Bot
from protocol.errors import ErrorCode
from protocol.messages import Error, Login


class Lobby:
    """The bots that may log in now."""

    def __init__(self) -> None:
        self._expected: list[Bot] = []

    def expect(self, bot: Bot) -> None:
        """Let this bot log in from now on."""
        self._expected.append(bot)

    def forget(self, bot: Bot) -> None:
        """Its token is worth nothing from now on."""
        self._expected.remove(bot)

    def find(self, login: Login) -> Bot | Error:
        """The bot that logs in, or why it may not.

        Every expected token is compared, whatever the name, so that the time taken tells nothing.
        """
        found = [bot for bot in self._expected if chance.is_token(login.token, bot.token) & (login.name == bot.name)]
        if not found:
            return ErrorCode.BAD_LOGIN.to_message("no bot of this name is expected with this token; check both")
        bot = found[0]
        if bot.session is not None and not (login.resume and chance.is_token(login.resume, bot.resume_key)):
            return ErrorCode.ALREADY_CONNECTED.to_message(
                "this bot has a connection already; close it, or give its resume_key to take its place",
            )
        if bot.login is not None and login.fingerprint != bot.fingerprint:
            message = "the fingerprint is not the one this bot first logged in with; a bot may not change in mid-run"
            return ErrorCode.BAD_LOGIN.to_message(message)
        if bot.session is not None:  # with the key of the connection that is there: its owner says it is lost
            bot.session.replace()
        return bot
