"""The bots of a run: each has an account, by which it logs in, and a player, who sits at the tables."""

from __future__ import annotations

from arena.server.door.logins import Logins
from arena.server.play.player import Player
from arena.server.setup.account import Account
from protocol.greetings import Login
from protocol.messages import Error


class Roster:
    """Roster of the bots that may log in now, and their players."""

    def __init__(self, logins: Logins) -> None:
        self._logins = logins
        self._players: dict[Account, Player] = {}

    def expect(self, player: Player) -> None:
        """Let this bot log in from now on."""
        self._players[player.account] = player
        self._logins.expect(player.account)

    def forget(self, player: Player) -> None:
        """Refuse its token from now on."""
        del self._players[player.account]
        self._logins.forget(player.account)

    def absent_programs(self) -> list[Player]:
        """Return the launched bots that are not connected."""
        return [player for player in self._players.values() if player.account.is_launched and not player.is_connected]

    def find(self, login: Login) -> Player | Error:
        """Return the player that logs in, or why it may not."""
        found = self._logins.find(login)
        return found if isinstance(found, Error) else self._players[found]
