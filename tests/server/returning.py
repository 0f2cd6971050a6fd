"""Bots that come back to their match."""

from __future__ import annotations

from protocol.messages import GameStart, MatchStart, Turn
from tests.server.room import TERMS, Guest, Room

PATIENT = type(TERMS)(games=3, delay_ms=100, bank_ms=60_000, rejections=2, turn_limit=1000, startup_ms=5000)


async def come_back(room: Room, name: str, **more: object) -> tuple[Guest, MatchStart, GameStart, Turn]:
    """Log in again and hear all that is open, in order: the match, the game, the turn."""
    guest = room.connect()
    await guest.log_in(name, **more)
    match = await guest.hear(MatchStart)
    game = await guest.hear(GameStart)
    turn = await guest.hear(Turn)
    return guest, match, game, turn


def names(mover: Guest, anna: Guest) -> tuple[str, str]:
    return ("anna", "bo") if mover is anna else ("bo", "anna")
