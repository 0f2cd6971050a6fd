"""The ladders of a venue, day after day, as the referee of `arena serve` plays them."""

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
import trio

from arena.records.facts import NOT_STARTED
from arena.records.files import Files
from arena.records.lines import RecordError
from arena.records.verify import Verified
from arena.records.verify_venue import verify_venue
from arena.server.series.accounts import MINUTE_MS
from arena.server.series.admin_orders import Ban, GiveRest, Reload
from arena.server.setup.run_folder import RunFiles
from arena.tournaments.schedule import parse_fixture
from protocol.greetings import Welcome
from protocol.messages import Error
from tests.fixtures.operator import lines_of
from tests.fixtures.playing_room import Guest, HungUpError
from tests.server.ladder_club import HOUSE, THINK_S, Club, play_on
from tests.server.ladder_hall import until


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return Club(tmp_path / "venue")


async def test_a_new_venue_plays_at_once_and_has_one_invite(club: Club) -> None:
    async with club.served():
        begun_ms = club.now_ms()
        [opened] = club.opened
        assert (opened.door, len(opened.invite)) == (f"unix:{club.folder}/door/socket", 32)
        await until(lambda: club.count(club.days()[0], "fixture_issued") > 0)
        assert club.now_ms() - begun_ms < 5000
    async with club.served():
        assert club.opened[-1].invite == ""
        assert len(club.days()) == 1


@pytest.mark.slow
async def test_three_days_with_a_kill_joins_a_ban_and_a_crash(club: Club) -> None:
    async with club.served() as bots:
        await club.join("anna")
        await club.join("bert")
        bots.start_soon(club.live, "anna", "one")
        bots.start_soon(club.live, "bert")
        await until(lambda: club.matches_of("anna-1") >= 3 and club.matches_of("bert-1") >= 3)
        first = club.days()[0]
    async with club.served() as bots:  # after a kill
        bots.start_soon(club.live, "anna", "two")
        bots.start_soon(club.live, "bert")
        await until(lambda: club.matches_of("anna-2", first) >= 3)
        club.crashing.add("deep")
        await until(lambda: "deep-1" in club.rested(first))
        club.crashing.clear()
        assert (await club.order(Ban(bot="bert", why="too loud"))).is_done
        await trio.sleep(60)
        before = club.matches_of("bert-1", first)
        club.before_midnight()
        await until(lambda: len(club.days()) == 2)
        assert club.matches_of("bert-1", first) == before
        went = club.lines(first, "entrant_went")
        assert [line["why"] for line in went if line["entrant"] == "bert-1"][-1] == "banned"
        second = club.days()[1]
        await until(lambda: club.count(second, "edges_taken") == 1)
        await until(lambda: club.settled(second) >= 5)
    async with club.served():  # after a kill in the second day
        club.before_midnight()
        await until(lambda: len(club.days()) == 3)
        await until(lambda: club.count(club.days()[2], "edges_taken") == 1)
    for run in (first, second):
        assert club.verified(run).is_finished
    assert not club.verified(club.days()[2]).is_finished
    check_chain(club)
    assert len(list(club.verify())) == 3
    assert builds_of(club, "anna-1") == {"one"}
    assert builds_of(club, "anna-2") == {"two"}
    [opened] = club.lines(second, "ladder_opened")
    frozen = {player["entrant"]: player.get("is_frozen", False) for player in opened["players"]}
    assert frozen == dict.fromkeys(
        ["random-1", "greedy-1", "deep-1", "anna-2", "bert-1"], False
    ) | {"anna-1": True}


async def test_no_build_plays_on_in_a_match_of_another_one(club: Club) -> None:
    """Not while the other one is away for a moment, and not after a kill."""
    async with club.served() as bots:
        await club.join("anna")
        guest, _ = await club.try_login("anna", "one")
        bots.start_soon(swallow, guest)
        await until(lambda: is_in_match(club, "anna-1"))
        await club.close(guest)
        _, answer = await club.try_login("anna", "two")
        assert isinstance(answer, Error)
        assert answer.code == "old_version_plays"
        guest, answer = await club.try_login("anna", "one")
        assert isinstance(answer, Welcome)
        bots.start_soon(swallow, guest)
        await until(lambda: club.matches_of("anna-1") >= 3 and is_in_match(club, "anna-1"))
    async with club.served() as bots:
        _, answer = await club.try_login("anna", "two")
        assert isinstance(answer, Error)
        assert answer.code == "old_version_plays"
        bots.start_soon(club.live, "anna", "two")
        await until(lambda: club.matches_of("anna-2") >= 2)
        assert not is_in_match(club, "anna-1")
        assert builds_of(club, "anna-1") == {"one"}


