"""docs/checking-a-bot.md says of `arena check` what it does, and its commands work as they stand."""

from __future__ import annotations

import re

import pytest

from arena.conformance.situations import situations
from arena.games import load_game
from tests.sample_bots.workshop import ROOT, call

PAGE = (ROOT / "docs" / "checking-a-bot.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^```sh\n(.*?)\n```$", PAGE, re.DOTALL | re.MULTILINE)


def test_the_table_has_every_situation() -> None:
    """In the order in which they are played, with the words of the checklist."""
    games = [load_game("vasa"), load_game("classic", ["double_six", "one_die"]), load_game("brandubh-1")]
    known = {one.name: one for game in games for one in situations(game)}
    rows = re.findall(r"^\| `([a-z-]+)` \| (.*?) \| (yes|) \| \[.*?\]\(protocol\.md#(.*?)\) \|$", PAGE, re.MULTILINE)
    assert {name: rest for name, *rest in rows} == {
        one.name: [one.what, "yes" if one.is_required else "", one.section] for one in known.values()
    }


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_works(command: str) -> None:
    """From the root of the checkout."""
    done = call(command)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    assert done.stdout.endswith("all that is required goes well.\n")
