"""Tournament files that cannot be played: told in plain words, with the line."""

import pytest

from arena.analysis import files
from arena.matches.facts import FixedEvaluator
from arena.server.setup.entrant_ids import id_problems, made_up
from arena.server.setup.given_fields import parse_set
from arena.server.setup.luck_section import fixed_evaluator
from arena.server.setup.tournament_file import format_plan, parse_plan
from arena.words import say
from tests.server.test_plan import BOTS, problems_of

# Names of entrants that get one id, and of which none can be made

ASA = ("Åsa Ek, Vasa 1628", "Åsa Ek, Kronan 1676")
"""Two ships, one id."""


def told(*names: str, by_options: bool = False) -> list[str]:
    return [
        say(problem)
        for _, problem in id_problems([(name, None) for name in names], by_options=by_options)
    ]


def test_two_names_with_one_id_are_both_named_with_an_id_to_give() -> None:
    (both,) = told(*ASA)
    assert both == (
        "'Åsa Ek, Vasa 1628' and 'Åsa Ek, Kronan 1676' both get the id asa-ek; "
        'give one an id: id = "asa-ek-kronan-1676"'
    )
    assert told("Bo, a", "Bo, a!") == [
        "'Bo, a' and 'Bo, a!' both get the id bo; give one an id: id = \"bo-a\""
    ]
    assert told("Bo!", "bo") == ["'Bo!' and 'bo' both get the id bo; give one an id: id = \"bo-2\""]
    assert told("x" * 32 + ", a", "x" * 32 + ", b")[0].endswith(
        "; give each entrant a name of its own"
    )


def test_names_that_look_the_same_are_entered_twice() -> None:
    assert told("anna", "Anna") == [
        "'anna' is entered 2 times; give each entrant a name of its own"
    ]


@pytest.mark.parametrize("name", ["北京", "Иван", "Ελένη", "محمد", "B v", "3-ply!", "1st"])
def test_a_name_of_which_no_id_can_be_made_gets_one_by_its_number(name: str) -> None:
    plan = parse_plan(f'{BOTS}[[bot]]\nname = "{name}"\ncommand = "c"\n')
    assert plan.entrants == ["anna", "bo", "bot-3"]
    assert plan.names["bot-3"] == name
    assert parse_plan(format_plan(plan)) == plan
    assert made_up([(bot.name, bot.id) for bot in plan.bot]) == {"bot-3": name}


def test_an_id_by_number_that_is_taken_is_told_like_any_other() -> None:
    bots = "".join(f"[[bot]]\nname = '{name}'\ncommand = 'c'\n" for name in ("bot-2", "東京"))
    [problem] = problems_of(bots)
    assert (
        problem == "'bot-2' and '東京' both get the id bot-2; give each entrant a name of its own"
    )


def test_a_field_can_be_set_for_a_bot_by_either_name() -> None:
    bots = "[[bot]]\nname = '北京'\ncommand = 'c'\n[[bot]]\nname = '東京'\ncommand = 'c'\n"
    for called, number in (("北京", 0), ("bot-2", 1)):
        plan = parse_plan(bots, [parse_set(f"bot.{called}.process=run")])
        assert [bot.process for bot in plan.bot].index("run") == number


def test_on_the_command_line_the_advice_can_be_followed_there() -> None:
    (both,) = told(*ASA, by_options=True)
    assert both.endswith('made of the text before a comma: call one "Åsa Ek Kronan 1676"')
    assert told(ASA[0], "Åsa Ek Kronan 1676", by_options=True) == []


def test_a_file_is_told_in_which_line() -> None:
    bots = (
        "".join(f'[[bot]]\nname = "{name}"\ncommand = "true"\n' for name in ASA)
        + '[[bot]]\nname = "x"\ncommand = "true"\nid = "X"\n'
    )
    assert [problem.partition(":")[0] for problem in problems_of(bots, tell_lines=True)] == [
        "line 5",
        "line 10",
    ]


# Tournament files that are not TOML, or have their brackets wrong: told in plain words, with the
# line


SINGLE = "[bot] has single brackets; write [[bot]], once for each bot"
DOUBLE = "[[tournament]] has double brackets; write [tournament], which may occur once"


