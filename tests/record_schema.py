"""Checks the records that tests produce against docs/records.schema.json, line by line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import jsonschema_rs

SCHEMA = Path(__file__).parents[1] / "docs" / "records.schema.json"


@cache
def validator(kind: str) -> jsonschema_rs.Validator:
    """The validator for a line of one kind of record, such as "MatchLine"."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return jsonschema_rs.validator_for({**schema, "anyOf": [{"$ref": f"#/$defs/{kind}"}]})


def problems_in(path: Path) -> list[str]:
    """What is wrong with a record, a sentence for each line; a line that is being written at its end is left out."""
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1].splitlines()
    kind = "MatchLine"
    for opening, name in (
        (b'"tournament_opened"', "TournamentLine"),
        (b'"venue_opened"', "VenueLine"),
    ):
        if whole and opening in whole[0]:
            kind = name
    return [
        f"{path}:{number}: {line.decode()} does not fit {kind}"
        for number, line in enumerate(whole, start=1)
        if not validator(kind).is_valid(json.loads(line))
    ]


def records_below(folder: Path) -> Iterator[Path]:
    """Every record in a folder: those of runs, and those of matches by themselves."""
    for path in folder.rglob("*.jsonl"):
        with path.open("rb") as file:
            if b'_opened"' in file.readline():
                yield path
