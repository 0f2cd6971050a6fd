"""A cup beside its ladder, as the referee of `arena serve` plays both."""

from pathlib import Path

import pytest

from arena.server.setup.tournament_file import parse_plan
from arena.server.setup.venue_file import VENUE_FILE
from tests.server.cup_club import MINUTE_MS, cup_at
from tests.server.ladder_club import NOTE, Club
from tests.server.ladder_hall import until


@pytest.mark.slow
async def test_bots_play_their_cup_before_the_ladder_and_both_go_on_after_a_kill(
    tmp_path: Path,
) -> None:
    club = Club(tmp_path / "venue")
    file = club.folder / VENUE_FILE
    due_ms = club.now_ms() + 3 * MINUTE_MS  # later the house bots have no units left for the day
    file.write_text(file.read_text() + cup_at(due_ms, best=3, format="round_robin"))
    async with club.served() as bots:
        for name in ("anna", "bert"):
            await club.join(name)
            bots.start_soon(club.live, name)
        await until(lambda: club.matches_of("anna-1") >= 2 and club.matches_of("bert-1") >= 2)
        await until(lambda: bool(club.venue_lines("cup_begun")))
        [line] = club.venue_lines("cup_begun")
        cup, day = line["run"], club.days()[0]
        await until(lambda: club.count(cup, "fixture_issued") > 0)
    async with club.served() as bots:
        for name in ("anna", "bert"):
            bots.start_soon(club.live, name)
        await until(lambda: club.count(cup, "record_closed") > 0)
        before = club.matches_of("anna-1", day)
        await until(lambda: club.matches_of("anna-1", day) > before)
    assert club.verified(cup).is_finished
    plan = parse_plan((club.runs / cup / "tournament.toml").read_text())
    assert {"anna-1", "bert-1"} < set(plan.entrants)
    assert club.count(cup, "fixture_settled") == 3
    over_ms = club.lines(cup, "tournament_ended")[0]["at_ms"]
    drawn = [
        pair
        for pair in club.lines(day, "pair_drawn")
        if line["at_ms"] + 1000 < pair["at_ms"] < over_ms
    ]
    assert drawn  # of the house
    assert not [pair for pair in drawn if "anna" in pair["fixture"] or "bert" in pair["fixture"]]
    records = list(club.runs.glob("*/matches/*.jsonl"))
    assert len(records) > 3
    assert not [path.name for path in records if NOTE in path.read_text()]
    whys = {gone["why"] for gone in club.lines(day, "entrant_went")}
    assert whys == {"elsewhere", "restarted"}
