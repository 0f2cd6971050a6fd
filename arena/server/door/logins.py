"""Logins: the bots that the arena expects, found by name and token."""

from functools import partial

from arena.records.confirmations import key_problem
from arena.server.io import secret_values
from arena.server.io.door_reasons import (
    CONNECTED_ALREADY,
    OTHER_BUILD,
    PLAYED_BY_HAND,
    UNEXPECTED,
    english,
)
from arena.server.play.player import Player
from arena.server.setup.account import Account
from protocol.errors import ErrorCode
from protocol.greetings import Login
from protocol.messages import Error


class Logins:
    """The bots that may log in now: each has an account, and a player who sits at the tables.

    They come and go while the door is open.
    """

    def __init__(self) -> None:
        self._players: dict[bytes, Player] = {}
        """By the digests of their names and tokens."""
        self._digests: dict[Player, bytes] = {}

    def expect(self, player: Player) -> None:
        """Let this bot log in from now on, by the token that it has now; by another one once it has that."""
        self.forget(player)
        account = player.account
        digest = secret_values.login_digest(account.name, account.token)
        self._digests[player] = digest
        self._players[digest] = player
        account.on_new_token = partial(self.expect, player)

    def forget(self, player: Player) -> None:
        """Refuse its token from now on."""
        digest = self._digests.pop(player, None)
        if digest is not None:
            del self._players[digest]
            player.account.on_new_token = lambda: None

    def absent_programs(self) -> list[Player]:
        """Return the launched bots that are not connected."""
        return [
            player
            for player in self._digests
            if player.account.is_launched and not player.is_connected
        ]

    def find(self, login: Login, *, is_private: bool = False) -> Player | Error:
        """Return the player that logs in, or why it may not.

        Seats of pages log in at the private address alone.

        A right name with a wrong token is looked up as any other wrong login, however many are
        expected, so the time taken tells nothing. Wrong logins bar nobody: tokens are too long to
        be guessed, and a neighbour of a bot could keep it out by them.
        """
        player = self._players.get(secret_values.login_digest(login.name, login.token))
        if player is None:
            return ErrorCode.BAD_LOGIN.to_message(UNEXPECTED)
        account = player.account
        if account.is_by_pages and not is_private:
            return ErrorCode.BAD_LOGIN.to_message(PLAYED_BY_HAND)
        if login.public_key is not None and (problem := key_problem(login.public_key)):
            return ErrorCode.BAD_LOGIN.to_message(english("door.bad_public_key", problem=problem))
        if account.connection is not None and not self._may_take_over(login, account):
            return ErrorCode.ALREADY_CONNECTED.to_message(CONNECTED_ALREADY)
        if account.build is not None and login.fingerprint != account.build:
            return ErrorCode.BAD_LOGIN.to_message(OTHER_BUILD)
        return player

    def _may_take_over(self, login: Login, account: Account) -> bool:
        """Return whether this login has the key of the last one, or takes over without it.

        A launched bot may not: anything else that its program starts is not a second bot.
        """
        if (
            login.resume
            and account.resume_key
            and secret_values.is_token(login.resume, account.resume_key)
        ):
            return True
        return account.takes_over and not account.is_launched
