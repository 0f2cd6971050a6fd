"""The laws at the top of `protocol/window.py`."""

import msgspec
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from protocol.errors import LocalProtocolError
from protocol.messages import Error, Play, Turn
from protocol.window import TurnWindow
from tests.fixtures.message_samples import TURN


def turn(game: int, number: int = 1) -> Turn:
    return msgspec.structs.replace(TURN, game=game, turn=number)


def play(game: int, number: int = 1) -> Play:
    return Play(game=game, turn=number, moves=[])


def window(size: int, *games: int) -> TurnWindow:
    """A window with one turn of each game offered and, as far as it reaches, written."""
    made = TurnWindow(size)
    for game in games:
        made.offer(turn(game))
    made.release()
    return made


def test_law_5_reopening_after_the_place_is_gone_is_our_bug() -> None:
    made = window(1, 1, 2)
    rejected = made.answer(play(1))
    assert isinstance(rejected, Turn)
    made.release()
    with pytest.raises(LocalProtocolError, match="before the next release"):
        made.reopen(rejected)


@pytest.mark.parametrize("size", [0, -1, 257])
def test_a_window_has_1_to_256_places(size: int) -> None:
    with pytest.raises(LocalProtocolError):
        TurnWindow(size)
    with pytest.raises(LocalProtocolError):
        TurnWindow(1).rewind(size)


class WindowLaws(RuleBasedStateMachine):
    """Any order of events keeps all laws, compared with plain lists."""

    def __init__(self) -> None:
        super().__init__()
        self.size = 3
        self.window = TurnWindow(self.size)
        self.queue: list[Turn] = []
        self.written: list[Turn] = []
        self.known: set[int] = set()
        self.number = 0

    def waiting(self) -> set[int]:
        return {one.game for one in self.queue + self.written}

    @rule(game=st.integers(0, 6))
    def offer(self, game: int) -> None:
        self.number += 1
        new = turn(game, self.number)
        if game in self.waiting():
            for refusing in (self.window.offer, self.window.put, self.window.reopen):
                with pytest.raises(LocalProtocolError, match="one turn at a time"):
                    refusing(new)
        else:
            self.window.offer(new)
            self.queue.append(new)
            self.known.add(game)

    @rule(game=st.integers(0, 6))
    def put(self, game: int) -> None:
        if game in self.waiting():
            return
        self.number += 1
        new = turn(game, self.number)
        has_room = not self.queue and len(self.written) < self.size
        assert self.window.put(new) == has_room
        if has_room:
            self.written.append(new)
        else:
            self.queue.append(new)
        self.known.add(game)

    @rule(game=st.integers(0, 6))
    def withdraw(self, game: int) -> None:
        if game in {one.game for one in self.queue}:
            self.window.withdraw(game)
            self.queue = [one for one in self.queue if one.game != game]
        else:
            with pytest.raises(LocalProtocolError, match=f"no turn of game {game} waits"):
                self.window.withdraw(game)

    @rule()
    def release(self) -> None:
        room = self.size - len(self.written)
        expected, self.queue = self.queue[:room], self.queue[room:]
        assert self.window.release() == expected
        self.written += expected

    @precondition(lambda self: self.written)
    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        one = data.draw(st.sampled_from(self.written))
        assert self.window.answer(play(one.game, one.turn)) == one
        self.written.remove(one)
        if data.draw(st.booleans()):
            self.window.reopen(one)
            self.written.append(one)

    @rule(game=st.integers(0, 7), number=st.integers(0, 9))
    def answer_something(self, game: int, number: int) -> None:
        if (game, number) not in {(one.game, one.turn) for one in self.written}:
            verdict = self.window.answer(play(game, number))
            assert isinstance(verdict, Error)
            code = "stale_turn" if game in self.known else "unknown_game"
            assert (verdict.code, verdict.fatal, verdict.game, verdict.turn) == (
                code,
                False,
                game,
                number,
            )

    @rule(game=st.integers(0, 7))
    def drop(self, game: int) -> None:
        self.window.drop(game)
        self.known.discard(game)
        late = self.window.answer(play(game))
        assert isinstance(late, Error)
        assert late.code == "unknown_game"
        self.queue = [one for one in self.queue if one.game != game]
        self.written = [one for one in self.written if one.game != game]

    @rule(size=st.integers(1, 5))
    def reconnect(self, size: int) -> None:
        self.queue, self.written, self.size = self.written + self.queue, [], size
        again = self.window.rewind(size)
        assert (self.window.size, again) == (size, self.queue)
        for one in again:
            self.window.offer(one)

    @invariant()
    def never_more_than_the_window(self) -> None:
        assert self.window.outstanding() == self.written
        assert list(self.window.waiting.values()) == self.queue
        assert self.window.is_idle == (not self.waiting())
        assert len(self.written) <= self.size


TestWindowLaws = WindowLaws.TestCase
