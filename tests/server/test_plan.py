"""The tournament file: read strictly, and every problem told at once."""

import re
import sys
from collections.abc import Sequence

import msgspec
import pytest

from arena.matches.time_control import TimeControl
from arena.server.setup import tournament_file
from arena.server.setup.bot_section import BotSection
from arena.server.setup.given_fields import GivenField
from arena.server.setup.listen_section import ListenSection
from arena.server.setup.run_folder import adds_entrants
from arena.server.setup.sections import words_for
from arena.tournaments.formats import FORMATS
from arena.tournaments.formats.gauntlet import Gauntlet
from tests.english import english

BOTS = """
[[bot]]
name = "anna"
command = "python a.py --deep 'two words'"

[[bot]]
name = "bo"
command = ["python", "b.py"]
"""


def problems_of(
    text: str, given: Sequence[GivenField] = (), *, tell_lines: bool = False
) -> tuple[str, ...]:
    with pytest.raises(tournament_file.PlanError) as caught:
        tournament_file.parse_plan(text, given, tell_lines=tell_lines)
    problems = tuple(english(caught.value.problems))
    assert str(caught.value) == "\n".join(problems)
    return problems


def test_two_bots_are_enough_and_everything_else_has_a_default() -> None:
    plan = tournament_file.parse_plan(BOTS)
    assert plan.entrants == ["anna", "bo"]
    assert plan.names == {"anna": "anna", "bo": "bo"}
    assert plan.bot[0].arguments == (sys.executable, "a.py", "--deep", "two words")
    assert plan.bot[1].arguments == (sys.executable, "b.py")
    assert (plan.tournament, plan.clock, plan.limits, plan.listen) == (
        tournament_file.TournamentSection(),
        TimeControl(),
        tournament_file.LimitsSection(),
        ListenSection(),
    )
    assert plan.game().name == "vasa"


def test_the_terms_of_every_match_follow_from_the_file() -> None:
    plan = tournament_file.parse_plan(
        "[tournament]\ngames = 5\n[clock]\ndelay_ms = 1\nbank_ms = 2\nincrement_ms = 5\n"
        "[limits]\nrejections = 0\nturns = 3\nstartup_ms = 4\n" + BOTS
    )
    terms = plan.terms
    assert (terms.games, terms.clock) == (5, TimeControl(delay_ms=1, bank_ms=2, increment_ms=5))
    assert (terms.rejections, terms.turn_limit, terms.startup_ms) == (0, 3, 4)
    assert (terms.form, plan.best_game) == ("series", "value")


BOTH = (
    tournament_file.BotSection(name="anna", command="a"),
    tournament_file.BotSection(name="bo", command=("b", "c d")),
)


@pytest.mark.parametrize(
    "plan",
    [
        tournament_file.Plan(bot=BOTH),
        tournament_file.Plan(
            tournament=tournament_file.TournamentSection(
                name='Cup "2" ö',
                ruleset="classic",
                options=("one_die",),
                games=7,
                best_game="rank",
                at_once=9,
                absent="wait",
            ),
            format=Gauntlet(challengers=("bo",), cycles=2),
            clock=TimeControl(delay_ms=0, bank_ms=5),
            limits=tournament_file.LimitsSection(
                rejections=0, turns=9, violations=0, startup_ms=1, grace_ms=0, join_ms=0
            ),
            listen=ListenSection(address="unix:/x"),
            bot=(
                tournament_file.BotSection(name="anna", remote=True, token_file="t"),
                tournament_file.BotSection(
                    name="bo", command="b", process="run", matches_at_once=64
                ),
            ),
        ),
        tournament_file.Plan(
            tournament=tournament_file.TournamentSection(
                ruleset={"base": "classic", "name": "house", "points_jan": 5},
                options=("one_die",),
                pairs=50,
            ),
            bot=BOTH,
        ),
    ],
    ids=["defaults", "everything", "house rules with options, in pairs"],
)
def test_a_plan_that_is_written_reads_back_the_same(plan: tournament_file.Plan) -> None:
    again = tournament_file.parse_plan(tournament_file.format_plan(plan))
    assert again == plan
    assert again.terms == plan.terms


