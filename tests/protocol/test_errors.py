"""Errors as values: what they say and whether they end the connection."""

import pytest

from protocol.codec import encode
from protocol.errors import ErrorCode, InvalidMessageError, ProtocolError, UnreadableFrameError
from tests.protocol.ends import open_pair
from tests.protocol.samples import LOGIN


def test_only_errors_about_one_play_or_match_are_forgiven() -> None:
    forgiven = {code.value for code in ErrorCode if not code.is_fatal}
    assert forgiven == {"stale_turn", "unknown_game", "unknown_match", "bad_signature"}


def test_the_two_families_are_told_apart() -> None:
    assert issubclass(UnreadableFrameError, ProtocolError)
    assert issubclass(InvalidMessageError, ProtocolError)
    assert not issubclass(UnreadableFrameError, InvalidMessageError)


@pytest.mark.parametrize("cls", [UnreadableFrameError, InvalidMessageError])
def test_an_error_becomes_the_message_for_the_other_side(cls: type[ProtocolError]) -> None:
    fault = cls(ErrorCode.BAD_KEY, "found this, expected that")
    assert str(fault) == "bad_key: found this, expected that"
    told = fault.to_message()
    assert (told.code, told.message, told.fatal) == ("bad_key", "found this, expected that", True)
    arena, bot = open_pair()
    assert bot.receive(arena.send(told)) == [told]


def test_an_unreadable_frame_is_named_by_length_and_first_bytes() -> None:
    arena, _ = open_pair()
    arena.receive((20).to_bytes(4, "big") + b"\xc1" * 20)
    assert arena.fault is not None
    assert "a payload of 20 bytes that begins with c1 c1 c1 c1 c1 c1 c1 c1)" in arena.fault.message


def test_a_message_at_the_wrong_time_is_told_what_was_expected() -> None:
    arena, _ = open_pair()
    arena.receive(encode(LOGIN))
    assert arena.fault is not None
    assert arena.fault.message.startswith("`login` came in state open; expected `bye`, `call`, `confirm`, `error`")
