"""What is written for authors of bots, pages, schema and vectors, says of the protocol what the code does."""

import json
import re
from pathlib import Path
from typing import Any

import msgpack
import msgspec
import pytest

from protocol import codec, connection, values
from protocol.codec import TO_ARENA, TO_BOT, Direction, decode, encode
from protocol.errors import ErrorCode, InvalidMessageError
from tests.fixtures.connection_ends import open_pair
from tests.fixtures.message_samples import all_samples
from tests.generators import make_schema, make_vectors

DOCS = Path(__file__).parents[2] / "docs"
PROTOCOL, MESSAGES, ERRORS = (
    (DOCS / f"protocol{part}.md").read_text(encoding="utf-8")
    for part in ("", "-messages", "-errors")
)


def section(title: str, within: str) -> str:
    level = len(title) - len(title.lstrip("#"))
    found = re.search(rf"^{title}\n(.*?)(?=^#{{1,{level}}} |\Z)", within, re.DOTALL | re.MULTILINE)
    assert found, title
    return found[1]


def rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("|")]
    heads = {number - 1 for number, line in enumerate(lines) if line.startswith("|---")}
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return [
        row
        for number, row in enumerate(cells)
        if number not in heads and not row[0].startswith("---")
    ]


def with_bytes(plain: Any) -> Any:
    """What JSON holds as `{"bin": "hex"}` as bytes again."""
    if isinstance(plain, dict):
        return (
            bytes.fromhex(plain["bin"])
            if plain.keys() == {"bin"}
            else {k: with_bytes(v) for k, v in plain.items()}
        )
    return [with_bytes(item) for item in plain] if isinstance(plain, list) else plain


def examples() -> list[Any]:
    found = []
    for title, direction in [
        ("From the arena", TO_BOT),
        ("From the bot", TO_ARENA),
        ("From both", TO_ARENA),
    ]:
        for block in re.findall(r"```json\n(.*?)```", section(f"## {title}", MESSAGES), re.DOTALL):
            for text in re.findall(r"^\{.*\n(?:^ .*\n)*", block, re.MULTILINE):
                plain = json.loads(text)
                found.append(pytest.param(plain, direction, id=f"{plain['type']}-{len(found)}"))
    return found


@pytest.mark.parametrize("plain, direction", examples())
def test_every_example_is_a_message(plain: Any, direction: Direction) -> None:
    decode(msgpack.packb(with_bytes(plain)), direction)


def test_the_example_on_the_card_is_a_conversation() -> None:
    spoken = re.findall(
        r"^(arena|bot) +(\{.*?\})$(?=\n(?:arena|bot|```))",
        section("## An example", PROTOCOL),
        re.DOTALL | re.MULTILINE,
    )
    said = [
        decode(
            msgpack.packb(with_bytes(json.loads(text))), TO_BOT if sender == "arena" else TO_ARENA
        )
        for sender, text in spoken
    ]
    assert " ".join(type(one).__name__ for one in said) == (
        "Hello Login Welcome MatchStart MatchReady MatchReveal MatchEntropy GameStart Turn Play GameEnd MatchEnd Bye"
    )


def test_every_message_has_an_example() -> None:
    shown = {(one.values[0]["type"], one.values[1].name) for one in examples()}
    both = TO_ARENA.types.items() & TO_BOT.types.items()
    assert shown == {
        (tag, direction.name)
        for direction in (TO_ARENA, TO_BOT)
        for tag, cls in direction.types.items()
        if direction is TO_ARENA or (tag, cls) not in both
    }


@pytest.mark.parametrize(
    "tag, direction",
    [(tag, direction) for direction in (TO_BOT, TO_ARENA) for tag in sorted(direction.types)],
)
def test_every_field_has_its_row(tag: str, direction: Direction) -> None:
    cls = direction.types[tag]
    in_both = (tag, cls) in TO_ARENA.types.items() & TO_BOT.types.items()
    title = "From both" if in_both else "From the arena" if direction is TO_BOT else "From the bot"
    heading = "### ping, pong" if tag in {"ping", "pong"} else f"### {tag}"
    table = rows(section(heading, section(f"## {title}", MESSAGES)))
    fields = {field: row[2] == "-" for row in table for field in re.findall(r"`(\w+)`", row[0])}
    required = {field.name: field.required for field in msgspec.structs.fields(cls)}
    if tag == "hello":
        required["protocol"] = True  # has a default in Python, but is always written
    assert fields == required