BEFORE_THE_BOTS = [
    (
        "[turnament]\n",
        "known are tournament, clock, limits, listen, luck, bot; did you mean 'tournament'?",
    ),
    (
        "[clock]\nbank = 5\n",
        "unknown field in [clock]: 'bank'; known are delay_ms, bank_ms, increment_ms; did you mean 'bank_ms'?",
    ),
    ("[clock]\nbank_ms = -1\n", "[clock] bank_ms = -1: expected a whole number of 0 to 604800000"),
    (
        "[clock]\nbank_ms = 1.5\n",
        "[clock] bank_ms = 1.5 (a number with a fraction): expected a whole number of 0 to 604800000",
    ),
    (
        "[clock]\nbank_ms = true\n",
        "[clock] bank_ms = true: expected a whole number of 0 to 604800000",
    ),
    (
        "[clock]\nbank_ms = '5'\n",
        "[clock] bank_ms = '5' (text): expected a whole number of 0 to 604800000",
    ),
    ("[tournament]\ngames = 4\n", "[tournament] games = 4: expected 3, 5 or 7"),
    (
        "[tournament]\npairs = 9\ngames = 3\n",
        "[tournament] has both games and pairs: a match has single",
    ),
    (
        "[tournament]\npairs = 9\nbest_game = 'value'\n",
        "equal points in pairs are a draw; leave it out",
    ),
    (
        "[tournament]\nbest_game = 'none'\n",
        "[tournament] best_game = 'none': expected 'rank' or 'value'",
    ),
    (
        "[tournament]\nabsent = 'stay'\n",
        "[tournament] absent = 'stay': expected 'forfeit' or 'wait'",
    ),
    (
        "[tournament]\nabsent = 'wait'\nformat = 'knockout-1'\n",
        "[tournament] absent = 'wait': knockout-1 draws its rounds one by one, and none may stay open; leave it out",
    ),
    (
        "[tournament]\nabsent = 'wait'\nformat = 'swiss-monrad-1'\n",
        "swiss-monrad-1 draws its rounds one by one",
    ),
    ("[tournament]\nname = ''\n", "[tournament] name = '': expected text of 1 to 100 characters"),
    ("[tournament]\nruleset = 'wasa'\n", "did you mean 'vasa'?"),
    (
        "[tournament]\nruleset = 'classic'\noptions = ['easy_entry']\n",
        "[tournament] options: unknown option 'easy_entry'; classic takes double_six, easy_reentry, one_die; did",
    ),
    (
        "[tournament]\noptions = ['one_die']\n",
        "[tournament] options: unknown option 'one_die'; vasa takes none; 'one_die' is an option of classic",
    ),
    (
        "[tournament]\nruleset = 'classic'\noptions = 'one_die'\n",
        "[tournament] options = 'one_die' (text): expected a list of texts",
    ),
    ("[tournament]\noptions = [1]\n", "[tournament] options = [1]: expected a list of texts"),
    ("[listen]\ninsecure = 'yes'\n", "[listen] insecure = 'yes' (text): expected true or false"),
    (
        "[tournament]\nruleset = 5\n",
        "[tournament] ruleset = 5 (a whole number): expected text or a table",
    ),
    (
        "[tournament]\nruleset = 'brandubh-1'\nbest_game = 'rank'\n",
        "[tournament] best_game = 'rank': the endings of brandubh-1 have no ranks (B10); use 'value'",
    ),
    (
        "[tournament]\nbest_game = 'rank'\nruleset = { base = 'brandubh-2', name = 'x', repetitions = 0 }\n",
        "[tournament] best_game = 'rank': the endings of x have no ranks (B10); use 'value'",
    ),
    (
        "[tournament]\nruleset = { base = 'brandubh-2', name = 'x', repetitions = 1 }\n",
        "[tournament] ruleset: repetitions = 1 would draw every game at its start",
    ),
    (
        "[tournament.ruleset]\nbase = 'vasa'\npoints_jan = 5\n",
        "a house ruleset needs a name of its own",
    ),
    (
        "[tournament.ruleset]\nbase = 'vasa'\nname = 'x'\npoint_jan = 1\n",
        "did you mean 'points_jan'?",
    ),
    ("clock = 5\n", "[clock] must be a table of fields"),
    (
        "[clock]\nbank_ms = 0\ndelay_ms = 0\n",
        "both 0, so a bot has no time at all; set one of them",
    ),
]
AFTER_THE_BOTS = [
    (
        "[[bot]]\nname = 'cia'\ncommand = 5",
        "command = 5 (a whole number): expected text or a list of texts",
    ),
    ("[[bot]]\ncommand = 'c'", "[[bot]] number 3 has no name"),
    *(
        (
            f"[[bot]]\nname = 'cia'\n{more}",
            "bot cia: give either a command, or remote = true, or person = true",
        )
        for more in ("", "command = 'c'\nremote = true", "command = 'c'\nperson = true")
    ),
    (
        "[[bot]]\nname = 'cia'\nperson = true\nmatches_at_once = 2",
        "bot cia: a person plays one match at a time",
    ),
    (
        "[[bot]]\nname = 'cia'\nperson = true",
        "[clock] 110 s for a game of 50 turns are too short for a person",
    ),
    ("[[bot]]\nname = 'cia'\ncommand = ' '", "bot cia: the command is empty"),
    (
        "[[bot]]\nname = 'cia'\ncommand = 'x \"'",
        "bot cia: the command cannot be read as a shell would",
    ),
    ("[[bot]]\nname = 'cia'\ncommand = [1]", "[[bot]] number 3 command = [1]"),
    (
        "[[bot]]\nname = 'cia'\ncommand = 'c'\ntoken_file = 't'",
        "bot cia: only a remote bot has a token_file",
    ),
    (
        "".join(
            f"[[bot]]\nname = '{name}'\nremote = true\ntoken_file = 't'\n"
            for name in ("cia", "dag")
        ),
        "token_file = 't' is that of cia and dag: each could play for the other",
    ),
    (
        "[[bot]]\nname = 'cia'\nremote = true\nif_installed = 'x'",
        "bot cia: if_installed is for a bot with a command",
    ),
    (
        "[[bot]]\nname = 'cia'\nremote = true\nprocess = 'run'",
        "bot cia: process is for a bot with a command",
    ),
    (
        "[[bot]]\nname = 'cia'\ncommand = 'c'\nprocess = 'game'",
        "process = 'game': expected 'match' or 'run'",
    ),
    ("[[bot]]\nname = 'cia'\ncomand = 'c'", "unknown field in [[bot]] number 3: 'comand'"),
    ("[[bot]]\nname = 'anna'\ncommand = 'c'", "'anna' is entered 2 times"),
    ("[[bot]]\nname = 'c'\nid = 'Cia'\ncommand = 'c'", "'Cia' is not a name"),
    ("[[bot]]\nname = 'Anna'\ncommand = 'c'", "'anna' is entered 2 times"),
    ("[[bot]]\nname = 'ANNA'\nid = 'cia'\ncommand = 'c'", "anna and cia are both called 'ANNA'"),
    ('[[bot]]\nname = "C\\u001b[2J"\nid = "c"\ncommand = "c"', "cannot be shown"),
    ("[[bot]]\nname = ' Cia'\nid = 'cia'\ncommand = 'c'", "with no blank at either end"),
    (f"[[bot]]\nname = '{'ä' * 61}'\nid = 'cia'\ncommand = 'c'", "use 1 to 60 printable"),
]
ALONE = [
    ("", "round_robin needs at least 2 entrants, found 0"),
    ("[[bot]]\nname = 'anna'\ncommand = 'a'", "round_robin needs at least 2 entrants, found 1"),
    ("bot = 5", "bots are given as [[bot]], one table for each"),
    (
        "[bot]\nname = 'anna'",
        "line 1: [bot] has single brackets; write [[bot]], once for each bot",
    ),
    ("bot = [5, 6]", "[[bot]] number 1 must be a table of fields"),
]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        *((text + BOTS, problem) for text, problem in BEFORE_THE_BOTS),
        *((BOTS + text, problem) for text, problem in AFTER_THE_BOTS),
        *ALONE,
    ],
)
def test_a_problem_is_told_with_where_it_is_and_what_would_do(text: str, problem: str) -> None:
    found = problems_of(text)
    assert any(problem in one for one in found), found