@pytest.mark.parametrize(
    ("headers", "problems"),
    [
        (["[bot]"], [f"line 1: {SINGLE}"]),
        (["[[bot]]", "[bot]"], [f"line 2: {SINGLE}"]),
        (["[tournament]", "[bot]", "[clock]", "[bot]"], [f"line 2: {SINGLE}", f"line 4: {SINGLE}"]),
        (["[[tournament]]", "[bot]"], [f"line 1: {DOUBLE}", f"line 2: {SINGLE}"]),
        (
            ["[[bot]]", "[[tournament]]", "[[tournament]]"],
            [f"line 2: {DOUBLE}", f"line 3: {DOUBLE}"],
        ),
        (
            ["[clock]", "[[bot]]", "[clock]"],
            ["line 3: [clock] occurs a second time; put its fields under the [clock] of line 1"],
        ),
        (["[bot]", "nonsense"], [f"line 1: {SINGLE}", "line 2: not TOML: nonsense: expected '='"]),
    ],
)
def test_wrong_brackets_are_told_with_their_lines(headers: list[str], problems: list[str]) -> None:
    found = problems_of("\n".join(headers))
    assert len(found) == len(problems), found
    for one, beginning in zip(found, problems, strict=True):
        assert one.startswith(beginning)


def test_an_unknown_list_has_its_line() -> None:
    [problem] = problems_of(f"{BOTS}[[bots]]\nname = 'anna'", tell_lines=True)
    assert problem.startswith("line 9: unknown section: 'bots'; known are")


def test_a_text_over_lines_may_hold_what_looks_like_a_section() -> None:
    assert problems_of(f'[tournament]\nname = """\n[bot]\n"""\n{BOTS}') == (
        "[tournament] name = '[bot]\\n': expected one line without control characters",
    )
    assert problems_of(
        f'[tournament]\nruleset = {{ base = "classic", name = "a\\u001b" }}\n{BOTS}'
    ) == (
        "[tournament] ruleset: a ruleset needs a name of at most 60 printable characters, found 'a\\x1b'",
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("not toml", "line 1: not TOML: not toml: expected '=' after a key in a key/value pair"),
        (
            "[clock]\nbank_ms = 1\nbank_ms = 2",
            "line 3: not TOML: bank_ms = 2: cannot overwrite a value; bank_ms is given",
        ),
        (
            "[tournament]\nname = Vasa Cup",
            "line 2: not TOML: name = Vasa Cup: invalid value; put a text in quotes: name =",
        ),
        ("[tournament]\nname: 'Cup'\n", "; write name = 'Cup'"),
        ("[tournament]\nname = “Cup”\n", '; write straight quotes: "'),
        (
            '[tournament]\nname = "Cup\n',
            "; a text must end with its opening quote, in the same line",
        ),
        (
            '[tournament]\nname = "C:\\bots\\a"\n',
            "or put the text in single quotes: name = 'C:\\bots\\a'",
        ),
        (
            "[tournament\n",
            "line 1: not TOML: [tournament: expected ']' at the end of a table declaration",
        ),
    ],
)
def test_what_is_not_toml_is_told_with_what_to_write(text: str, problem: str) -> None:
    found = problems_of(text)
    assert any(problem in one for one in found), found


# `[luck]` of a tournament file: the evaluator is fixed before the first game, with its hash, in
# every first line


VASA = f'[luck]\nevaluator = "brade-vasa-3"\n{BOTS}'


def test_an_evaluator_that_is_named_is_fixed_by_its_hash() -> None:
    plan = parse_plan(VASA)
    fixed = fixed_evaluator(plan.luck, plan.game())
    assert fixed == FixedEvaluator(name="brade-vasa-3", sha256=files.PINNED["brade-vasa-3"])
    assert parse_plan(format_plan(plan)) == plan
    assert not fixed_evaluator(parse_plan(BOTS).luck, plan.game())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[luck]\nevaluator = "brade-vasa"\n',
            "line 2: [luck] evaluator: there is no evaluator 'brade-vasa'; there are",
        ),
        (
            '[luck]\nevaluator = "backgammon-4"\n',
            "whose rules differ from those of vasa; name another one, or leave out",
        ),
        ("[luck]\nevaluator = 1\n", "[luck] evaluator = 1 (a whole number): expected text"),
        (
            '[tournament]\nruleset = "brandubh-1"\n[luck]\nevaluator = "brade-vasa-3"\n',
            "there is no evaluator for brandubh-1: only tables games have one; name another one, or leave out [luck]",
        ),
    ],
)
def test_one_that_cannot_be_fixed_is_refused(text: str, message: str) -> None:
    assert message in "\n".join(problems_of(text + BOTS, tell_lines=True))


def test_other_weights_under_the_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PINNED", {"brade-vasa-3": "0" * 64})
    files.evaluator_named.cache_clear()
    assert "is not brade-vasa-3: its SHA-256 is" in problems_of(VASA)[0]
    files.evaluator_named.cache_clear()