async def swallow(guest: Guest) -> None:
    """Play until the connection is gone."""
    with suppress(HungUpError, trio.ClosedResourceError):
        await play_on(guest, THINK_S)


def is_in_match(club: Club, entrant: str) -> bool:
    """Whether a match of an entrant is issued and not settled."""
    day = club.days()[-1]
    issued = {line["fixture"] for line in club.lines(day, "fixture_issued")}
    settled = {line["fixture"] for line in club.lines(day, "fixture_settled")}
    return any(entrant in parse_fixture(fixture).entrants for fixture in issued - settled)


def builds_of(club: Club, entrant: str) -> set[str]:
    """The fingerprints with which an entrant has come to its matches."""
    builds = set()
    for record in club.runs.glob(f"*/matches/*-{entrant}*.jsonl"):
        for line in lines_of(record):
            if line["event"] == "bot_ready" and line["entrant"]["name"] == entrant:
                builds.add(line["entrant"]["fingerprint"])
    return builds


def check_chain(club: Club) -> None:
    """Each day begins with what the one before had counted, and takes what came later."""
    units: Counter[str] = Counter()
    for before, run in pairwise(club.days()):
        [opened] = club.lines(run, "ladder_opened")
        [taken] = club.lines(run, "edges_taken")
        assert opened["before"]["run"] == taken["before"]["run"] == before
        units["settled"] += club.settled(before)
        units["counted"] = units_in(opened) + units_in(taken)
        assert units["counted"] == units["settled"]


def units_in(line: dict[str, object]) -> int:
    edges: list[list[int]] = line["edges"]  # type: ignore[assignment]
    return sum(edge[2] + edge[5] + edge[6] for edge in edges)


async def test_the_next_day_opens_after_the_last_match_of_a_full_one(tmp_path: Path) -> None:
    club = Club(tmp_path / "venue", most_matches=6)
    async with club.served():
        await until(lambda: len(club.days()) >= 4)
    dates = {run.removeprefix("vasa-")[:10] for run in club.days()}
    assert len(dates) == 1
    assert club.days()[:2] == [f"vasa-{min(dates)}", f"vasa-{min(dates)}-2"]
    for run in club.days()[:-2]:
        assert club.verified(run).is_finished
        assert club.count(run, "pair_drawn") == 6


async def test_a_kill_at_any_line_of_a_change_of_days_loses_nothing(tmp_path: Path) -> None:
    club = Club(tmp_path / "venue", most_matches=3)
    stops = ("day_opened", "ladder_opened", "record_closed", "edges_taken", "fixture_issued")
    for number, stop in enumerate(stops * 2):  # each referee ends soon after such a line
        async with club.served():
            lines = club.lines_of_all(stop)
            await until(lambda: club.lines_of_all(stop) > lines)  # noqa: B023
            await trio.sleep(number / 7)
    async with club.served():
        days = len(club.days())
        await until(lambda: len(club.days()) > days + 1)
    for run in club.days()[:-2]:
        assert club.verified(run).is_finished, run
    check_chain_of(club, club.days()[:-1])
    assert [run.run for run in club.verify()] == club.days()


def check_chain_of(club: Club, runs: list[str]) -> None:
    for before, run in pairwise(runs):
        [opened] = club.lines(run, "ladder_opened")
        assert opened["before"]["run"] == before  # type: ignore[index]
        assert club.count(run, "edges_taken") == 1


@pytest.mark.slow
async def test_the_operator_lets_a_bot_rest_and_it_plays_again_by_itself(club: Club) -> None:
    async with club.served() as bots:
        await club.join("anna")
        bots.start_soon(club.live, "anna")
        await until(lambda: club.matches_of("anna-1") >= 2)
        assert (await club.order(GiveRest(bot="anna", minutes=4))).is_done
        assert (await club.order(GiveRest(bot="deep", minutes=4))).is_done
        await trio.sleep(60)
        anna, deep = club.matches_of("anna-1"), club.matches_of("deep-1")
        await trio.sleep(150)
        assert (club.matches_of("anna-1"), club.matches_of("deep-1")) == (anna, deep)
        await until(lambda: club.matches_of("anna-1") > anna and club.matches_of("deep-1") > deep)
        assert club.verified(club.days()[0])


