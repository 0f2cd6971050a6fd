"""Tournament files made to harm: each is refused in a sentence, in a moment, before anything starts."""

import os
from pathlib import Path

import pytest

from arena.server.programs.bot_command import command_of
from arena.server.programs.containment import sandbox_problems
from arena.server.programs.start_problems import program_problems
from arena.server.setup.credentials import credential_problems
from arena.server.setup.given_fields import GivenFieldError, parse_set
from arena.server.setup.problems import LONGEST_TOLD
from arena.server.setup.tournament_file import PlanError, parse_plan
from tests.english import english
from tests.server.test_plan import BOTS
from tests.strange_files import soon_over

REMOTE = '[[bot]]\nname = "anna"\ncommand = "sh"\n[[bot]]\nname = "bo"\nremote = true\n'
TLS = '[listen]\ncertificate = "{}"\nkey = "{}"\n'

ONE_PATH = '"a", '

TOURNAMENT = "[tournament]\n"
KINDS = {
    "lists": (TOURNAMENT + "options = " + "[" * 100_000, "line 2: lists and tables"),
    "tables": (TOURNAMENT + "ruleset = " + "{a=" * 50_000, "line 2: lists and tables"),
    "ruleset": (TOURNAMENT + "ruleset = {facing = " + "[" * 800 + "]" * 800 + "}", "line 2: lists and"),
    "number": (TOURNAMENT + "cycles = " + "9" * 5000, "line 2: a number or a name without quotes has 5,000"),
    "name": (TOURNAMENT + ".".join("a" * 50_000) + " = 1", "line 2: a name has more than 8 parts"),
    "port": (f'[listen]\naddress = "tcp:::1:{"1" * 5000}"\n{BOTS}', "[listen] address: cannot listen on"),
    "circle": (f'{BOTS}reads = ["circle"]', "bot bo: reads 'circle': Too many levels"),
    "nul": (f'{BOTS}reads = ["a\\u0000b"]', "[[bot]] number 2 reads holds a NUL"),
    "long path": (f'{BOTS}reads = ["{"a" * 5000}"]', "bot bo: reads 'aaaaaa"),
    "many paths": (f"{BOTS}reads = [{ONE_PATH * 101}]", "expected a list of up to 100 texts"),
    "command": (BOTS.replace("python a.py", "x" * 300_000), "bot anna: the command has 300,0"),
    "program": (BOTS.replace("python a.py", "./" + "x" * 300), "there is no program './xxx"),
    "pipe as token": (f'{REMOTE}token_file = "pipe"', "'pipe' cannot be used: it is not"),
    "zeros as token": (f'{REMOTE}token_file = "/dev/zero"', "'/dev/zero' cannot be used: it is not"),
    "large token": (f'{REMOTE}token_file = "large"', "'large' cannot be used: it has more"),
    "circle as token": (f'{REMOTE}token_file = "circle"', "'circle' cannot be used: Too many"),
    "pipe as certificate": (REMOTE + TLS.format("pipe", "pipe"), "pipe: it is not a regular file"),
    "zeros as certificate": (REMOTE + TLS.format("/dev/zero", "large"), "/dev/zero: it is not"),
}  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "large").write_bytes(bytes(2_000_000))
    return tmp_path


def problems_of(text: str, place: Path) -> list[str]:
    try:
        plan = parse_plan(text)
    except PlanError as error:
        return english(error.problems)
    commands = {bot.name: command_of(bot, place) for bot in plan.bot if not bot.remote}
    problems = program_problems(commands) + credential_problems(plan, place)
    return english(problems + sandbox_problems(plan, place))


@pytest.mark.parametrize(("text", "expected"), KINDS.values(), ids=KINDS)
def test_it_is_refused_in_a_sentence(place: Path, text: str, expected: str) -> None:
    with soon_over():
        problems = problems_of(text, place)
    assert any(expected in problem for problem in problems), problems


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tournament.options=" + "[" * 9, "lists and tables are nested"),
        ("tournament.options=" + "[" * 100_000, "lists and tables are nested"),
        ("tournament.cycles=" + "9" * 5000, "has 5,000 characters; expected at most 100"),
        (".".join("a" * 9) + "=1", "the field has 9 parts; expected at most 8"),
        (".".join("a" * 50_000) + "=1", "the field has 50,000 parts; expected at most 8"),
        ("tournament.x={" + ".".join("a" * 50_000) + "=1}", "a name has more than 8 parts"),
        ("tournament.name='\udcff'", "it holds a byte that is not UTF-8"),
    ],
    ids=range(7),
)
def test_an_option_is_refused_in_the_same_way(text: str, expected: str) -> None:
    with soon_over(), pytest.raises(GivenFieldError) as caught:
        parse_set(text)
    assert expected in str(caught.value)
    assert len(str(caught.value)) <= LONGEST_TOLD + 10


def test_of_many_problems_twenty_are_told() -> None:
    """The first by their lines; the sentences of the others are not even made."""
    fields = "".join(f"x{number}=1\n" for number in range(20_000))
    with soon_over(), pytest.raises(PlanError) as caught:
        parse_plan(f"{BOTS}{fields}[clock]\nbank_ms = -1\n", tell_lines=True)
    *told, more = english(caught.value.problems)
    assert len(told) == 20
    assert told[0].startswith("line 9: unknown field in [[bot]] number 2: 'x0'")
    assert more == "and 19,981 more"


def test_a_problem_keeps_its_beginning_and_its_end() -> None:
    [problem] = problems_of(f'[tournament]\nname = "{"x" * 500_000}"\n{BOTS}', Path())
    assert problem.startswith("[tournament] name = 'xxx")
    assert problem.endswith("xxx': expected text of 1 to 100 characters")
    assert len(problem) <= LONGEST_TOLD + 10


def bots(number: int) -> str:
    return "".join(f'[[bot]]\nname = "b{at}"\ncommand = "sh"\n' for at in range(number))


@pytest.mark.slow
def test_twenty_thousand_bots_are_checked_in_seconds() -> None:
    """2 s on a machine at rest; names that were compared each with each took a minute."""
    with soon_over():
        plan = parse_plan('[tournament]\nformat = "knockout-1"\n' + bots(20_000))
    assert len(plan.entrants) == 20_000
    named = ", ".join(f"'b{at}'" for at in range(10_000))
    with soon_over(), pytest.raises(PlanError, match="100,000,000 matches"):
        parse_plan(f'[tournament]\nformat = "gauntlet-1"\nchallengers = [{named}]\n{bots(20_000)}')


def test_more_matches_than_can_be_kept_are_refused_before_they_are_made() -> None:
    [problem] = problems_of(bots(5_000), Path())
    assert problem.startswith("round_robin of 5,000 entrants has 12,497,500 matches; expected")
    assert problem.endswith("at most 1,000,000: split the field")
