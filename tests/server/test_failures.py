"""Bugs of the arena: the operator is told, no bot is blamed, and no other match ends."""

from collections.abc import Callable

import msgspec
import pytest

from arena.matches.events import Event, TimePassed, TurnAnswered
from arena.matches.facts import MatchEnded, MatchVoided, Terms
from arena.matches.match import advance
from arena.matches.state import Match, Step
from arena.matches.time_control import TimeControl
from arena.records.facts import FAILED
from arena.server.io.journal import Journal
from arena.server.play import table as tables
from arena.server.play import translate
from arena.server.play.player import Player
from protocol.errors import ErrorCode
from protocol.messages import Error, MatchEnd, MatchReady, Ping, Play, Pong, Rejected, Turn
from tests.fixtures.playing_room import (
    ILLEGAL,
    Room,
    finish,
    first_legal,
    mover_of,
    over_every_transport,
    until,
)

PATIENT = Terms(
    games=3,
    clock=TimeControl(delay_ms=100, bank_ms=10_000),
    rejections=2,
    turn_limit=1000,
    startup_ms=60_000,
)


class BugError(Exception):
    """An exception that no code expects."""


def fails(*_: object, **__: object) -> None:
    raise BugError("a secret that is none of a bot's business")


def breaks_at(kind: type[Event], error: Exception | None = None) -> Callable[[Match, Event], Step]:
    """The machine, but for one kind of event, at which it fails."""

    def advance_or_fail(match: Match, event: Event) -> Step:
        if isinstance(event, kind):
            raise error or BugError("a secret that is none of a bot's business")
        return advance(match, event)

    return advance_or_fail


@pytest.fixture
def noted(room: Room) -> list[Exception]:
    """What the operator is told."""
    noted: list[Exception] = []
    room.loop.on_failure = noted.append
    return noted


