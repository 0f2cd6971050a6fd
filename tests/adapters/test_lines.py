"""The lines between `arena adapter stdio` and a program: what it is told, and what it may answer."""

from __future__ import annotations

import json
import re

import msgspec
import pytest

from arena.adapters.child import AdapterError
from arena.adapters.stdio import Answer, Asked, format_line, read_answer, shown, to_message
from protocol.client import CallView, TurnView
from protocol.messages import Call, Called, FromArena, GameStart, Play
from tests.fixtures.arena_runs import REPOSITORY
from tests.fixtures.message_samples import MATCH_START, REJECTED, SESSION, TURN

START = GameStart(game=1, match=MATCH_START.match, number=1, seat=1, starts=True)
CALL = Call(game=1, turn=3, dice=[1, 2], position=TURN.position, clock=TURN.clock)


def a_turn(game: int = 1, turn: int = 1) -> TurnView:
    return TurnView(msgspec.structs.replace(TURN, game=game, turn=turn), START, MATCH_START)


A_CALL = CallView(CALL, START, MATCH_START)


def test_a_line_nested_too_deep_is_no_answer() -> None:
    with pytest.raises(AdapterError, match="expected"):
        read_answer(b'{"info":' + b"[" * 5000)


@pytest.mark.parametrize("message", [message for sender, message in SESSION if sender == "arena"])
def test_a_message_is_one_line_with_its_type_first(message: object) -> None:
    """ASCII, without spaces, bytes as hexadecimal digits: nothing that a program without a library stumbles over."""
    line = format_line(message)  # type: ignore[arg-type]
    assert line.isascii()
    assert line.count(b"\n") == 1
    assert line.startswith(b'{"type":"')
    plain = msgspec.to_builtins(message, builtin_types=(bytes,))
    told = json.loads(line)
    entropies = [entropy.hex() for entropy in plain.pop("entropies", ())]
    assert told.pop("entropies", []) == entropies
    assert told == {
        key: value.hex() if isinstance(value, bytes) else value for key, value in plain.items()
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"choice": 0}', Play(game=1, turn=1, choice=0)),
        (b' {"moves":[[1,7],[7,9]]}\r', Play(game=1, turn=1, moves=[[1, 7], [7, 9]])),
        (b'{"moves": []}', Play(game=1, turn=1, moves=[])),
        (
            b'{"type":"play","game":1,"turn":1,"choice":1,"info":{"n":3}}',
            Play(game=1, turn=1, choice=1, info={"n": 3}),
        ),
        (b'{"choice":0,"eval":0.53}', Play(game=1, turn=1, choice=0)),
        (b'{"type":"play","game":1,"turn":1,"choice":0,"id":7}', Play(game=1, turn=1, choice=0)),
        (b'{"choice":1.0,"game":1e0,"turn":1.0}', Play(game=1, turn=1, choice=1)),
        (b'{"moves":[[1.0,7],[7,9.0]],"dice":null}', Play(game=1, turn=1, moves=[[1, 7], [7, 9]])),
        (b'{"draw":"accept"}', Play(game=1, turn=1, draw="accept")),
        (b'{"choice":1,"draw":"offer"}', Play(game=1, turn=1, choice=1, draw="offer")),
    ],
)
def test_an_answer_to_a_turn(line: bytes, message: Play) -> None:
    assert to_message(read_answer(line), a_turn()) == message


def test_an_answer_to_a_call() -> None:
    assert to_message(read_answer(b'{"dice": 1}'), A_CALL) == Called(game=1, turn=3, dice=1)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"thinking...", "it is no JSON (Expecting value at character 1)"),
        (b'{"choice": 0} ok', "it is no JSON (Extra data at character 15)"),
        (b"0", "it is JSON, but no object"),
        (b"[[1, 7], [7, 9]]", "it is JSON, but no object"),
        (b'{"chioce": 0}', "it has no answer, only `chioce`; did you mean 'choice'?"),
        (b'{"eval": 0, "pv": []}', "it has no answer, only `eval`, `pv`"),
        (
            b'{"choice": 0.5}',
            "a number with a fraction; send a whole number, such as thousandths, or text - at `$.choice`",
        ),
        (
            b'{"choice": NaN}',
            "NaN in the place of a number; leave it out, or send nil - at `$.choice`",
        ),
        (
            b'{"moves": [[1, 7], [7, 1e400]]}',
            "an infinite number; leave it out, or send it as text - at `$.moves[1][1]`",
        ),
        (b'{"choice": 9007199254740993}', "an integer beyond 2^53"),
        (b'{"choice": ' + b"9" * 5000 + b"}", "it cannot be read (Exceeds the limit"),
        (
            b"\xff\xfe{\x00}\x00",
            "it is not UTF-8 (invalid start byte); have the program write UTF-8",
        ),
        (b'{"choice": "0"}', "Expected `int | null`, got `str`"),
        (b'{"choice": -1}', "Expected `int` >= 0"),
        (b'{"moves": [[1, 7, 9]]}', "length <= 2"),
        (b'{"type": "turn"}', "Invalid enum value 'turn'"),
        (b'{"choice": 0, "info": "\xff"}', "it is not UTF-8 (invalid start byte)"),
    ],
)
def test_a_line_that_is_no_answer_is_refused(line: bytes, why: str) -> None:
    with pytest.raises(AdapterError) as refused:
        read_answer(line)
    assert why in str(refused.value)
    assert 'such as {"choice": 0}' in str(refused.value)


