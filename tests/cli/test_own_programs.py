"""`python` and `arena` in a bot's command are the arena's own, wherever it is installed."""

import sys
from pathlib import Path

import pytest

from arena.own_programs import module_advice, with_own_programs
from arena.server.io.operator_log import sentence
from arena.server.setup.bot_section import BotSection
from arena.shipped import shipped
from arena.words import say
from tests.fixtures.command_line import Arena

OURS = Path(sys.executable)
BOT = """
from protocol.client import Bot, Choice

class Mine(Bot):
    wants = ("legal",)

    def play(self, turn):
        return Choice(0)

Mine().main()
"""


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("python bot.py", [str(OURS), "bot.py"]),
        ("arena adapter gnubg", [str(OURS.with_name("arena")), "adapter", "gnubg"]),
        ("python3 bot.py", ["python3", "bot.py"]),
        (".venv/bin/python bot.py", [".venv/bin/python", "bot.py"]),
        ("env A=1 B=2 python bot.py", ["env", "A=1", "B=2", str(OURS), "bot.py"]),
        ("env A=1", ["env", "A=1"]),
        ("sh python", ["sh", "python"]),
        ("", []),
    ],
)
def test_the_first_word_alone_is_ours(command: str, found: list[str]) -> None:
    assert list(with_own_programs(command.split())) == found
    assert list(BotSection(name="a", command=command).arguments) == found


def test_a_sample_bot_is_found_where_there_is_no_checkout(here: Path, arena: Arena) -> None:
    bot = "sample_bots/random/bot.py"
    program, found = with_own_programs(["python", bot])
    assert program == str(OURS)
    assert found == str(shipped("sample_bots") / "random" / "bot.py")
    engine = with_own_programs(["arena", "adapter", "ubgi", "--", "python", bot])
    assert engine[-1] == found
    assert with_own_programs(["sh", "sample_bots/none.sh"]) == ("sh", "sample_bots/none.sh")
    plan = shipped("docs") / "tournaments" / "vasa.toml"
    assert arena("run", plan, "--dry-run").exit_code == 0
    (here / bot).parent.mkdir(parents=True)
    (here / bot).touch()
    assert with_own_programs(["sh", bot]) == ("sh", bot)  # the operator's own


def test_a_bot_with_the_kit_is_started_where_no_python_is_on_the_path(
    here: Path, arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "bot.py").write_text(BOT)
    (here / "empty").mkdir()
    monkeypatch.setenv("PATH", str(here / "empty"))
    assert (
        "1 of 1 situations go well" in arena("check", "python bot.py", "--only", "handshake").stdout
    )
    assert arena("check", "--only", "handshake", "--", "python", "bot.py").exit_code == 0


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("ModuleNotFoundError: No module named 'protocol'", "start it with `python`; "),
        ("/usr/bin/python3: No module named arena", "start it with `python`; "),
        (
            "ModuleNotFoundError: No module named 'torch.nn'",
            "start it with a Python that has torch, given by its path",
        ),
        ("ValueError: no", ""),
    ],
)
def test_a_missing_module_is_told_with_what_to_do(words: str, advice: str) -> None:
    said = module_advice(words)
    assert (said is None) == (not advice)
    assert said is None or say(said).startswith(advice)
    event = {
        "event": "program_did_not_log_in",
        "level": "warning",
        "name": "a",
        "reason": "ended",
        "output": "x",
    }
    told = sentence(event | {"last_words": words})  # type: ignore[arg-type]
    assert told.endswith(say(module_advice(words) or "(all in x)"))