async def test_a_bug_behind_an_answer_voids_the_match_and_ends_no_other(
    room: Room, noted: list[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, bo, table = await room.meet(terms=PATIENT)
    cleo, dave = await room.guest("cleo"), await room.guest("dave")
    other = room.lay_table("cleo", "dave", terms=PATIENT)
    mover, waiting, turn = await mover_of(anna, bo)
    with monkeypatch.context() as patch:
        patch.setattr(tables, "advance", breaks_at(TurnAnswered))
        await mover.answer(turn)
        await until(lambda: bool(noted))
    await mover.hear_out()
    [error] = mover.heard(Error)
    assert (error.code, error.fatal, "secret" in error.message) == ("internal", True, False)
    assert isinstance(noted[0], BugError)
    end = await table.over()
    assert isinstance(end, MatchVoided)
    assert [fact.reason for fact in room.recorded_as(MatchVoided)] == [FAILED]
    assert table.match.standing.violations == (0, 0)
    await waiting.say(Ping(data=1))
    await waiting.wait_for(Pong)
    await finish(room, other, cleo, dave)
    await room.guest(mover.name)


async def test_a_bug_at_a_deadline_voids_the_match(
    room: Room, noted: list[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, bo, table = await room.meet(terms=PATIENT)
    await mover_of(anna, bo)
    with monkeypatch.context() as patch:
        patch.setattr(tables, "advance", breaks_at(TimePassed))
        assert isinstance(await table.over(), MatchVoided)
    assert len(noted) == 1
    table.tell_result(None)
    room.loop.end_batch()
    for guest in (anna, bo):
        assert (await guest.wait_for(MatchEnd)).result == "void"


async def test_a_bug_when_a_turn_is_put_voids_its_match_and_ends_no_other(
    room: Room, noted: list[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Questions are put at the end of a batch, for all matches: both bots stay connected, and the others play on."""
    anna, bo, table = await room.meet(terms=PATIENT)
    cleo, dave = await room.guest("cleo"), await room.guest("dave")
    other = room.lay_table("cleo", "dave", terms=PATIENT)
    mover, waiting, turn = await mover_of(anna, bo)
    with monkeypatch.context() as patch:
        patch.setattr(translate, "question", fails)
        await mover.answer(turn)
        assert isinstance(await table.over(), MatchVoided)
    assert len(noted) == 1
    for guest in (mover, waiting):
        await guest.say(Ping(data=1))
        await guest.wait_for(Pong)
    await finish(room, other, cleo, dave)


@pytest.mark.parametrize(
    "error", [BugError("a secret"), OSError(9, "Bad file descriptor")], ids=["bug", "system"]
)
async def test_a_failure_without_a_match_is_told_to_its_bot_alone(
    room: Room, noted: list[Exception], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """Its connection ends, and it may log in again; of the errors of the system only those of the disk end the run."""
    anna, bo = await room.guest("anna"), await room.guest("bo")
    with monkeypatch.context() as patch:
        patch.setattr(Player, "said", lambda *_: (_ for _ in ()).throw(error))
        await anna.say(MatchReady(match="r1-anna-v-bo"))
        assert (await anna.hear(Error)).code == "internal"
    await anna.is_cut_off()
    assert noted == [error]
    await bo.say(Ping(data=1))
    await bo.hear(Pong)
    await room.guest("anna")


async def test_a_disk_that_takes_no_record_is_no_such_failure(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    mover, _, turn = await room.begin(terms=PATIENT)
    session = room.players[mover.name].account.connection
    assert session is not None
    full = OSError(28, "No space left on device")
    with monkeypatch.context() as patch:
        patch.setattr(tables, "advance", breaks_at(TurnAnswered, full))
        with pytest.raises(OSError, match="No space"):
            session.received(mover.wire.send(Play(game=turn.game, turn=turn.turn, moves=[])))


@over_every_transport
async def test_bots_hear_nothing_that_could_not_be_recorded(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The turn after it may be another when the run goes on; the bots hear no more than that the arena stops."""
    mover, waiting, turn = await room.begin(terms=PATIENT)
    sessions = [player.account.connection for player in room.players.values()]
    session = room.players[mover.name].account.connection
    assert session is not None

    def full(_: Journal) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "commit", full)
        with pytest.raises(OSError, match="No space"):
            session.received(
                mover.wire.send(Play(game=turn.game, turn=turn.turn, moves=first_legal(turn)))
            )
        for each in sessions:
            assert each is not None
            each.stop(ErrorCode.SHUTTING_DOWN.to_message("The disk is full."))
    for guest in (mover, waiting):
        before = len(guest.heard(Turn))
        await guest.hear_out()
        assert len(guest.heard(Turn)) == before
        assert [error.code for error in guest.heard(Error)] == ["shutting_down"]


async def test_a_failure_while_a_connection_is_lost_costs_its_bot_nothing_but_the_connection(
    room: Room, noted: list[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, bo, table = await room.meet(terms=PATIENT)
    mover, waiting, _ = await mover_of(anna, bo)
    with monkeypatch.context() as patch:
        patch.setattr(Player, "disconnected", fails)
        await mover.hang_up()
        assert isinstance(await table.over(), MatchVoided)
    table.tell_result(None)
    room.loop.end_batch()
    assert (await waiting.wait_for(MatchEnd)).result == "void"
    assert len(noted) == 1
    name = mover.name
    assert room.players[name].account.connection is None
    again = await room.guest(name)
    other = room.lay_table("anna", "bo", terms=PATIENT, round_number=2)
    for guest in (again, waiting):
        await guest.take_seat()
    await finish(room, other, again, waiting)


async def test_a_match_that_fails_while_facts_are_told_ends_as_its_record_says(
    room: Room, noted: list[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its last fact was recorded and not told: the result stands, and both bots are told the ends of their games."""
    anna, bo, table = await room.meet(terms=msgspec.structs.replace(PATIENT, games=1))
    mover, _, turn = await mover_of(anna, bo)
    for _ in range(PATIENT.rejections):
        await mover.answer(turn, moves=ILLEGAL)
        await mover.wait_for(Rejected)
    with monkeypatch.context() as patch:
        patch.setattr(
            translate, "last_turn", fails
        )  # between the end of the game and what follows from it
        await mover.answer(turn, moves=ILLEGAL)
        end = await table.over()
    assert isinstance(end, MatchEnded)
    assert [game.result.cause for game in table.games] == ["illegal_turns"]
    assert len(noted) == 1
    assert room.replay().is_complete