def test_every_error_code_has_its_row() -> None:
    table = [(row[0].strip("`"), row[1] == "yes") for row in rows(section("## Codes", ERRORS))]
    assert table == [(code.value, code.is_fatal) for code in ErrorCode]


def test_the_limits_are_the_real_ones() -> None:
    numbers = [
        int(found[0])
        for row in rows(section("## Limits", PROTOCOL))
        if (found := re.match(r"\d+(?= )", row[1]))
    ]
    assert numbers == [
        connection.LOGIN_FRAME_BYTES,
        connection.BOT_FRAME_BYTES,
        connection.ARENA_FRAME_BYTES,
        TO_ARENA.max_array,
        TO_BOT.max_array,
        codec.MAX_KEYS,
        values.MAX_DEPTH,
    ]


# The JSON Schema in the documentation belongs to the messages as they are


def test_the_committed_schema_is_current() -> None:
    assert make_schema.PATH.read_text(encoding="utf-8") == make_schema.text()


@pytest.mark.parametrize(
    ("answer", "is_good"),
    [
        ({"moves": []}, True),
        ({"choice": 0}, True),
        ({"moves": [], "draw": "offer"}, True),
        ({"choice": 0, "draw": "offer"}, True),
        ({"draw": "accept"}, True),
        ({}, False),
        ({"draw": "offer"}, False),
        ({"moves": [], "choice": 0}, False),
        ({"moves": [], "draw": "accept"}, False),
        ({"choice": 0, "draw": "accept"}, False),
        ({"moves": [], "choice": 0, "draw": "accept"}, False),
    ],
    ids=str,
)
def test_the_schema_of_a_play_allows_what_the_arena_reads(
    answer: dict[str, Any], is_good: bool
) -> None:
    play = {"type": "play", "game": 1, "turn": 1} | answer

    def fits(part: dict[str, Any]) -> bool:
        assert part.keys() <= {"required", "properties"}
        constants = {name: one["const"] for name, one in part.get("properties", {}).items()}
        return play.keys() >= set(part["required"]) and all(
            play.get(name, word) == word for name, word in constants.items()
        )

    alternatives = make_schema.schema()["$defs"]["Play"]["oneOf"]
    assert (sum(map(fits, alternatives)) == 1) is is_good
    payload = msgpack.packb(play)
    if is_good:
        assert decode(payload, TO_ARENA)
    else:
        with pytest.raises(InvalidMessageError):
            decode(payload, TO_ARENA)


# The test vectors for bots in other languages hold what this side really sends and refuses


VECTORS = json.loads(make_vectors.PATH.read_text(encoding="utf-8"))
SAMPLES = {name: message for name, _, message in all_samples()}


def named(vectors: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(vector, id=vector["name"]) for vector in vectors]


def test_the_committed_file_is_current() -> None:
    assert make_vectors.PATH.read_text(encoding="utf-8") == make_vectors.text()


@pytest.mark.parametrize("vector", named(VECTORS["messages"]))
def test_message_vector(vector: dict[str, Any]) -> None:
    message = SAMPLES[vector["name"]]
    frame = bytes.fromhex(vector["frame"])
    assert encode(message) == frame
    assert decode(frame[4:], TO_ARENA if vector["from"] == "bot" else TO_BOT) == message


@pytest.mark.parametrize("vector", named(VECTORS["other_forms"]))
def test_other_form_vector(vector: dict[str, Any]) -> None:
    arena, _ = open_pair()
    [message] = arena.receive(bytes.fromhex(vector["bytes"]))
    assert make_vectors.plain(message) == vector["message"]
    assert encode(message) != bytes.fromhex(vector["bytes"])


@pytest.mark.parametrize("vector", named(VECTORS["bad_frames"]))
def test_bad_frame_vector(vector: dict[str, Any]) -> None:
    arena, _ = open_pair()
    assert arena.receive(bytes.fromhex(vector["bytes"])) == []
    assert arena.fault.code == vector["code"]


def test_every_code_a_frame_can_cause_has_a_vector() -> None:
    of_frames = list(ErrorCode)[: list(ErrorCode).index(ErrorCode.UNSUPPORTED_PROTOCOL)]
    assert {vector["code"] for vector in VECTORS["bad_frames"]} == set(of_frames)
