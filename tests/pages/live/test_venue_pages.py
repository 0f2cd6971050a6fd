"""The pages of a venue: tables of ladders, bots, cups, and what they never say."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import trio
from click.testing import CliRunner

from arena.cli import watch
from arena.cli.new import command as new
from arena.pages.live.venue_answers import VenueAnswers
from arena.pages.live.venue_pages import pages_of_venue
from arena.pages.scripts import read_asset
from arena.records.files import VENUE_RECORD
from arena.records.venue_facts import BotBanned, BotUnbanned
from arena.server.setup.venue_file import VENUE_FILE
from arena.words import Said
from tests.fixtures.asked_pages import follow
from tests.pages.live.venues import CUP, DAYS, FIRST_MS, tell, venue_in, watched

pytestmark = pytest.mark.usefixtures("cache", "at_once")
DAY_MS = 86_400_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return venue_in(tmp_path / "venue")


def lines_of(folder: Path, event: str) -> list[dict[str, Any]]:
    """The lines of an event in the records of all days."""
    lines = []
    for day in DAYS:
        text = (folder / "runs" / day / "tournament.jsonl").read_text()
        lines += [json.loads(line) for line in text.splitlines()]
    return [line for line in lines if line.get("event") == event]


async def test_a_table_sets_anchors_and_provisional_versions_apart(folder: Path) -> None:
    async with watched(folder) as club:
        page = await club.json("/api/venue")
        assert page["name"] == "Brädklubben i Uppsala"
        assert page["announcement"]["text"].startswith("The cup begins")
        [table] = page["ladders"]
        assert (table["ladder"], table["run"]) == ("vasa", DAYS[-1])
        anchors = [row["bot"] for row in table["anchors"]]
        assert sorted(anchors) == ["greedy", "lookahead", "neural", "random"]
        assert all(row["is_house"] and not row["place"] for row in table["anchors"])
        ratings = [row["elo"] for row in table["anchors"]]
        assert ratings == sorted(ratings, reverse=True)
        assert sum(ratings) == pytest.approx(0, abs=0.05)
        assert table["provisional"]
        for row in table["provisional"]:
            assert row["error"] > 25
            assert row["place"] == 0
        places = [row["place"] for row in table["placed"]]
        assert places == list(range(1, len(places) + 1))
        assert [run["run"] for run in page["now"]] == [DAYS[-1]]


async def test_a_row_counts_the_matches_and_forfeits_of_all_days(folder: Path) -> None:
    matches: Counter[str] = Counter()
    for line in lines_of(folder, "fixture_settled"):
        for name in re.split("-v-", line["fixture"].partition(".")[2].partition("-")[2]):
            matches[name] += 1
    async with watched(folder) as club:
        table = (await club.json("/api/ladders/vasa"))["table"]
        rows = [*table["placed"], *table["provisional"], *table["anchors"]]
        assert {row["entrant"]: row["matches"] for row in rows} == {
            row["entrant"]: matches[row["entrant"]] for row in rows
        }
        assert any(row["forfeits"] for row in rows)


async def test_a_bot_that_was_not_there_for_a_month_leaves_the_table(folder: Path) -> None:
    async with watched(folder) as club:
        index = club.venue.runs.index
        early_ms = FIRST_MS - 40 * DAY_MS
        index.file.write(
            lambda base: base.execute(
                "UPDATE rated SET seen_ms = ?, is_there = 0 WHERE bot = 'anna'", (early_ms,)
            )
        )
        table = (await club.json("/api/ladders/vasa"))["table"]
        rows = [*table["placed"], *table["provisional"]]
        assert "anna" not in [row["bot"] for row in rows]
        assert table["away"] == 1
        assert (await club.json("/api/bots/anna"))["ladders"][0]["row"]["bot"] == "anna"


@pytest.mark.parametrize(
    ("versions", "parts"),
    [
        ({1: (20, 5), 2: (60, 9)}, {1: "placed", 2: "provisional"}),
        ({1: (20, 5), 2: (20, 9)}, {1: "old", 2: "placed"}),
        ({1: (60, 5), 2: (60, 9)}, {1: "old", 2: "provisional"}),
        ({1: (20, 9), 2: (20, 5)}, {1: "placed", 2: "old"}),
        ({1: (60, 9), 2: (20, 5)}, {1: "provisional", 2: "placed"}),
        ({1: (60, 9), 2: (60, 5)}, {1: "provisional", 2: "old"}),
        ({1: (20, 5), 2: (20, 7), 3: (60, 9)}, {1: "old", 2: "placed", 3: "provisional"}),
    ],
)
async def test_the_version_that_played_last_has_the_place_unless_it_is_provisional(
    folder: Path, versions: dict[int, tuple[float, int]], parts: dict[int, str]
) -> None:
    """Each version has its error and the hour of its last match; frozen ones may have come back."""
    rows = []
    for version, (error, hour) in versions.items():
        changes = {
            "entrant": f"zoe-{version}",
            "bot": "zoe",
            "version": version,
            "error": error,
            "seen_ms": FIRST_MS + 3 * DAY_MS + hour,
            "is_frozen": True,
        }
        rows.append(changes)

    def insert(base: sqlite3.Connection) -> None:
        [fields] = base.execute(
            "SELECT * FROM rated WHERE entrant = 'anna-1' ORDER BY seen_ms DESC LIMIT 1"
        )
        names = [column[1] for column in base.execute("PRAGMA table_info(rated)")]
        for changes in rows:
            row = dict(zip(names, fields, strict=True)) | changes
            marks = ", ".join("?" * len(row))
            base.execute(f"INSERT INTO rated VALUES ({marks})", list(row.values()))

    async with watched(folder) as club:
        club.venue.runs.index.file.write(insert)
        _, players = VenueAnswers(club.venue)._players("vasa")
        zoe = [player for player in players if player.bot == "zoe"]
        assert {player.version: player.part for player in zoe} == parts


async def test_the_page_of_a_bot_has_its_history(folder: Path) -> None:
    async with watched(folder) as club:
        bot = await club.json("/api/bots/anna")
        assert bot["names"]["anna"] == "Anna Andersson"
        assert (bot["is_house"], bot["ban"]) == (False, None)
        [ladder] = bot["ladders"]
        table = (await club.json("/api/ladders/vasa"))["table"]
        rows = [*table["placed"], *table["provisional"]]
        assert ladder["row"] in rows
        last = ladder["course"][-1]
        assert last["version"] == ladder["versions"][0]["version"] == len(bot["versions_ms"])
        assert last["elo"] == ladder["versions"][0]["elo"], "the matches of others moved it too"
        assert last["error"] == ladder["versions"][0]["error"]
        times = [point["at_ms"] for point in ladder["course"]]
        assert times == sorted(times)
        assert times[0] < FIRST_MS + DAY_MS < times[-1]
        against = sum(row["matches"] for row in ladder["against"])
        assert against == sum(version["matches"] for version in ladder["versions"])
        for row in ladder["against"]:
            assert row["won"] + row["drawn"] + row["lost"] == row["matches"]
        latest = bot["matches"][0]
        assert latest["run"] == DAYS[-1]
        page = await club.json(f"/runs/{latest['run']}/api/matches/{latest['fixture']}")
        assert sorted(page["score"]) == sorted([latest["points_for"], latest["points_against"]])


async def test_a_version_tells_what_it_has_gained(folder: Path) -> None:
    players = [line["player"] for line in lines_of(folder, "entrant_came")]
    changed = [player for player in players if player["version"] > 1]
    async with watched(folder) as club:
        for player in changed:
            [ladder] = (await club.json(f"/api/bots/{player['bot']}"))["ladders"]
            by_number = {version["version"]: version for version in ladder["versions"]}
            version = by_number[player["version"]]
            parent = by_number[version["parent"]]
            gain = version["elo"] - parent["elo"]
            assert version["gain"] == pytest.approx(gain, abs=0.02)
            assert version["gain_error"] > 0
            alone = version["error"] + parent["error"]
            assert version["gain_error"] < alone


async def test_forfeits_are_told_by_their_cause(folder: Path) -> None:
    games: Counter[str] = Counter()
    for line in lines_of(folder, "fixture_settled"):
        names = re.split("-v-", line["fixture"].partition(".")[2].partition("-")[2])
        for game in line["games"]:
            if game["ending"] == "forfeit":
                games[names[2 - game["winner"]].rpartition("-")[0]] += 1
    assert games
    async with watched(folder) as club:
        for bot, count in games.items():
            [ladder] = (await club.json(f"/api/bots/{bot}"))["ladders"]
            assert ladder["forfeits"] == [{"cause": "illegal_turns", "games": count}]


async def test_a_cup_has_its_place(folder: Path) -> None:
    async with watched(folder) as club:
        page = await club.json("/api/cups/saturday")
        [time] = page["times"]
        assert (time["run"], time["row"]["state"]) == (CUP, "finished")
        assert time["row"]["outcome"][0].startswith("outcome.")
        assert page["cup"]["next_ms"] > FIRST_MS
        sunday = await club.json("/api/cups/sunday")
        assert [time["why_left_out"] for time in sunday["times"]] == ["too_few"]
        place = await club.json(f"/api/places/{DAYS[1]}")
        assert (place["before"], place["after"]) == (DAYS[0], DAYS[2])
        assert (await club.json(f"/api/places/{CUP}"))["before"] == ""
        first = await club.ask(f"/runs/{CUP}/")
        assert "venue_run.js" in first.text


async def test_a_day_says_how_many_matches_are_played_before_its_boards_come(folder: Path) -> None:
    async with watched(folder) as club:
        page = await club.json(f"/runs/{DAYS[-1]}/api/run")
        assert (page["running"], page["more_running"]) == ([], 3)


@pytest.mark.parametrize(
    "place", ["ladders/nothing", "bots/nobody", "bots/anna-1", "cups/nothing", "places/nothing"]
)
async def test_an_unknown_name_is_refused(folder: Path, place: str) -> None:
    async with watched(folder) as club:
        answer = await club.ask(f"/api/{place}")
        assert answer.status == 404
        assert place.partition("/")[2] in answer.text


async def test_an_answer_that_a_browser_has_is_not_sent_again(folder: Path) -> None:
    async with watched(folder) as club:
        answer = await club.ask("/api/venue", accept_encoding="gzip")
        assert answer.headers["content-encoding"] == "gzip"
        again = await club.ask("/api/venue", if_none_match=answer.headers["etag"])
        assert (again.status, again.body) == (304, b"")
        tell(folder, BotBanned(at_ms=FIRST_MS + 9 * DAY_MS, bot="anna", why="It floods the door."))
        await club.look()
        assert (await club.json("/api/bots/anna"))["ban"] == "It floods the door."
        tell(folder, BotUnbanned(at_ms=FIRST_MS + 9 * DAY_MS, bot="anna"))
        await club.look()
        assert (await club.json("/api/bots/anna"))["ban"] is None


async def test_viewers_are_told_of_a_line_in_the_log(folder: Path) -> None:
    async with watched(folder) as club, trio.open_nursery() as nursery:
        viewer = await follow(club.app, "/events/runs", nursery)
        await trio.testing.wait_all_tasks_blocked()
        count = len(viewer.events)
        tell(folder, BotBanned(at_ms=FIRST_MS + 9 * DAY_MS, bot="anna", why=""))
        club.venue.look()
        await trio.testing.wait_all_tasks_blocked()
        assert len(viewer.events) == count + 1
        nursery.cancel_scope.cancel()


async def test_no_hash_of_a_secret_is_in_any_answer(folder: Path) -> None:
    """Nor is a secret: the venue does not have them."""
    log = (folder / VENUE_RECORD).read_text()
    hashes = re.findall(r'"(?:token|invite)_sha256":"([0-9a-f]{64})"', log)
    assert len(hashes) > 5
    async with watched(folder) as club:
        bots = [f"/api/bots/{bot}" for bot in club.venue.book.bots]
        runs = [f"/runs/{run}/api/run" for run in (*DAYS, CUP)]
        games = [f"/runs/{run}/api/games" for run in (*DAYS, CUP)]
        places = [f"/api/places/{run}" for run in (*DAYS, CUP)]
        others = ["/", "/api/venue", "/api/ladders/vasa", "/api/cups/saturday", "/api/runs"]
        for place in [*bots, *runs, *games, *places, *others]:
            answer = await club.ask(place)
            assert answer.status == 200, place
            assert [digest for digest in hashes if digest in answer.text] == [], place
        for place in ("/venue.jsonl", "/runs/../venue.jsonl", "/operator.jsonl", "/venue.toml"):
            assert (await club.ask(place)).status == 404


@pytest.mark.parametrize(
    ("old", "new", "door"),
    [
        ("", "", "tcp:127.0.0.1:4711"),
        ('"tcp:127.0.0.1:4711"', '"tcp:0.0.0.0:4711"\ninsecure = true', "tcp:*:4711"),
        ('"tcp:127.0.0.1:4711"', '"tcp:127.0.0.1:0"', ""),
        ('"tcp:127.0.0.1:4711"', '"unix:/tmp/door"', ""),
        (
            'address = "tcp:127.0.0.1:4711"',
            'address = "tls:[::]:4711"\ncertificate = "a.pem"\nkey = "b.pem"',
            "tls:*:4711",
        ),
        (
            '[pages]\naddress = "127.0.0.1:8018"',
            '[pages]\nhosts = ["club.example/brade"]',
            "tcp:127.0.0.1:4711",
        ),
    ],
)
async def test_the_door_is_told_as_far_as_it_is_known(
    folder: Path, old: str, new: str, door: str
) -> None:
    text = (folder / VENUE_FILE).read_text()
    (folder / VENUE_FILE).write_text(text.replace(old, new, 1) if old else text)
    async with watched(folder) as club:
        assert (await club.json("/api/venue"))["door"] == door


async def test_the_door_behind_a_proxy_has_the_name_of_the_pages(folder: Path) -> None:
    text = (folder / VENUE_FILE).read_text()
    text = text.replace('"tcp:127.0.0.1:4711"', '"tcp:0.0.0.0:4711"\ninsecure = true', 1)
    text = text.replace("[pages]\n", '[pages]\nhosts = ["club.example/brade"]\n')
    (folder / VENUE_FILE).write_text(text)
    async with watched(folder) as club:
        assert (await club.json("/api/venue"))["door"] == "tcp:club.example:4711"


async def test_a_file_of_the_operator_that_cannot_be_used_changes_nothing(folder: Path) -> None:
    async with watched(folder) as club:
        before = await club.json("/api/venue")
        (folder / VENUE_FILE).write_text("nonsense")
        await club.look()
        assert await club.json("/api/venue") == before


async def test_a_log_that_cannot_be_read_is_told(folder: Path) -> None:
    async with watched(folder) as club:
        with (folder / VENUE_RECORD).open("a") as log:
            log.write("nonsense\n")
        await club.look()
        page = await club.json("/api/venue")
        assert page["trouble"]
        assert page["ladders"][0]["anchors"]


async def test_the_first_page_says_why_no_match_begins(folder: Path) -> None:
    why = Said("pairing.disk_low", {"free": 3.2, "least": 5.0})
    async with watched(folder, lambda: why) as club:
        assert (await club.json("/api/venue"))["paused"] == list(why)


async def test_a_venue_that_has_just_opened_has_a_page(tmp_path: Path) -> None:
    (tmp_path / "venue" / "runs").mkdir(parents=True)
    (tmp_path / "venue" / VENUE_RECORD).write_bytes(b"")
    async with watched(tmp_path / "venue") as club:
        page = await club.json("/api/venue")
        assert (page["ladders"], page["cups"], page["now"]) == ([], [], [])


def test_the_folder_of_a_venue_is_watched_as_one(folder: Path) -> None:
    assert watch._pages_for(folder) is pages_of_venue


@pytest.mark.parametrize("language", ["c", "go", "java", "javascript", "python", "rust", "shell"])
def test_the_lines_to_copy_are_those_of_arena_new(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(new, [language, "my-bot"])
    script = read_asset("venue_join.js").replace("${NAME}", "my-bot")
    [_, start] = re.search(r"--bot my-bot=('?)(.+?)\1 --bot twin", done.output).groups()  # type: ignore[union-attr]
    assert f"`{start}`" in script
    build = re.search(r"Build it:\n  (.+)", done.output)
    if build is not None:
        assert f"`{build[1]}`" in script
