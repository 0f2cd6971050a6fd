"""Errors of msgspec in the words of the catalogues."""

import msgspec
import pytest

from arena.records.json_reasons import json_reason
from arena.records.lines import UNREADABLE, RecordError, match_lines
from arena.words import say


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"nonsense",
        b'{"event":"turn_played"}',
        b'{"event":"nothing"}',
        b"[1]",
        b'{"event":5}',
        b'{"event":"turn_played","at_ms":"x"}',
        b'{"event":"turn_played","at_ms":-1}',
        b'{"event":"game_ended","at_ms":1,"x":1}',
        b'{"event":"match_opened","at_ms":1,"match":"x","entrants":["a"]}',
        b'{"event":"match_opened","at_ms":1} x',
        b'{"event":"match_opened","match":"\xff"}',
    ],
)
def test_every_error_of_a_line_has_a_sentence(line: bytes) -> None:
    with pytest.raises(UNREADABLE) as refused:
        match_lines._decoder.decode(line)
    reason = json_reason(refused.value)
    if isinstance(refused.value, msgspec.MsgspecError):
        assert say(reason) == str(refused.value)
    assert "på engelska" not in say(reason, "sv")
    assert say(reason, "sv") != say(reason)


def test_a_record_says_its_place_in_either_language() -> None:
    with pytest.raises(RecordError) as refused:
        match_lines.read_line("m:1", b"nonsense")
    assert (
        str(refused.value)
        == "m:1: not a line of this record: JSON is malformed: invalid character (byte 4)"
    )
    assert (
        say(refused.value.said, "sv")
        == "m:1: ingen rad i det här protokollet: felaktig JSON: ogiltigt tecken (byte 4)"
    )
    assert (refused.value.where, refused.value.message.partition(":")[0]) == (
        "m:1",
        "not a line of this record",
    )