@pytest.mark.parametrize(
    ("line", "view", "why"),
    [
        (b"{}", a_turn(), "neither `moves` nor `choice` is given"),
        (b'{"choice": 0, "moves": []}', a_turn(), "both `moves` and `choice` are given"),
        (b'{"dice": 1}', a_turn(), "a `turn` was asked, and this answers a `call`"),
        (
            b'{"choice": 0}',
            A_CALL,
            'a `call` was asked; answer it with the number of dice, {"dice": 1} or {"dice": 2}',
        ),
    ],
)
def test_an_answer_to_another_question_is_refused(
    line: bytes, view: TurnView | CallView, why: str
) -> None:
    with pytest.raises(AdapterError) as refused:
        to_message(read_answer(line), view)
    assert why in str(refused.value)


def test_without_game_and_turn_the_oldest_question_is_answered() -> None:
    asked = Asked()
    asked.put(a_turn(1, 5))
    asked.put(a_turn(2, 8))
    zero = read_answer(b'{"choice":0}')
    assert [asked.take(zero).view.message.turn for _ in range(2)] == [5, 8]
    with pytest.raises(AdapterError, match="nothing was asked that is not answered yet"):
        asked.take(zero)


def test_with_game_and_turn_in_any_order() -> None:
    asked = Asked()
    asked.put(a_turn(1, 5))
    asked.put(a_turn(2, 8))
    assert asked.take(read_answer(b'{"game":2,"turn":8,"choice":0}')).view.message.game == 2
    with pytest.raises(AdapterError, match=r"nothing is open in game 2 turn 8; .* game 1 turn 5"):
        asked.take(read_answer(b'{"game":2,"turn":8,"choice":0}'))
    with pytest.raises(AdapterError, match="one of `game` and `turn`"):
        asked.take(read_answer(b'{"game":1,"choice":0}'))


def test_a_long_line_is_shown_by_its_beginning() -> None:
    assert shown(b"\x1b[31mred") == "'\\x1b[31mred'"
    assert shown(b"x" * 300) == f"'{'x' * 200}' and 100 bytes more"


# docs/adapters.md: every line shown is a valid one, every field has its row. tests/docs runs the
# commands


PAGE = (REPOSITORY / "docs" / "adapters.md").read_text("utf-8").partition("\n## Backgammon")[0]
LINES = [
    line
    for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
]


def test_the_lines_are_lines() -> None:
    told = [line for line in LINES if '"type"' in line]
    assert told == [format_line(message).decode().strip() for message in (TURN, REJECTED)]
    assert [read_answer(line.encode()) for line in LINES if line not in told] == [
        Answer(choice=0),
        Answer(moves=[[1, 7], [7, 9]]),
        Answer(game=1, turn=1, choice=1, info={"note": "a hunch"}),
        Answer(dice=1),
    ]


def test_the_page_is_whole() -> None:
    answers = PAGE.partition("### What it answers")[2].partition("```")[0]
    assert set(
        re.findall(r"`(\w+)`", "".join(re.findall(r"^\|([^|]*)\|", answers, re.MULTILINE)))
    ) == set(Answer.__struct_fields__)
    named = set(re.findall(r"`(\w+)`", PAGE.partition("You get ")[2].partition(".")[0]))
    types = {msgspec.inspect.type_info(one).tag for one in FromArena.__args__}  # type: ignore[attr-defined]
    assert named == types - {
        "hello",
        "joined",
        "welcome",
        "match_reveal",
        "error",
        "ping",
        "pong",
        "bye",
        "break",
    }
