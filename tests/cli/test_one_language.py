"""One language per output: what commands print in Swedish has no English words, and the English ones no Swedish.

Every wrong use of test_refusals.py is tried, and every kind of run is looked at; a run is played in
tests/end_to_end/test_one_language.py.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.cli.shared.language import IN_ALL_LANGUAGES
from tests.cli.test_encodings import READING
from tests.cli.test_refusals import WRONG
from tests.cli.test_streams import hostile_run
from tests.fixtures import sample_runs, small_run
from tests.fixtures.asked_pages import write_run
from tests.fixtures.command_line import Arena
from tests.fixtures.language_mixes import strangers
from tests.fixtures.signed_run import signed_run
from tests.fixtures.small_run import RECORD, Files, run_of


def of(attempt: Callable[[], small_run.Sitting]) -> Callable[[], Files]:
    return lambda: sample_runs.run_with(attempt())


def of_brandubh(attempt: Callable[[], small_run.Sitting]) -> Callable[[], Files]:
    def make() -> Files:
        sitting = attempt()
        return run_of(
            small_run.opened_tournament(sitting.opened.terms, rules=sitting.rules), sitting
        )

    return make


RUNS: dict[str, Callable[[], Files]] = {
    "absent": sample_runs.absent_run,
    "agreed": of_brandubh(small_run.agreed_attempt),
    "annulled": sample_runs.annulled_run,
    "annulling": lambda: sample_runs.annulled_run(is_finished=False),
    "brandubh": of_brandubh(small_run.brandubh_attempt),
    "called": of(small_run.called_attempt),
    "failing": sample_runs.failing_run,
    "hostile": lambda: hostile_run("1"),
    "joined": sample_runs.joined,
    "knockout": sample_runs.knockout,
    "one-die": of(sample_runs.one_die_attempt),
    "pairs": of(small_run.pairs_attempt),
    "shortened": sample_runs.shortened_run,
    "signed": signed_run,
    "small": small_run.small_run,
    "starved": of(small_run.starved_attempt),
    "strict": sample_runs.strict_run,
    "unfinished": small_run.unfinished_run,
    "voided": lambda: sample_runs.voided_run(3),
}
_NAMES = re.compile(r"\b(?:no|each)\b")
"""What folders of these tests are called."""
LOOKS = (("standings",), ("standings", "--luck-adjusted"), ("show",), ("report", "--games", "1"))
OTHERS = [words for words in READING if words[0] not in ("--language", "docs")]
"""Without the list of pages, which has the title of the Swedish one."""
USAGE = (
    ("run", "--nope"),
    ("run", "--game", "3"),
    ("run", "--games", "4"),
    ("run", "--games"),
    ("run", "--browser=1"),
    ("run", "--workers", "many"),
    ("run", "--key", "."),
    ("run", "--key", "none"),
    ("run", "none.toml"),
    ("run", "bot.py"),
    ("run", "anna=bot"),
    ("run", "my-run", "--set", "clock.delay_ms=1"),
    ("run", "my-run", "--games", "3"),
    ("standings",),
    ("standings", "my-run", "my-run"),
    ("standings", "--follow=x", "my-run"),
    ("show", "none"),
    ("show", "my-run", "--game", "0"),
    ("watch", "my-run", "--listen", "here"),
    ("report", "my-run", "--out"),
    ("play", "--games", "4"),
    ("play", "--set", "limits.turns=3", "greedy", "--terminal"),
    ("play", "my-run", "--terminal"),
    ("play", "person", "--terminal"),
)
BAD_FILES = {
    "unknown.toml": '[tournament]\nnam = "x"\ngames = 4\n[clok]\n[clock]\nbank_ms = "x"\n[[bot]]\nname = "a"',
    "no-toml.toml": "[tournament\n",
    "unquoted.toml": "[tournament]\nname = Friday night\n",
    "deep.toml": f"a = {'[' * 20}{']' * 20}",
    "few.toml": '[[bot]]\nname = "a"\ncommand = "true"\n',
    "twins.toml": '[[bot]]\nname = "a"\ncommand = "nosuch"\n[[bot]]\nname = "a"\nremote = true\nreads = ["x"]\n',
    "formats.toml": '[tournament]\nformat = "swis"\nruleset = "wasa"\n[[bot]]\nname = "1"\nremote = true\n',
    "options.toml": '[tournament]\nformat = "knockout-1"\nrounds = 3\noptions = ["x"]\npairs = 3\ngames = 3',
    "persons.toml": '[clock]\nbank_ms = 5\n[[bot]]\nname = "a"\nperson = true\n[[bot]]\nname = "b"\ncommand = "true"\n',
    "listen.toml": '[listen]\naddress = "tcp:0.0.0.0:5"\ncertificate = "no.pem"\n[[bot]]\nname = "a"\nremote = true\n',
    "token.toml": '[[bot]]\nname = "a"\nremote = true\ntoken_file = "none"\n[[bot]]\nname = "b"\nfolder = "no"\n',
    "luck.toml": '[luck]\nevaluator = "x"\n[[bot]]\nname = "a"\nremote = true\n[[bot]]\nname = "b"\nremote = true\n',
    "utf-16.toml": "\ufeff[tournament]",
    "rules.toml": '[tournament]\nruleset = {base = "vasa", name = "mine", start = [[1, 3]], points = 3, jan = "x"}\n',
    "empty.toml": "",
}


@pytest.fixture
def swedish(arena: Arena, here: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Run a command that is asked to speak Swedish, and return what it prints on both streams."""
    monkeypatch.setattr("arena.services.luck.CORES", 1)  # no process of its own
    (here / "full").mkdir()
    (here / "full" / "file").touch()
    (here / "bot.py").touch()

    def printed(*words: object) -> str:
        result = arena("--language", "sv", *words)
        shown = f"{result.stdout}\n{result.stderr}"
        for name in _NAMES.findall(" ".join(map(str, words))):
            shown = re.sub(rf"\b{re.escape(name)}\b", "", shown)
        return shown

    return printed


