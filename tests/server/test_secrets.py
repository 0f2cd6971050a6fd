"""No secret appears in a record, in messages to the opponent, or in a log."""

import re
from contextlib import suppress
from itertools import cycle
from pathlib import Path

import pytest
import trio
from msgspec.structs import replace

from arena.matches.facts import TurnPlayed
from arena.matches.state import pair_of
from arena.server.io import secret_values
from arena.server.setup.credentials import places_of_run
from arena.server.setup.run_folder import RunFolder
from protocol.messages import GameEnd, GameStart, MatchEnd, Turn
from tests.fixtures.playing_room import (
    SEED,
    TERMS,
    Guest,
    HungUpError,
    Room,
    finish,
    token_of,
    until,
)


async def test_a_record_holds_neither_token_nor_key_nor_seed_before_its_time(room: Room) -> None:
    anna, bo, table = await room.meet(wants=("legal",))
    secrets = [player.account.resume_key for player in room.players.values()] + [
        token_of("anna"),
        token_of("bo"),
    ]
    await finish(room, table, anna, bo)
    record = (room.folder / "r1-anna-v-bo.jsonl").read_bytes()
    for secret in secrets:
        assert secret
        assert secret.encode() not in record
        for guest in (anna, bo):
            assert secret not in repr(guest.all_heard)
    assert SEED.hex().encode() not in record
    for guest in (anna, bo):
        before_the_end = [
            message for message in guest.all_heard if not isinstance(message, MatchEnd)
        ]
        assert repr(SEED) not in repr(before_the_end)


async def test_a_refused_login_is_told_without_what_was_given(room: Room) -> None:
    room.expect("anna")
    message = (await room.refuses("annabel", "hunter2")).message
    assert [
        secret for secret in ("hunter2", "annabel", token_of("anna")) if secret in message
    ] == []


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


# Pairs: no bot gains anything from the other half


PAIRS = replace(TERMS, form="pairs", games=4)
SHORT = replace(PAIRS, turn_limit=12)


def halves(guest: Guest) -> dict[int, int]:
    """Handle of each game to its number in the match."""
    return {start.game: start.number for start in guest.heard(GameStart)}


async def chooses(guest: Guest, choices: list[int], *, after_seconds: float = 0) -> None:
    """Play legal turns by their places in the list, over and over, to the end of the match."""
    for choice in cycle(choices):
        try:
            turn = await guest.first_turn()
        except HungUpError:
            return
        await trio.sleep(after_seconds)
        assert turn.legal is not None
        await guest.answer(turn, choice=choice % len(turn.legal))


async def test_a_bot_that_copies_the_other_half_finds_nothing_to_copy_in_time(room: Room) -> None:
    """What is asked of one bot is asked of the other in the other half; it never hears the answer before its own."""
    anna, bo, table = await room.meet(terms=replace(SHORT, turn_limit=60), wants=("legal",))
    asked: list[Turn] = []
    in_time: list[Turn] = []

    async def copy() -> None:
        with suppress(HungUpError):
            while turn := await anna.first_turn():
                asked.append(turn)
                in_time.extend(one for one in anna.all_heard if is_answer_to(one, turn))
                await anna.answer(turn, choice=0)

    def is_answer_to(message: object, turn: Turn) -> bool:
        """Whether this tells what the opponent played in the other half of this pair with the same turn to play."""
        if not isinstance(message, Turn) or message.last is None or message.turn - 1 != turn.turn:
            return False
        numbers = halves(anna)
        return message.game != turn.game and pair_of(numbers[message.game]) == pair_of(
            numbers[turn.game]
        )

    room.nursery.start_soon(copy)
    room.nursery.start_soon(lambda: chooses(bo, [0], after_seconds=0.001))
    await table.over()
    await until(lambda: len(anna.heard(GameEnd)) == 4)
    assert len(asked) > 50
    assert in_time == []
    late = [turn for turn in asked if any(is_answer_to(one, turn) for one in anna.all_heard)]
    assert (
        len(late) >= len(asked) - 4
    )  # afterwards it hears of all of them, but for the last steps of each pair
    assert table.match.standing.score[0] == table.match.standing.score[1]


async def test_a_bot_that_remembers_dice_never_meets_them_again(room: Room) -> None:
    """When the dice of a step are told to a bot, it has heard of none of that step or a later one, in either half."""
    anna, bo, table = await room.meet(terms=replace(SHORT, turn_limit=60), wants=("legal",))
    for guest, choices in ((anna, [0, 4, 2]), (bo, [1, 0, 7])):
        room.nursery.start_soon(chooses, guest, choices)
    await table.over()
    for guest in (anna, bo):
        latest: dict[int, int] = {}
        for turn in guest.heard(Turn):
            pair = pair_of(halves(guest)[turn.game])
            assert latest.get(pair, 0) < turn.turn
            latest[pair] = turn.turn
        assert len(latest) == 2
    dealt = {(fact.game, fact.turn): tuple(fact.dice) for fact in room.recorded_as(TurnPlayed)}
    assert all(
        dealt.get((1, turn), dice) == dice for (game, turn), dice in dealt.items() if game == 2
    )
    both = [turn for game, turn in dealt if game == 1 and (3, turn) in dealt]
    assert len(both) > 20
    assert [dealt[1, turn] for turn in both] != [dealt[3, turn] for turn in both]


def test_the_keys_of_a_run_and_of_those_beside_it_are_hidden(tmp_path: Path) -> None:
    """Also when a run goes on without `--key`, and whatever a folder that is no run says."""
    keys = [tmp_path / name for name in ("mine.pem", "theirs.pem")]
    for key in keys:
        key.write_text("secret")
    for name, key in zip(("mine", "theirs"), keys, strict=True):
        folder = RunFolder(tmp_path / "runs" / name)
        folder.open("plan")
        folder.remember(tmp_path, key)
        folder.remember(tmp_path)
        folder.close()
        assert (folder.directory, folder.key) == (tmp_path, key)
    strange = tmp_path / "runs" / "strange"
    strange.mkdir()
    (strange / "lock").write_bytes(b"/\0/usr")
    (tmp_path / "runs" / "stranger" / "lock").mkdir(parents=True)
    mine = tmp_path / "runs" / "mine"
    assert set(places_of_run(mine, None)) == {mine, *keys}
