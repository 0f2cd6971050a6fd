"""Each situation of `arena check` names the part of docs that explains it."""

from __future__ import annotations

import re

from arena.conformance.situations import situations
from arena.games import load_game
from tests.sample_bots.workshop import ROOT


def test_every_situation_names_a_heading_that_is_there() -> None:
    games = [load_game("vasa"), load_game("classic", ["double_six", "one_die"]), load_game("brandubh-1")]
    for section in {one.section for game in games for one in situations(game)}:
        page, _, anchor = section.partition("#")
        headings = re.findall(r"^#+ (.*)$", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.MULTILINE)
        assert anchor in {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in headings}, section
