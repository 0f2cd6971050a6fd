"""Logins: the bots that the arena expects, found by name and token."""

from functools import partial

from arena.records.confirmations import key_problem
from arena.server.io import secret_values
from arena.server.io.door_reasons import (
    CONNECTED_ALREADY,
    OLD_VERSION_PLAYS,
    OTHER_BUILD,
    PLAYED_BY_HAND,
    UNKNOWN_LOGIN,
    english,
)
from arena.server.play.player import Player
from arena.server.setup.account import Account
from protocol.errors import ErrorCode
from protocol.greetings import Login
from protocol.messages import Error


class Logins:
    """The bots that may log in now: each has an account, and a player who sits at the tables.

    Bots are added and removed while the door is open.
    """

    def __init__(self) -> None:
        self._players: dict[bytes, Player] = {}
        """Players by the digests of their names and tokens."""
        self._digests: dict[Player, bytes] = {}

    def expect(self, player: Player) -> None:
        """Let this bot log in from now on with its token, which its account may replace."""
        self.forget(player)
        account = player.account
        digest = secret_values.login_digest(account.name, account.token_sha256)
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
        launched = [player for player in self._digests if player.account.is_launched]
        return [player for player in launched if not player.is_connected]

    def find(self, login: Login, *, is_private: bool = False) -> Player | Error:
        """Return the player that logs in, or why it may not.

        Seats of pages log in at the private address alone.

        A right name with a wrong token is looked up as any other wrong login, however many bots are
        expected, so the time reveals nothing. Wrong logins do not block an address: tokens are too
        long to guess, and another program at the bot's address could then lock the bot out.
        """
        token_sha256 = secret_values.sha256_of(login.token)
        player = self._players.get(secret_values.login_digest(login.name, token_sha256))
        if player is None:
            return ErrorCode.BAD_LOGIN.to_message(UNKNOWN_LOGIN)
        account = player.account
        if account.is_by_pages and not is_private:
            return ErrorCode.BAD_LOGIN.to_message(PLAYED_BY_HAND)
        if login.public_key is not None:
            problem = key_problem(login.public_key)
            if problem:
                words = english("door.bad_public_key", problem=problem)
                return ErrorCode.BAD_LOGIN.to_message(words)
        if account.connection is not None and not self._may_take_over(login, account):
            return ErrorCode.ALREADY_CONNECTED.to_message(CONNECTED_ALREADY)
        return _refused_build(account, login.fingerprint) or player

    def _may_take_over(self, login: Login, account: Account) -> bool:
        """Return whether this login has the key of the last one, or takes over without it.

        A launched bot needs the key: its program may start only one bot.
        """
        if login.resume and account.resume_key:
            has_key = secret_values.is_token(login.resume, account.resume_key)
            if has_key:
                return True
        return account.takes_over and not account.is_launched


def _refused_build(account: Account, fingerprint: str) -> Error | None:
    """Say why a bot may not log in with its fingerprint now; None if it may."""
    if account.pinned_build not in (None, fingerprint):
        return ErrorCode.OLD_VERSION_PLAYS.to_message(OLD_VERSION_PLAYS)
    if account.changes_build or account.build in (None, fingerprint):
        return None
    return ErrorCode.BAD_LOGIN.to_message(OTHER_BUILD)
