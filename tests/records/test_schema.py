"""The JSON Schema in the documentation belongs to the records as they are written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.records import schema
from tests.record_schema import SCHEMA, problems_in, records_below
from tests.records.small_run import (
    agreed_attempt,
    attempt_record,
    brandubh_attempt,
    called_attempt,
    pairs_attempt,
    small_run,
    unfinished_run,
)

TURN = {"event": "turn_played", "v": 1, "at_ms": 5, "game": 1, "turn": 1, "seat": 1, "dice": [1, 2], "moves": []}
TURN |= {"spent_ms": 5, "left_ms": 6, "info": None}


def test_the_committed_schema_is_current() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == schema.text()


def test_every_event_is_defined_and_strict() -> None:
    definitions = json.loads(schema.text())["$defs"]
    for lines in schema.LINES.values():
        for line in lines:
            definition = definitions[line.__name__]
            assert definition["properties"]["event"] == {"enum": [line.__struct_config__.tag]}
            assert definition["additionalProperties"] is False


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
    [{"dice": [7]}, {"seat": 3}, {"v": 2}, {"spent_ms": "5"}, {"secret": 1}, {"lag_ms": None}, {"event": "turn_ended"}],
    ids=str,
)
def test_what_the_arena_would_not_write_does_not_fit(tmp_path: Path, change: dict[str, object]) -> None:
    opened = small_run()["matches/r1-anna-v-bo.jsonl"].splitlines()[0]
    path = tmp_path / "one.jsonl"
    path.write_bytes(b"\n".join([opened, json.dumps(TURN).encode(), json.dumps(TURN | change).encode(), b""]))
    assert [problem.split(": ")[0] for problem in problems_in(path)] == [f"{path}:3"]


@pytest.mark.parametrize("name", ["info", "moves", "v"])
def test_a_field_that_is_always_written_must_be_there(tmp_path: Path, name: str) -> None:
    path = tmp_path / "one.jsonl"
    path.write_bytes(json.dumps({key: value for key, value in TURN.items() if key != name}).encode() + b"\n")
    assert len(problems_in(path)) == 1