@pytest.mark.slow
async def test_a_changed_house_bot_is_a_new_version_and_the_level_stays(club: Club) -> None:
    async with club.served():
        await until(lambda: club.settled() >= 20)
        club.build("deep", "second")
        club.write(*HOUSE, "fourth")
        assert (await club.order(Reload())).is_done
        club.before_midnight()
        await until(lambda: len(club.days()) == 2)
        second = club.days()[1]
        await until(lambda: club.count(second, "edges_taken") == 1)
        await until(lambda: club.matches_of("fourth-1") >= 2)
        assert club.matches_of("deep-1") == 0
    [opened] = club.lines(second, "ladder_opened")
    anchors = {player["entrant"] for player in opened["players"] if player.get("is_anchor")}
    assert anchors == {"random-1", "greedy-1", "deep-2", "fourth-1"}
    assert len(list(club.verify())) == 2


@pytest.mark.slow
async def test_a_rest_that_a_bot_has_earned_goes_on_over_midnight(tmp_path: Path) -> None:
    club = Club(tmp_path / "venue", think_s=6.0)  # the others play an hour meanwhile
    club.before_midnight(20 * MINUTE_MS)
    async with club.served():
        club.crashing.add("deep")
        await until(lambda: club.matches_of("deep-1", club.days()[0]) >= 3)
        await until(lambda: len(club.days()) == 2)
        club.crashing.clear()
        await until(lambda: club.matches_of("deep-1") > 0)
    [opened] = club.lines(club.days()[1], "ladder_opened")
    [deep] = [player for player in opened["players"] if player["entrant"] == "deep-1"]
    assert len(deep["forfeited"]) == 3
    drawn = [
        line for line in club.lines(club.days()[1], "pair_drawn") if "deep-1" in line["fixture"]
    ]
    assert deep["rests_until_ms"] <= drawn[0]["at_ms"] < deep["rests_until_ms"] + MINUTE_MS
    assert len(list(club.verify())) == 2


@pytest.mark.slow
async def test_a_version_that_was_replaced_long_ago_keeps_its_rating_until_it_is_back(
    club: Club,
) -> None:
    async with club.served() as bots:
        await club.join("anna")
        bots.start_soon(club.live, "anna", "one")
        await until(lambda: club.matches_of("anna-1") > 0)
    async with club.served() as bots:
        bots.start_soon(club.live, "anna", "two")
        await until(lambda: club.matches_of("anna-2") > 0)
        for day, later in enumerate((0, 91), 2):
            club.before_midnight(days=later)
            await until(lambda: len(club.days()) == day and club.matches_of("anna-2") > 0)  # noqa: B023
    async with club.served() as bots:
        bots.start_soon(club.live, "anna", "one")
        await until(lambda: len(club.venue_lines("version_seen")) == len(HOUSE) + 3)
        club.before_midnight()
        await until(lambda: standing_of(club, club.days()[-1])[0] != "constant")
        await until(lambda: club.matches_of("anna-1") > 0)
        assert club.matches_of("anna-2") == 0
        assert standing_of(club, club.days()[-1]) == ("frozen", "present")
        club.before_midnight(days=91)
        await until(lambda: standing_of(club, club.days()[-1])[1] == "constant")
        await until(lambda: club.matches_of("anna-1") > 0)
    _, second, third, *_ = club.days()
    assert standing_of(club, second) == ("frozen", "present")
    assert standing_of(club, third) == ("constant", "present")
    assert standing_of(club, club.days()[-1])[0] == "present"
    list(club.verify())


def standing_of(club: Club, run: str) -> tuple[str, ...]:
    """How the two versions of anna stand when a day begins; nothing if it has not begun."""
    opened = club.lines(run, "ladder_opened")
    if not opened:
        return ("", "")
    players = {player["entrant"]: player for player in opened[0]["players"]}
    standing = []
    for entrant in ("anna-1", "anna-2"):
        if "constant_elo" in players[entrant]:
            standing.append("constant")
        elif players[entrant].get("is_frozen", False):
            standing.append("frozen")
        else:
            standing.append("present")
    return tuple(standing)


