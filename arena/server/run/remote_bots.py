"""The remote bots of a run: borrowed from the venue, and given back at the end of the run."""

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
        self._log = log
        self._entrants = set(names)
        self._absent = dict.fromkeys(names)
        """The bots that have not come yet."""
        self._all_came = trio.Event()
        self.players: dict[str, Player] = {}
        """By entrant."""
        self._entrant_of = {name: name for name in names}
        """The entrants by the names of their accounts; in a cup they are versions."""
        self.on_change: Callable[[str], object] = lambda _: None
        """Called with the name of a bot when it comes, goes, or plays more or fewer matches."""

    def borrow(self, entrance: Entrance, entrant: str, account: Account) -> None:
        """Borrow a bot from the venue. Raises `AccountError`."""
        player = entrance.borrow(account)
        self.players[entrant] = player
        self._entrants.add(entrant)
        self._entrant_of[account.name] = entrant
        if not player.is_connected:
            self._absent[entrant] = None
        player.seen_by.append(self.seen)
        player.on_matches.append(self._tell_matches)

    def give_back(self, entrance: Entrance, word: Bye | Error) -> None:
        """Give all back at the end of the run; `word` goes to those that no other run needs."""
        for player in self.players.values():
            player.seen_by.remove(self.seen)
            player.on_matches.remove(self._tell_matches)
            entrance.give_back(player, word)
        self.players = {}

    def _tell_matches(self, account: str) -> None:
        self.on_change(self._entrant_of[account])

    def has_come(self, name: str) -> bool:
        """Return whether a bot has logged in, now or before."""
        return name not in self._absent

    def seen(self, account: Account, lost: Said | None) -> None:
        """Note that a bot has logged in, or that it has lost its connection for this reason."""
        name = self._entrant_of[account.name]
        if lost is not None:
            self._log.warning("bot_lost", name=name, reason=lost)
        elif self.has_come(name):
            self._log.info("bot_returned", name=name)
        else:
            del self._absent[name]
            of = len(self._entrants)
            number = of - len(self._absent)
            self._log.info("bot_logged_in", name=name, number=number, of=of)
            if not self._absent:
                self._all_came.set()
        self.on_change(name)

    def see_connected(self) -> None:
        """Note the bots that are connected already, for another run."""
        for player in self.players.values():
            if player.is_connected:
                self.seen(player.account, None)

    async def gather(self, join_ms: int) -> None:
        """Wait until all have come, or this time is over.

        A bot that does not come forfeits match by match.
        """
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
    accounts: Mapping[str, Account],
) -> Iterator[RemoteBots]:
    """Let the remote bots of a run log in, and tell the operator where.

    Entrants in `accounts` have these in the venue, and log in at its door. For the others missing
    tokens are made and added to the secrets. Bots in `builds` must have this fingerprint. Raises
    `ListenError`, `AccountError`, and `OSError` or an error of credentials if a file can no longer
    be used.
    """
    remote: dict[str, Account] = {}
    for bot in run.plan.bot:
        if bot.remote:
            account = accounts.get(bot.entrant)
            remote[bot.entrant] = account or _account(run, bot, secrets, builds, entrance)
    bots = RemoteBots(remote, run.log)
    try:
        for entrant, account in remote.items():
            bots.borrow(entrance, entrant, account)
        _let_in(entrance, run, secrets, accounts)
        persons = [bot.entrant for bot in run.plan.bot if bot.person]
        if persons:
            run.log.info("waiting_for_persons", address=entrance.address, names=persons)
        bots.see_connected()
        yield bots
    finally:
        bots.give_back(entrance, ErrorCode.SHUTTING_DOWN.to_message(STOPPED))


def _let_in(
    entrance: Entrance,
    run: OpenRun,
    secrets: Secrets,
    accounts: Mapping[str, Account],
) -> None:
    """Listen for bots from elsewhere without an account, and log where they can connect."""
    plan = run.plan
    awaited = [bot for bot in plan.from_elsewhere if bot.entrant not in accounts]
    address = None
    if awaited:
        address = entrance.open_to_others(plan.listen, run.directory)
    readable_files = open_secrets(plan, run.directory)
    if readable_files:
        run.log.warning("secret_files_readable", files=readable_files)
    if secrets.tokens:  # only now: a bot that waits for this file may connect at once
        run.folder.write_secrets(secrets)
    if address is not None:
        run.log.info(
            "waiting_for_bots",
            address=str(address),
            names=[bot.entrant for bot in awaited],
            tokens_made=[bot.entrant for bot in awaited if bot.token_file is None],
            tokens_file=str(run.folder.path / SECRETS_FILE),
        )


def _account(
    run: OpenRun,
    bot: BotSection,
    secrets: Secrets,
    builds: Mapping[str, str],
    entrance: Entrance,
) -> Account:
    """Return the account of a bot from elsewhere, or of a seat on pages."""
    limits = run.plan.limits
    is_by_pages = bot in run.plan.by_pages
    grace_ms = limits.grace_ms
    if is_by_pages:
        grace_ms = max(SEAT_GRACE_MS, grace_ms)
    return Account(
        bot.entrant,
        _token(run, bot, secrets, entrance),
        grace_ms=grace_ms,
        idle_ms=limits.idle_ms,
        takes_over=limits.second_login == "take_over",
        is_by_pages=is_by_pages,
        build=builds.get(bot.entrant),
    )


def _token(run: OpenRun, bot: BotSection, secrets: Secrets, entrance: Entrance) -> str:
    """Return the token from the bot's file, from the secrets, from another run, or a new one."""
    if bot.token_file is not None:
        return read_token(run.directory / bot.token_file)
    player = entrance.remote.get(bot.entrant)
    if player is not None:
        return secrets.tokens.setdefault(bot.entrant, player.account.token)
    return secrets.tokens.setdefault(bot.entrant, secret_values.new_token())