NONSENSE = """\
[tournament]
games = "3"
format = "Swiss"
ruleset = "wasa"

[clock]
  "delay_ms" = "1000"
bank = 5

[[bot]]
name = "anna"
command = 7

[[bot]]
name = "bo"
"""


def test_every_problem_of_a_file_is_told_with_its_line() -> None:
    problems = problems_of(NONSENSE, tell_lines=True)
    heads = [re.match(r"line \d+: [^;:]*", problem)[0] for problem in problems]
    assert heads == [
        "line 2: [tournament] games = '3' (text)",
        "line 3: [tournament] format",
        "line 4: [tournament] ruleset",
        "line 7: [clock] delay_ms = '1000' (text)",
        "line 8: unknown field in [clock]",
        "line 12: [[bot]] number 1 command = 7 (a whole number)",
        "line 14: bot bo",
    ]
    assert "did you mean 'swiss-monrad-1'?" in problems[1]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("clock = 5\n" + BOTS, 1),
        ("[tournament]\n[tournament.ruleset]\nbase = 'vasa'\npoints_jan = 5\n" + BOTS, 2),
        ("[tournament]\nname = 'x'\n[tournament.ruleset]\nname = 'y'\nbase = 'wasa'\n" + BOTS, 3),
        ("# a remark\n\n[turnament]\n" + BOTS, 3),
        (BOTS + "[[bot]]\ncommand = 'c'", 9),
        ("[tournament]\nformat = 'knockout-1'\n\ncycles = 2\n" + BOTS, 4),
    ],
)
def test_the_line_is_that_of_the_field_or_of_its_section(text: str, line: int) -> None:
    assert problems_of(text, tell_lines=True)[0].startswith(f"line {line}: ")


