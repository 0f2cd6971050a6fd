"""What the arena says of errors that are not its own, and of files and doors: in English and in Swedish."""

import pickle
import tomllib
from pathlib import Path

import pytest

from arena.regular_files import NotRegularError, failed
from arena.server.io.disk import DiskError, kept_on_disk
from arena.server.io.door_reasons import CROWDED, english, recognized
from arena.server.io.operator_log import sentence
from arena.server.run.workers.chunk import WorkerError
from arena.server.setup.problems import LONGEST_TOLD, shortened
from arena.server.setup.toml_errors import toml_reason
from arena.server.setup.tournament_file import PlanError, parse_plan
from arena.words import ProblemsError, Said, joined, say
from tests.server.test_plan import BOTS

NOT_TOML = [
    "a",
    "a = ",
    "a = [1",
    "a = 1 b",
    "[a",
    "[[a",
    "a = 1\na = 2",
    'a = "x',
    "a = 'x",
    'a = "\\q"',
    "= 1",
    'a = "x\ny"',
    "[a]\n[a]",
    "a = {b = 1",
    "a = {b=1,}",
    "a={b=1}\na.c=2",
    'a = "\\u12"',
    'a = "\\uD800"',
    "a = {b=1, b=2}",
    "[a.b]\n[a]\nb.c=1",
    "a = 2020-13-01",
]


@pytest.mark.parametrize("text", NOT_TOML)
def test_every_error_of_toml_has_a_sentence(text: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError) as refused:
        tomllib.loads(text)
    reason = toml_reason(str(refused.value))
    assert reason.code != "quoted"
    assert say(reason).lower() == str(refused.value).partition(" (at ")[0].lower()
    assert say(reason, "sv") != say(reason)


@pytest.mark.parametrize(
    ("text", "swedish"),
    [
        (
            "[clock]\ndelay_ms = 'soon'",
            "rad 2: [clock] delay_ms = 'soon' (text): väntade ett heltal från 0 till 604800000",
        ),
        ("[clok]\nx = 1", "rad 1: okänt avsnitt: 'clok'; kända är "),
        ("[tournament]\ngames = 4", "rad 2: [tournament] games = 4: väntade 3, 5 eller 7"),
        (
            "[tournament]\nruleset = 'vassa'",
            "rad 2: [tournament] ruleset: okänt regelverk 'vassa'; kända är ",
        ),
        (
            "[[bot]]\nname = 'x'\ncommand = 'sh \"'",
            "rad 1: boten x: kommandot kan inte läsas som ett skal skulle göra: ett citattecken börjar och slutar inte",
        ),
        (
            "[[bot]]\nname = 5\ncommand = 'x'",
            "rad 2: [[bot]] nummer 1 name = 5 (ett heltal): väntade text",
        ),
        (
            "[clock]\nbank_ms = soon",
            "rad 2: inte TOML: bank_ms = soon: ogiltigt värde; sätt en text i citattecken: ",
        ),
        (
            "[listen]\naddress = 'here'",
            "rad 2: [listen] address: kan inte lyssna på 'here'; väntade unix:/sökväg",
        ),
    ],
)
def test_a_tournament_file_is_refused_in_swedish(text: str, swedish: str) -> None:
    with pytest.raises(PlanError) as refused:
        parse_plan(f"{text}\n{BOTS}", tell_lines=True)
    assert say(refused.value.problems[0], "sv").startswith(swedish)


def test_the_nearest_name_is_a_part_of_the_sentence() -> None:
    with pytest.raises(PlanError) as refused:
        parse_plan(f"[tournament]\nruleset = 'vassa'\n{BOTS}")
    [problem] = refused.value.problems
    assert say(problem).endswith("; did you mean 'vasa'?")
    assert say(problem, "sv").endswith("; menade du 'vasa'?")


def test_a_file_that_is_refused_says_which_and_why(tmp_path: Path) -> None:
    refused = NotRegularError("pipe")
    assert str(refused) == "[Errno 22] it is not a regular file: 'pipe'"
    assert say(failed(refused), "sv") == "pipe: den är ingen vanlig fil"
    with pytest.raises(DiskError) as stopped, kept_on_disk():
        (tmp_path / "none").read_bytes()
    assert say(failed(stopped.value)) == f"{tmp_path / 'none'}: No such file or directory"
    assert say(failed(stopped.value), "sv") == f"{tmp_path / 'none'}: filen eller mappen finns inte"


@pytest.mark.parametrize("reason", [CROWDED, english("door.no_login", seconds=10)])
def test_a_refusal_is_english_in_the_log_and_swedish_for_people(reason: str) -> None:
    event = {"event": "connection_refused", "level": "warning", "place": "here", "reason": reason}
    assert sentence(event) == f"a connection from here was refused: {reason}"
    told = sentence(event, "sv")
    assert told.startswith("en förbindelse från here avvisades: ")
    assert reason not in told
    for seconds in (1, 30):
        wait = Said("door.many_logins", {"count": seconds})
        assert recognized(english("door.many_logins", count=seconds)) == wait
    assert recognized("of the protocol") == Said("quoted", {"text": "of the protocol"})


def test_what_is_said_comes_whole_from_another_process() -> None:
    said = Said(
        "worker.cannot_play", {"host": "h", "problems": Said("run_folder.in_use", {"folder": "f"})}
    )
    error = pickle.loads(pickle.dumps(WorkerError(said)))
    assert (type(error), error.said, str(error)) == (WorkerError, said, say(said))
    many = pickle.loads(pickle.dumps(ProblemsError([Said("token.empty"), "of another"])))
    assert [say(problem) for problem in many.problems] == ["the file is empty", "of another"]


def test_many_problems_are_said_as_one_and_a_long_one_is_shortened() -> None:
    many = joined([Said("token.empty")] * 20_000)
    assert say(many).count("the file is empty") == 20_000
    names = [f"b{number}" for number in range(20_000)]
    long = Said("plan.shared_token_file", {"file": repr("x" * 5000), "names": names})
    told = say(shortened(long))
    assert len(told) <= LONGEST_TOLD
    assert "b0, b1, b2, ..., b19997, b19998 and b19999: each could play" in told
