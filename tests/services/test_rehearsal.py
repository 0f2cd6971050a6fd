"""One turn put to a bot again: what it hears, what counts as its answer, and how it is judged."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import trio
from msgspec.structs import replace

from arena.matches.facts import DiceCalled, DrawAgreed, FlagFell, TurnPlayed, TurnRejected
from arena.matches.state import GameState
from arena.server.io.listening import UnixAddress, open_listener
from arena.server.programs import program as guests
from arena.services.rehearsal import Rehearsal, TurnQuestion, rehearse
from arena.words import say
from protocol.codec import encode
from protocol.messages import Bye, Call, Called, Error, GameStart, Ping, Play, Pong, Rejected, Turn
from tests.fixtures.playing_room import BRANDUBH, ILLEGAL, VASA, Guest
from tests.fixtures.sitting import TERMS, Sitting

READY_MS = 5000
TOKEN = "of the bot"


def question(**changes: Any) -> TurnQuestion:
    sitting = Sitting(terms=TERMS)
    sitting.ready()
    return TurnQuestion(setting=sitting.match.setting, game=replace(sitting.game, **changes))


def question_without_dice(**changes: Any) -> TurnQuestion:
    game = GameState(
        number=1, starter=1, mover=1, position=BRANDUBH.start(), turn=1, left_ms=(0, 0), dice=()
    )
    return TurnQuestion(
        setting=Sitting(terms=TERMS, rules=BRANDUBH).match.setting, game=replace(game, **changes)
    )


async def rehearsed_there(asked: TurnQuestion, folder: Path, ready_ms: int) -> Rehearsal:
    with trio.socket.from_stdlib_socket(
        open_listener(UnixAddress(path=folder / "sock"))
    ) as listener:
        waited_for = guests.Guest(name=asked.name, token=TOKEN, listener=listener)
        return await rehearse(asked, lambda: nullcontext(waited_for), ready_ms)


async def rehearsed(
    asked: TurnQuestion, folder: Path, bot: Callable[[Guest], Awaitable[None]], **login: Any
) -> Rehearsal:
    rehearsals = []
    async with trio.open_nursery() as nursery:

        async def connect() -> None:
            async with await trio.open_unix_socket(folder / "sock") as stream:
                guest = Guest(stream, lambda: 0, float)
                await guest.log_in(asked.name, TOKEN, **login)
                await guest.take_seat()
                await bot(guest)

        nursery.start_soon(connect)
        rehearsals.append(await rehearsed_there(asked, folder, READY_MS))
    return rehearsals[0]


@pytest.mark.parametrize("wants", [(), ("legal",)])
async def test_a_legal_answer_is_judged_as_in_the_match(
    tmp_path: Path, wants: tuple[str, ...]
) -> None:
    asked = question()

    async def bot(guest: Guest) -> None:
        await guest.wait_for(GameStart)
        turn = await guest.hear(Turn)
        assert (turn.turn, tuple(turn.dice)) == (1, asked.game.dice)
        assert turn.position == VASA.to_plain(asked.game.position)
        await guest.say(Ping(data=7))
        assert (await guest.hear(Pong)).data == 7
        await guest.answer(turn, **({"choice": 0} if wants else {}))
        await guest.hear(Bye)

    rehearsal = await rehearsed(asked, tmp_path, bot, wants=wants)
    assert isinstance(rehearsal.verdict, TurnPlayed)
    assert rehearsal.failure is None


async def test_an_illegal_answer_is_told_to_the_bot_as_well(tmp_path: Path) -> None:

    async def bot(guest: Guest) -> None:
        await guest.answer(await guest.first_turn(), moves=ILLEGAL)
        assert (await guest.hear(Rejected)).message
        await guest.hear(Bye)

    rehearsal = await rehearsed(question(), tmp_path, bot)
    assert isinstance(rehearsal.verdict, TurnRejected)
    assert rehearsal.verdict.clause


async def test_silence_is_a_fallen_flag_at_the_deadline_of_the_match(tmp_path: Path) -> None:

    async def bot(guest: Guest) -> None:
        await guest.first_turn()
        await guest.is_cut_off()

    rehearsal = await rehearsed(question(left_ms=(300, 300)), tmp_path, bot)
    assert isinstance(rehearsal.verdict, FlagFell)
    assert rehearsal.verdict.spent_ms == TERMS.clock.delay_ms + 300 + 1


async def test_a_call_for_dice_is_put_as_a_call(tmp_path: Path) -> None:

    async def bot(guest: Guest) -> None:
        call = await guest.wait_for(Call)
        assert tuple(call.dice) == (1, 2)
        await guest.say(Called(game=call.game, turn=call.turn, dice=1))

    rehearsal = await rehearsed(question(calls=(1, 2), dice=None), tmp_path, bot, wants=("call",))
    assert isinstance(rehearsal.verdict, DiceCalled)


async def test_a_draw_can_be_accepted_where_one_was_offered(tmp_path: Path) -> None:

    async def bot(guest: Guest) -> None:
        turn = await guest.first_turn()
        assert turn.draw_offered
        await guest.say(Play(game=turn.game, turn=turn.turn, draw="accept"))

    rehearsal = await rehearsed(question_without_dice(draw_offered=True), tmp_path, bot)
    assert isinstance(rehearsal.verdict, DrawAgreed)


@pytest.mark.parametrize(
    ("said", "failure"),
    [
        (b"", "it hung up"),
        (b"\x00\x00\x00\x01\xc1", "it breaks the protocol: no whole msgpack value"),
        (
            encode(Play(game=1, turn=99, moves=[])),
            "it says play for turn 99 of game 1, which the arena does not wait for",
        ),
        (encode(Bye(reason="no idea")), "it says bye: 'no idea'"),
    ],
)
async def test_no_answer_is_told_with_its_reason(tmp_path: Path, said: bytes, failure: str) -> None:
    """A lost connection or a broken frame: there is nothing to judge."""

    async def bot(guest: Guest) -> None:
        await guest.first_turn()
        if said:
            await guest.say_bytes(said)
        if said and b"bye" not in said:
            await guest.hear(Error)

    rehearsal = await rehearsed(question(), tmp_path, bot)
    assert rehearsal.verdict is None
    assert say(rehearsal.failure).startswith(failure)
