"""Connections in a given state, for tests that do not care how they came there."""

from protocol.connection import ArenaConnection, BotConnection
from tests.protocol.samples import HELLO, LOGIN, WELCOME


def pair_awaiting_login() -> tuple[ArenaConnection, BotConnection]:
    arena, bot = ArenaConnection(), BotConnection()
    bot.receive(arena.send(HELLO))
    return arena, bot


def pair_awaiting_welcome() -> tuple[ArenaConnection, BotConnection]:
    arena, bot = pair_awaiting_login()
    arena.receive(bot.send(LOGIN))
    return arena, bot


def open_pair() -> tuple[ArenaConnection, BotConnection]:
    arena, bot = pair_awaiting_welcome()
    bot.receive(arena.send(WELCOME))
    return arena, bot
