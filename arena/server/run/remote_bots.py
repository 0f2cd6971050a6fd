"""The bots of a run that connect from elsewhere: they are borrowed from the venue, and given back at its end."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import trio

from arena.server.io import secret_values
from arena.server.io.operator_log import Log
from arena.server.play.player import Player
from arena.server.setup.account import Account
from arena.server.setup.bot_section import BotSection
from arena.server.setup.credentials import open_secrets, read_token
from arena.server.setup.run_folder import SECRETS_FILE, Secrets
from arena.server.venue.entrance import STOPPED, Entrance
from arena.server.venue.venue import OpenRun
from arena.words import Said
from protocol.errors import ErrorCode
from protocol.messages import Bye, Error

SEAT_GRACE_MS: Final = 120_000
"""For the pages of persons to come back in mid-game: longer than their three starts take on a busy
machine."""


class RemoteBots:
    """The remote bots of one run, which come, go and come back."""

    def __init__(self, names: Collection[str], log: Log) -> None:
        self._number = len(names)
        self._log = log
        self._absent = dict.fromkeys(names)
        """Those that have not come yet."""
        self._all_came = trio.Event()
        self.players: dict[str, Player] = {}
        """By entrant."""
        self.on_change: Callable[[str], object] = lambda _: None
        """Told the name of one that has come or gone, or plays more or fewer matches."""

    def borrow(self, entrance: Entrance, account: Account) -> None:
        """Take one from the venue. Raises `AccountError`."""
        player = entrance.borrow(account)
        self.players[account.name] = player
        player.seen_by.append(self.seen)
        player.on_places.append(self._tell_places)

    def give_back(self, entrance: Entrance, word: Bye | Error) -> None:
        """The run needs them no longer; those that no other run needs are told so."""
        for player in self.players.values():
            player.seen_by.remove(self.seen)
            player.on_places.remove(self._tell_places)
            entrance.give_back(player, word)
        self.players = {}

    def _tell_places(self, name: str) -> None:
        self.on_change(name)

    def has_come(self, name: str) -> bool:
        """Return whether a bot has logged in, now or before."""
        return name not in self._absent

    def seen(self, account: Account, lost: Said | None) -> None:
        """A bot has logged in, or lost its connection for this reason."""
        name = account.name
        if lost is not None:
            self._log.warning("bot_lost", name=name, reason=lost)
        elif self.has_come(name):
            self._log.info("bot_returned", name=name)
        else:
            del self._absent[name]
            here = self._number - len(self._absent)
            self._log.info("bot_logged_in", name=name, number=here, of=self._number)
            if not self._absent:
                self._all_came.set()
        self.on_change(name)

    async def gather(self, join_ms: int) -> None:
        """Wait until all have come, or this time is over; a bot that does not come forfeits match by match."""
        if not self._absent:
            return
        with trio.move_on_after(join_ms / 1000):
            await self._all_came.wait()
        for name in self._absent:
            self._log.warning("bot_absent", name=name, waited_ms=join_ms)


@contextmanager
def borrowed_bots(
    entrance: Entrance,
    run: OpenRun,
    secrets: Secrets,
    builds: Mapping[str, str],
) -> Iterator[RemoteBots]:
    """Let the remote bots of a run log in, and tell the operator where.

    Tokens that nobody gave are made and added to the secrets. Bots in `builds` must have this
    fingerprint. Raises `ListenError`, `AccountError`, and `OSError` or an error of credentials if a
    file can no longer be used.
    """
    plan, folder, directory, log = run.plan, run.folder, run.directory, run.log
    accounts = [_account(run, bot, secrets, builds, entrance) for bot in plan.bot if bot.remote]
    bots = RemoteBots([account.name for account in accounts], log)
    try:
        for account in accounts:
            bots.borrow(entrance, account)
        address = None
        if plan.from_elsewhere:
            address = entrance.open_to_others(plan.listen, directory)
        if files := open_secrets(plan, directory):
            log.warning("secret_files_readable", files=files)
        if secrets.tokens:  # only now: a bot that waits for this file may connect at once
            folder.write_secrets(secrets)
        if address is not None:
            log.info(
                "waiting_for_bots",
                address=str(address),
                names=[bot.entrant for bot in plan.from_elsewhere],
                tokens_made=[bot.entrant for bot in plan.from_elsewhere if bot.token_file is None],
                tokens_file=str(folder.path / SECRETS_FILE),
            )
        if persons := [bot.entrant for bot in plan.bot if bot.person]:
            log.info("waiting_for_persons", address=entrance.address, names=persons)
        for player in bots.players.values():
            if player.is_connected:  # for another run
                bots.seen(player.account, None)
        yield bots
    finally:
        bots.give_back(entrance, ErrorCode.SHUTTING_DOWN.to_message(STOPPED))


def _account(
    run: OpenRun,
    bot: BotSection,
    secrets: Secrets,
    builds: Mapping[str, str],
    entrance: Entrance,
) -> Account:
    limits = run.plan.limits
    if bot.token_file is not None:
        token = read_token(run.directory / bot.token_file)
    else:
        known = entrance.remote.get(bot.entrant)
        token = secret_values.new_token() if known is None else known.account.token
        token = secrets.tokens.setdefault(bot.entrant, token)
    is_by_pages = bot in run.plan.by_pages
    return Account(
        bot.entrant,
        token,
        grace_ms=max(SEAT_GRACE_MS, limits.grace_ms) if is_by_pages else limits.grace_ms,
        idle_ms=limits.idle_ms,
        takes_over=limits.second_login == "take_over",
        is_by_pages=is_by_pages,
        build=builds.get(bot.entrant),
    )
