"""What the docs say of records: the JSON Schema, and the page that names every field."""

import json
import re
from pathlib import Path

import msgspec
import pytest

from arena.records import schema
from arena.records.schema import LINES
from tests.fixtures.small_run import (
    agreed_attempt,
    attempt_record,
    brandubh_attempt,
    called_attempt,
    pairs_attempt,
    small_run,
    unfinished_run,
)
from tests.record_schema import SCHEMA, problems_in, records_below

TURN = {
    "event": "turn_played",
    "v": 1,
    "at_ms": 5,
    "game": 1,
    "turn": 1,
    "seat": 1,
    "dice": [1, 2],
    "moves": [],
}
TURN |= {"spent_ms": 5, "left_ms": 6, "info": None}


def test_the_committed_schema_is_current() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == schema.text()


def write(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def test_every_kind_of_line_fits(tmp_path: Path) -> None:
    write(tmp_path / "finished", small_run())
    write(tmp_path / "going-on", unfinished_run())
    sittings = [agreed_attempt(), brandubh_attempt(), called_attempt(), pairs_attempt()]
    write(tmp_path, {f"{number}.jsonl": attempt_record(one) for number, one in enumerate(sittings)})
    with (tmp_path / "0.jsonl").open("ab") as file:
        file.write(b'{"event":"turn_pl')
    records = list(records_below(tmp_path))
    assert len(records) == 8
    assert [problem for record in records for problem in problems_in(record)] == []


@pytest.mark.parametrize(
    "change",
    [
        {"dice": [7]},
        {"seat": 3},
        {"v": 2},
        {"spent_ms": "5"},
        {"secret": 1},
        {"lag_ms": None},
        {"event": "turn_ended"},
    ],
    ids=str,
)
def test_what_the_arena_would_not_write_does_not_fit(
    tmp_path: Path, change: dict[str, object]
) -> None:
    opened = small_run()["matches/r1-anna-v-bo.jsonl"].splitlines()[0]
    path = tmp_path / "one.jsonl"
    path.write_bytes(
        b"\n".join([opened, json.dumps(TURN).encode(), json.dumps(TURN | change).encode(), b""])
    )
    assert [problem.split(": ")[0] for problem in problems_in(path)] == [f"{path}:3"]


@pytest.mark.parametrize("name", ["info", "moves", "v"])
def test_a_field_that_is_always_written_must_be_there(tmp_path: Path, name: str) -> None:
    path = tmp_path / "one.jsonl"
    path.write_bytes(
        json.dumps({key: value for key, value in TURN.items() if key != name}).encode() + b"\n"
    )
    assert len(problems_in(path)) == 1


PAGE = (Path(__file__).parents[2] / "docs" / "records.md").read_text(encoding="utf-8")
MATCH, TOURNAMENT = PAGE.split("\n## A tournament\n")
COMMON = {"v", "at_ms"}


@pytest.mark.parametrize(
    ("part", "line"),
    [
        pytest.param(part, line, id=line.__name__)
        for part, lines in zip((MATCH, TOURNAMENT), LINES.values(), strict=True)
        for line in lines
    ],
)
def test_the_page_names_every_field(part: str, line: type[msgspec.Struct]) -> None:
    [row] = re.findall(rf"^\| `{line.__struct_config__.tag}` \|.*$", part, re.MULTILINE)
    named = re.findall(r"`(\w+)`", re.sub(r"\([^()]*\)", "", row.split("|")[3]))
    fields = [name for name in line.__struct_fields__ if name not in COMMON]
    assert [name for name in named if name in fields] == fields