def language_of(command: str) -> str:
    return "sv" if command in IN_ALL_LANGUAGES else "en"


@pytest.mark.parametrize("name", RUNS)
def test_runs_of_every_kind_are_shown_in_one_language(
    swedish: Callable[..., str], here: Path, name: str
) -> None:
    run = write_run(here / "my-run", RUNS[name]())
    records = sorted((run / "matches").glob("*.jsonl"))
    for command, *options in LOOKS:
        assert strangers(swedish(command, run, *options), "sv") == [], command
    for record in records:
        assert strangers(swedish("show", record), "sv") == [], record.name


@pytest.mark.usefixtures("run_folder")
@pytest.mark.parametrize(
    "words",
    [(command, *words) for command, uses in WRONG.items() for words, _ in uses],
    ids=lambda words: " ".join(words)[:60],
)
def test_wrong_use_is_told_in_one_language(
    swedish: Callable[..., str], words: tuple[str, ...]
) -> None:
    assert strangers(swedish(*words), language_of(words[0])) == []


@pytest.mark.usefixtures("run_folder")
@pytest.mark.parametrize("words", USAGE, ids=" ".join)
def test_what_click_refuses_is_told_in_one_language(
    swedish: Callable[..., str], words: tuple[str, ...]
) -> None:
    told = swedish(*words)
    assert told.strip().startswith(("Fel: ", "Användning: "))
    assert strangers(told, "sv") == []
    assert "på engelska) ”" not in told, "click says something that usage.py does not know"


@pytest.mark.parametrize("name", BAD_FILES)
def test_problems_of_a_tournament_file_are_told_in_one_language(
    swedish: Callable[..., str], here: Path, name: str
) -> None:
    encoding = "utf-16" if name.startswith("utf-16") else "utf-8"
    (here / name).write_text(BAD_FILES[name], encoding=encoding)
    told = swedish("run", name, "--dry-run")
    assert "Fel: " in told
    assert strangers(told, "sv") == []


@pytest.mark.parametrize(
    ("name", "damage"), [("tournament.jsonl", b"{}\n"), (RECORD, b"{}\n"), (RECORD, b"\xff\n")]
)
def test_a_damaged_record_is_told_in_one_language(
    swedish: Callable[..., str], here: Path, run_folder: Path, name: str, damage: bytes
) -> None:
    with (run_folder / name).open("r+b") as file:
        file.readline()
        file.write(damage)
    for words in (*LOOKS, ("run",), ("report", "--analyse")):
        assert strangers(swedish(words[0], run_folder, *words[1:]), "sv") == [], words
    assert strangers(swedish("show", run_folder / RECORD), "sv") == []


@pytest.mark.parametrize("words", OTHERS, ids=" ".join)
def test_every_other_command_is_english_as_a_whole(
    swedish: Callable[..., str], here: Path, words: tuple[str, ...]
) -> None:
    write_run(here / "run", small_run.small_run())
    write_run(here / "named", hostile_run("1"))
    assert strangers(swedish(*words), language_of(words[0])) == []


@pytest.mark.usefixtures("here")
def test_what_belongs_to_no_command_is_english_as_a_whole(swedish: Callable[..., str]) -> None:
    for words in (
        ("--help",),
        ("ruun",),
        ("--nope",),
        ("run", "--help"),
        ("help", "run"),
        ("--language", "de", "run"),
    ):
        assert strangers(swedish(*words), "en") == []
