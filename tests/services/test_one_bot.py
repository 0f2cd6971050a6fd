"""What puts something to one bot, from Python: its plan, and what starts it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arena.server.setup.given_fields import parse_set
from arena.services.one_bot import BotCommandError, command_words, launched_bot, plan_for_one
from arena.services.plans import PlanRefusedError

BOT = "import os\nprint(os.environ['ARENA_NAME'])"


async def test_a_bot_is_started_under_a_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bot.py").write_text(BOT)
    plan = plan_for_one(None, [parse_set("clock.delay_ms=70"), parse_set("limits.sandbox=off")])
    assert plan.clock.delay_ms == 70
    assert command_words("python bot.py") == [sys.executable, "bot.py"]
    async with launched_bot(["python bot.py"], plan, "anna")() as guest:
        assert guest.how is None or guest.how.is_by_itself
    assert guest.name == "anna"


@pytest.mark.parametrize(
    "words", [[""], ["python 'bot.py"], ["cd bots && python bot.py"], ["no-such-program"]]
)
def test_a_command_that_starts_nothing_is_refused(words: list[str]) -> None:
    with pytest.raises(BotCommandError):
        launched_bot(words, plan_for_one(None), "anna")


def test_fields_that_are_wrong_are_told_as_a_list() -> None:
    fields = [parse_set("tournament.games=4"), parse_set("clock.delay_ms=-1")]
    with pytest.raises(PlanRefusedError) as refused:
        plan_for_one(None, fields)
    assert len(refused.value.problems) == 2
