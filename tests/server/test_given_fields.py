"""`--set` on the command line: fields of the tournament file, checked as the file is."""

import datetime as dt
import tomllib
from typing import Any

import pytest

from arena.server.setup.given_fields import (
    GivenField,
    GivenFieldError,
    parse_set,
    text_of_installed,
    with_fields,
)
from arena.server.setup.tournament_file import parse_plan
from tests.english import english
from tests.server.test_plan import BOTS, problems_of

FILE = f'# of Friday\n[tournament]\nname = "Friday"\n[clock]\ndelay_ms = 7\n{BOTS}'


def fields(*sets: str) -> list[GivenField]:
    return [parse_set(one) for one in sets]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("500", 500),
        ("true", True),
        ('"two words"', "two words"),
        ("tcp:127.0.0.1:4711", "tcp:127.0.0.1:4711"),
        ("a=b", "a=b"),
        ('["one_die", "no_gammons"]', ["one_die", "no_gammons"]),
        ('{ base = "classic" }', {"base": "classic"}),
        ("2026-11-23", dt.date(2026, 11, 23)),
    ],
)
def test_a_value_is_toml_or_a_bare_word(written: str, value: object) -> None:
    field = parse_set(f"some.field={written}")
    assert (field.path, field.value) == (("some", "field"), value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("delay_ms=500", "expected SECTION.FIELD=VALUE, such as --set clock.delay_ms=500"),
        ("clock.delay_ms", "expected SECTION.FIELD=VALUE"),
        ("clock.=5", "expected SECTION.FIELD=VALUE"),
        ("", "expected SECTION.FIELD=VALUE"),
        ("tournament.options=[one_die]", "[one_die] is not a value of TOML (invalid value"),
        ('tournament.name="Friday', "is not a value of TOML"),
        ("tournament.name=a\x1b[31m", "is not a value of TOML"),
        ("clock.delay_ms=5\nbank_ms=6", "expected one value; give each field a --set of its own"),
    ],
)
def test_what_cannot_be_read_is_told(text: str, message: str) -> None:
    with pytest.raises(GivenFieldError) as caught:
        parse_set(text)
    assert str(caught.value).startswith(f"--set {text!r}: ")
    assert message in str(caught.value)


def test_fields_stand_in_the_file_as_if_they_were_written_there() -> None:
    given = fields(
        "clock.delay_ms=500",
        "limits.sandbox=off",
        "tournament.cycles=3",
        "bot.process=run",
        "bot.bo.matches_at_once=4",
    )
    text = with_fields(FILE, given)
    raw: dict[str, Any] = tomllib.loads(text)
    assert raw["tournament"] == {"name": "Friday", "cycles": 3}
    assert (raw["clock"], raw["limits"]) == ({"delay_ms": 500}, {"sandbox": "off"})
    assert [(bot["process"], bot.get("matches_at_once")) for bot in raw["bot"]] == [
        ("run", None),
        ("run", 4),
    ]
    assert parse_plan(text) == parse_plan(FILE, given)
    assert with_fields(FILE, []) == FILE


def test_a_bot_is_named_by_its_name_or_id() -> None:
    text = '[[bot]]\nname = "Bo v. 2, Vasa"\nid = "bo"\ncommand = "x"\n[[bot]]\nname = "C"\nid = "cia"\ncommand = "x"\n'
    plan = parse_plan(
        text, fields("bot.Bo v. 2, Vasa.matches_at_once=2", "bot.cia.matches_at_once=3")
    )
    assert [bot.matches_at_once for bot in plan.bot] == [2, 3]


def test_a_field_within_a_house_ruleset() -> None:
    text = f'[tournament.ruleset]\nbase = "classic"\nname = "club"\n{BOTS}'
    plan = parse_plan(text, fields("tournament.ruleset.name=evening"))
    assert plan.game().name == "evening"


@pytest.mark.parametrize(
    ("sets", "problems"),
    [
        (
            ("clock.delay_ms=soon",),
            [
                "--set clock.delay_ms=soon: [clock] delay_ms = 'soon' (text): expected a whole number of 0 to 604800000"
            ],
        ),
        (
            ("clock.delay=5",),
            [
                "--set clock.delay=5: unknown field in [clock]: 'delay'; known are delay_ms, bank_ms, increment_ms"
            ],
        ),
        (
            ("clocks.delay_ms=5",),
            [
                "--set clocks.delay_ms=5: unknown section: 'clocks'; known are tournament, clock, limits,"
            ],
        ),
        (
            ("bot.cia.process=run",),
            ["--set bot.cia.process=run: no bot is called 'cia'; there are anna, bo"],
        ),
        (
            ("bot.bo.process=often",),
            [
                "--set bot.bo.process=often: [[bot]] number 2 process = 'often': expected 'match' or 'run'"
            ],
        ),
        (
            ("clock.bank_ms=1", "clock.bank_ms=2"),
            [
                "--set clock.bank_ms=2: clock.bank_ms is given by --set clock.bank_ms=1 already; leave one out"
            ],
        ),
        (
            ("tournament.name.first=a",),
            ["--set tournament.name.first=a: tournament.name is not a table of fields"],
        ),
        (
            ("tournament.rounds=3",),
            ["--set tournament.rounds=3: [tournament] round_robin takes no rounds"],
        ),
        (("listen.address=here",), ["--set listen.address=here: [listen] address: "]),
    ],
)
def test_a_problem_begins_with_the_option(sets: tuple[str, ...], problems: list[str]) -> None:
    found = problems_of(FILE, fields(*sets), tell_lines=True)
    assert [one[: len(problem)] for one, problem in zip(found, problems, strict=True)] == problems


def test_other_problems_keep_the_lines_of_the_file() -> None:
    [found] = problems_of(
        FILE.replace("delay_ms = 7", "delay_ms = -7"), fields("tournament.games=3"), tell_lines=True
    )
    assert found.startswith("line 5:")


def test_bots_whose_program_is_not_installed_are_left_out() -> None:
    """The others lose the field: what is installed later changes no run that has begun."""
    anna, bo = ('[[bot]]\nname = "anna"\ncommand = "a"\n', '[[bot]]\nname = "bo"\ncommand = "b"\n')
    text = f'{anna}if_installed = "no-such-engine"\n{bo}if_installed = "sh"\n'
    left, absent = text_of_installed(text)
    assert (tomllib.loads(left), english(absent)) == (
        tomllib.loads(bo),
        ["bot anna is left out: no-such-engine is not installed"],
    )
    assert text_of_installed(FILE) == (FILE, [])