@pytest.mark.parametrize(
    ("ruleset", "name"),
    [
        ("'classic'", "classic+double_six+one_die"),
        ("{ base = 'classic', name = 'club', points_jan = 5 }", "club"),
    ],
)
def test_options_are_switched_on_in_a_named_and_in_a_house_ruleset(ruleset: str, name: str) -> None:
    plan = tournament_file.parse_plan(
        f"[tournament]\nruleset = {ruleset}\noptions = ['one_die', 'double_six']\n" + BOTS
    )
    game = plan.game()
    assert (game.name, game.ruleset["one_die"], game.ruleset["double_six"]) == (name, True, True)
    assert game.ruleset["entry_strikes"] == "no_free_point"


@pytest.mark.parametrize(
    "kind",
    [
        tournament_file.TournamentSection,
        TimeControl,
        tournament_file.LimitsSection,
        ListenSection,
        BotSection,
        *FORMATS.values(),
    ],
    ids=lambda kind: kind.__name__,
)
def test_there_are_words_for_every_field(kind: type[msgspec.Struct]) -> None:
    """None has a type for which a message would be missing."""
    assert all(words_for(field.type) for field in msgspec.structs.fields(kind))


def test_a_format_that_cannot_be_played_is_a_problem_of_the_file() -> None:
    [unknown] = problems_of('[tournament]\nformat = "swiss"\nrounds = 3\n' + BOTS)
    assert unknown.startswith(
        "[tournament] format: unknown format 'swiss'; known are round_robin, gauntlet-1, swiss-"
    )
    assert unknown.endswith("; did you mean 'swiss-monrad-1'?")
    [odd] = problems_of("[tournament]\nformat = []\n" + BOTS)
    assert odd.startswith("[tournament] format: unknown format []; known are")
    [useless] = problems_of('[tournament]\nformat = "knockout-1"\ncycles = 2\n' + BOTS)
    assert (
        useless
        == "[tournament] knockout-1 takes no cycles (it is for round_robin and gauntlet-1); leave it out"
    )
    [slip] = problems_of(
        '[tournament]\nformat = "gauntlet-1"\nchallengers = ["bo"]\ncycle = 2\n' + BOTS
    )
    assert slip.endswith("at_once, absent, format, cycles, challengers; did you mean 'cycles'?")


CIA = '[[bot]]\nname = "cia"\nremote = true\n'


@pytest.mark.parametrize(
    ("frozen", "given", "adds"),
    [
        (BOTS, BOTS + CIA, True),
        (BOTS, "# all the same\n" + BOTS + CIA, True),
        (BOTS, BOTS, False),
        (BOTS, CIA + BOTS, False),
        (BOTS + CIA, BOTS, False),
        (BOTS, "[tournament]\ncycles = 2\n" + BOTS + CIA, False),
        (BOTS, BOTS + "matches_at_once = 2\n" + CIA, False),
        (BOTS, BOTS + CIA + CIA, False),
        (
            '[tournament]\nformat = "knockout-1"\n' + BOTS,
            '[tournament]\nformat = "knockout-1"\n' + BOTS + CIA,
            False,
        ),
    ],
    ids=[
        "one more",
        "and a comment",
        "the same",
        "in front",
        "one less",
        "cycles",
        "another field",
        "twice",
        "knock-out",
    ],
)
def test_a_file_adds_entrants_if_nothing_else_has_changed(
    frozen: str, given: str, adds: object
) -> None:
    assert adds_entrants(frozen.encode(), given) is adds
