"""No secret appears in a record, in messages to the opponent, or in a log."""

import re
from contextlib import suppress

import pytest

from arena.server.io import secret_values
from protocol.messages import MatchEnd
from tests.server.room import SEED, HungUpError, Room, finish, token_of


async def test_a_record_holds_neither_token_nor_key_nor_seed_before_its_time(room: Room) -> None:
    anna, bo, table = await room.meet(wants=("legal",))
    secrets = [player.account.resume_key for player in room.players.values()] + [token_of("anna"), token_of("bo")]
    await finish(room, table, anna, bo)
    record = (room.folder / "r1-anna-v-bo.jsonl").read_bytes()
    for secret in secrets:
        assert secret
        assert secret.encode() not in record
        for guest in (anna, bo):
            assert secret not in repr(guest.all_heard)
    assert SEED.hex().encode() not in record
    for guest in (anna, bo):
        before_the_end = [message for message in guest.all_heard if not isinstance(message, MatchEnd)]
        assert repr(SEED) not in repr(before_the_end)


async def test_a_refused_login_is_told_without_what_was_given(room: Room) -> None:
    room.expect("anna")
    message = (await room.refuses("annabel", "hunter2")).message
    assert [secret for secret in ("hunter2", "annabel", token_of("anna")) if secret in message] == []


def test_a_new_token_is_a_word_on_any_command_line() -> None:
    """With a hyphen in front, as base64 for addresses may have it, argparse takes it for an option of the bot."""
    tokens = {secret_values.new_token() for _ in range(500)}
    assert len(tokens) == 500
    assert all(re.fullmatch("[0-9a-f]{64}", token) for token in tokens)


@pytest.mark.parametrize("kind", [repr, str])
async def test_a_player_and_the_logins_do_not_show_tokens(room: Room, kind) -> None:
    player = room.expect("anna")
    player.account.token, player.account.resume_key = "hunter2", "hunter3"
    assert "hunter" not in kind(player) + kind(player.account) + kind(room.logins)


async def test_the_reason_of_a_lost_connection_quotes_nothing_it_sent(room: Room) -> None:
    anna, bo, _ = await room.meet()
    await anna.say_bytes(b"\x00\x00\x00\x20\xc1" + b"hunter2" * 4 + b"abc")
    with suppress(HungUpError):
        while True:
            await anna.hear_next()
    assert b"hunter" not in (room.folder / "r1-anna-v-bo.jsonl").read_bytes()
    assert "hunter" not in repr(anna.all_heard)
    assert bo.wire.fault is None