async def test_matches_of_house_bots_that_are_gone_after_a_kill_are_void(club: Club) -> None:
    async with club.served():
        await until(lambda: any("deep-1" in fixture for fixture in in_play(club)))
        played_on = [fixture for fixture in in_play(club) if "deep-1" in fixture]
    club.write("random", "greedy", "fourth")
    club.build("greedy", "second")
    async with club.served():
        await until(lambda: not in_play(club).intersection(played_on))
        await until(lambda: club.matches_of("greedy-2") > 0)
    run = club.days()[0]
    for fixture in played_on:
        voided = [line for line in club.lines(run, "fixture_voided") if line["fixture"] == fixture]
        assert voided[-1]["reason"][0] == NOT_STARTED
        assert {tuple(line["violations"]) for line in voided} == {(0, 0)}
    assert club.verified(run)


def in_play(club: Club) -> set[str]:
    """The matches of the first day that are drawn and not decided."""
    run = club.days()[0]
    fixtures = {line["fixture"] for line in club.lines(run, "pair_drawn")}
    for line in club.lines(run, "fixture_settled", "fixture_voided"):
        if line.get("is_last", True):
            fixtures.discard(line["fixture"])
    return fixtures


async def test_a_ladder_that_is_taken_out_of_the_file_ends_with_its_day(club: Club) -> None:
    async with club.served():
        await until(lambda: club.settled() >= 3)
        text = (club.folder / "venue.toml").read_text()
        (club.folder / "venue.toml").write_text(text.replace('name = "vasa"', 'name = "other"'))
        assert (await club.order(Reload())).is_done
        await until(lambda: club.count(club.days()[0], "record_closed") == 1)
        assert [line["ladder"] for line in club.venue_lines("day_opened")] == ["vasa", "other"]
        (club.folder / "venue.toml").write_text(text)
        assert (await club.order(Reload())).is_done
        await until(lambda: len(club.days()) == 3)
        again = club.days()[2]
        await until(lambda: club.count(again, "edges_taken") == 1)
    [opened] = club.lines(again, "ladder_opened")
    assert opened["before"]["run"] == club.days()[0]
    assert units_in(opened) == club.settled(club.days()[0])


async def test_a_forged_venue_is_refused(tmp_path: Path) -> None:
    club = Club(tmp_path / "venue", most_matches=4)
    async with club.served() as bots:
        await club.join("anna")
        bots.start_soon(club.live, "anna", "one")
        await until(lambda: len(club.days()) >= 4)
    first, second = club.days()[:2]
    log = (club.folder / "venue.jsonl").read_text()
    sealed = (club.runs / second / "tournament.jsonl").read_text()
    record, _, _ = sealed.partition('{"event":"record_closed"')  # it would not fit forged lines
    assert problem_of(club, log) == ""
    for text, forged, problem in (
        ('"fingerprint":"one"', '"fingerprint":"two"', "anna-1 is not a version"),
        (f'"run":"{second}"', '"run":"vasa-2020-01-01"', "has no such run"),
        ('"ladder":"vasa"', '"ladder":"fiske"', "as a day of fiske"),
    ):
        assert problem in problem_of(club, log.replace(text, forged)), text
    banned = '{"event":"bot_banned","v":1,"at_ms":1,"bot":"anna","why":""}\n'
    assert "came while it was banned" in problem_of(club, log + banned)
    for text, forged, problem in (
        (f'"before":{{"run":"{first}"', f'"before":{{"run":"{second}"', f"it follows {first}"),
        ('"sha256":"', '"sha256":"00', "matching regex"),
        ('"edges":[[', '"edges":[[0,1,1,1.0,1.0,0,0],[', f"its edges are not those of {first}"),
        ('"entrant":"anna-1"', '"entrant":"anna-9"', "it does not know anna-1"),
        ('"is_frozen":false', '"is_frozen":true', "it does not know random-1"),
        ('"anchors_mean_elo":0.0', '"anchors_mean_elo":9.0', "must be rated 0.00, found 9.00"),
        ('{"event":"edges_taken"', '{"event":"edges_lost"', "edges_lost"),
    ):
        assert text in record
        refused = problem_of(club, log, {second: record.replace(text, forged, 1)})
        assert problem in refused, text


def problem_of(club: Club, log: str, records: Mapping[str, str] | None = None) -> str:
    """What is wrong with a venue with this log and these records, beside what is wrong with its runs."""
    runs: dict[str, Files] = {}
    for folder in club.runs.iterdir():
        files = RunFiles(folder)
        record = (records or {}).get(folder.name)
        runs[folder.name] = files if record is None else {"tournament.jsonl": record.encode()}
    in_order = Verified(fixtures=0, scheduled=0, games=0, turns=0, is_finished=True)
    try:
        assert list(verify_venue(log.encode(), runs, lambda _: in_order))
    except RecordError as error:
        return str(error)
    return ""
