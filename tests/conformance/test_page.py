"""docs/checking-a-bot.md says of `arena check` what it does; tests/docs runs its commands."""

from __future__ import annotations

import re

from arena.conformance.situations import situations
from arena.games import load_game
from tests.sample_bots.workshop import ROOT

PAGE = (ROOT / "docs" / "checking-a-bot.md").read_text(encoding="utf-8")


def test_the_table_has_every_situation() -> None:
    """In the order in which they are played, with the words of the checklist."""
    games = [load_game("vasa"), load_game("classic", ["double_six", "one_die"]), load_game("brandubh-1")]
    known = {one.name: one for game in games for one in situations(game)}
    rows = re.findall(r"^\| `([a-z-]+)` \| (.*?) \| (yes|) \| \[.*?\]\((protocol.*?)\) \|$", PAGE, re.MULTILINE)
    assert {name: rest for name, *rest in rows} == {
        one.name: [one.what, "yes" if one.is_required else "", one.section] for one in known.values()
    }
