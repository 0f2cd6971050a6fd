"""A day of a ladder in a venue: whoever is there is paired, and lines say so."""

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import trio
from msgspec.structs import replace

from arena.records.ladder_facts import LadderOpened
from arena.server.run.tournament import Drained
from arena.tournaments.schedule import parse_fixture
from protocol.messages import Error
from tests.fixtures.playing_room import Guest, HungUpError
from tests.server.ladder_hall import ANCHORS, PLAN, Hall, open_hall, until


@pytest.fixture
async def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Hall]:
    async def at_once(call: object, *args: object, **_: object) -> object:
        await trio.lowlevel.checkpoint()
        return call(*args)  # type: ignore[operator]

    monkeypatch.setattr(
        trio.to_thread, "run_sync", at_once
    )  # else the mock clock jumps while a thread works
    async with open_hall(tmp_path) as hall:
        yield hall


async def test_a_day_is_played_closed_sealed_and_verified(hall: Hall) -> None:
    day = hall.begin("vasa-1")
    hall.all_live([*ANCHORS, "anna", "bert"])
    await until(lambda: hall.settled("vasa-1") >= 30)
    day.close()
    assert await hall.ended("vasa-1") is None
    assert hall.verified("vasa-1").is_finished
    events = [line["event"] for line in hall.lines("vasa-1")]
    assert events[:2] == ["tournament_opened", "ladder_opened"]
    assert events[-3:] == ["pairing_key", "tournament_ended", "record_closed"]
    assert events.count("pair_drawn") == events.count("fixture_settled")


async def test_a_day_asks_about_a_newcomer_alone(hall: Hall) -> None:
    """With a thousand bots each join would else keep the arena busy for a moment."""
    day = hall.begin("vasa-1")
    await day.is_open.wait()
    hall.all_live(["bert", "cecil"])
    await until(lambda: "cecil-1" in day.book.players)
    hall.looked_at.clear()
    hall.all_live(["anna"])
    await until(lambda: "anna-1" in day.book.players)
    assert set(hall.looked_at) == {"anna"}
    day.close()
    assert await hall.ended("vasa-1") is None


@pytest.mark.slow
async def test_the_next_day_opens_while_the_first_drains_and_takes_its_edges(hall: Hall) -> None:
    first = hall.begin("vasa-1")
    names = [*ANCHORS, "anna", "bert", "cecil"]
    hall.all_live(names)
    await until(lambda: hall.settled("vasa-1") >= 40)
    second = hall.begin("vasa-2", next_opening(hall, "vasa-1"))
    await second.is_open.wait()
    first.close()
    assert await hall.ended("vasa-1") is None
    second.take_edges(first)
    second.take_edges(first)
    await until(lambda: hall.settled("vasa-2") >= 40)
    second.close()
    assert await hall.ended("vasa-2") is None
    for name in ("vasa-1", "vasa-2"):
        assert hall.verified(name).is_finished
    [opened] = hall.lines("vasa-2", "ladder_opened")
    [taken] = hall.lines("vasa-2", "edges_taken")
    assert opened["before"]["run"] == taken["before"]["run"] == "vasa-1"
    assert units_in(opened) + units_in(taken) == hall.settled("vasa-1")
    both = hall.settled("vasa-1") + hall.settled("vasa-2")
    assert sum(edge[2] + edge[5] + edge[6] for edge in second.book.edges) == both
    assert not at_two_tables(hall, ["anna", "bert", "cecil"])


@pytest.mark.slow
async def test_bots_come_and_go_and_come_back_as_other_versions(hall: Hall) -> None:
    day = hall.begin("vasa-1")
    hall.all_live([*ANCHORS, "bert"])
    hall.join("anna")
    anna = await hall.come("anna", fingerprint="old")
    async with trio.open_nursery() as playing:
        playing.start_soon(swallow, hall, anna)
        await until(lambda: matches_of(hall, "anna-1") >= 3)
        await anna.hang_up()
    await trio.sleep(60)
    before = matches_of(hall, "anna-1")
    await trio.sleep(300)
    assert matches_of(hall, "anna-1") == before
    again = await hall.come("anna", fingerprint="new")
    told = [event["event"] for event in hall.events if event.get("name") == "anna"]
    assert told == ["bot_logged_in", "bot_lost", "bot_returned"]
    hall.nursery.start_soon(swallow, hall, again)
    await until(lambda: matches_of(hall, "anna-2") >= 3)
    day.close()
    assert await hall.ended("vasa-1") is None
    assert hall.verified("vasa-1").is_finished
    comings = [
        (line["player"]["entrant"], line["player"]["parent"])
        for line in hall.lines("vasa-1", "entrant_came")
        if line["player"]["bot"] == "anna"
    ]
    assert comings == [("anna-1", ""), ("anna-2", "anna-1")]
    went = [
        line["why"] for line in hall.lines("vasa-1", "entrant_went") if line["entrant"] == "anna-1"
    ]
    assert went == ["left"]


@pytest.mark.slow
async def test_a_hanging_bot_rests_after_three_forfeits_and_the_others_play_on(hall: Hall) -> None:
    day = hall.begin("vasa-1")
    hall.all_live([*ANCHORS, "bert", "cecil"], think_s=1.9)
    hall.join("anna")
    hanging = await hall.come("anna")
    hall.nursery.start_soon(hanging.hear_out)
    await until(lambda: matches_of(hall, "anna-1") == 3)
    player = day.book.players["anna-1"]
    assert player.rests_until_ms - settled_ms(hall, "anna-1") == 3_600_000
    drawn = [line["fixture"] for line in hall.lines("vasa-1", "pair_drawn")]
    forfeited = [fixture for fixture in drawn if "anna-1" in fixture]
    until_time = datetime.fromtimestamp(player.rests_until_ms / 1000, UTC)
    words = (
        f"this bot has forfeited 3 matches in a row ({', '.join(forfeited)}); "
        f"it is paired with none until {until_time:%Y-%m-%d %H:%M} UTC"
    )
    await until(lambda: words_of_rest(hanging) == [words])
    await hanging.hang_up()
    await trio.sleep(60)
    again = await hall.come("anna")
    hall.nursery.start_soon(again.hear_out)
    await until(lambda: words_of_rest(again) == [words])
    settled = hall.settled("vasa-1")
    await trio.sleep(3_000)
    assert matches_of(hall, "anna-1") == 3
    assert hall.settled("vasa-1") > settled + 10
    await until(lambda: matches_of(hall, "anna-1") == 4)
    assert player.rests_until_ms - settled_ms(hall, "anna-1") == 7_200_000
    assert len(player.forfeited) == 4
    await until(lambda: all(name in words_of_rest(again)[-1] for name in player.forfeited))
    day.close()
    assert await hall.ended("vasa-1") is None
    assert hall.verified("vasa-1").is_finished


def words_of_rest(guest: Guest) -> list[str]:
    """What a bot was told of its rest."""
    errors = [heard for heard in guest.all_heard if isinstance(heard, Error)]
    return [error.message for error in errors if error.code == "resting"]


@pytest.mark.slow
async def test_a_bot_that_plays_elsewhere_or_is_banned_is_not_drawn(hall: Hall) -> None:
    day = hall.begin("vasa-1")
    hall.all_live([*ANCHORS, "bert"], think_s=1.9)
    hall.join("anna")
    player = hall.venue.entrance.remote["anna"]
    player.change_matches(1)
    hall.nursery.start_soon(hall.live, "anna")
    await trio.sleep(200)
    assert matches_of(hall, "anna-1") == 0
    player.change_matches(-1)
    await until(lambda: matches_of(hall, "anna-1") > 0)
    hall.away["anna"] = "banned"
    day.look(["anna"])
    await trio.sleep(100)
    banned = matches_of(hall, "anna-1")
    assert not player.matches_in_play
    await trio.sleep(200)
    assert matches_of(hall, "anna-1") == banned
    day.close()
    assert await hall.ended("vasa-1") is None
    assert hall.verified("vasa-1").is_finished
    went = hall.lines("vasa-1", "entrant_went")
    assert [line["why"] for line in went if line["entrant"] == "anna-1"] == ["banned"]


@pytest.mark.slow
async def test_a_drained_day_goes_on_where_it_was(hall: Hall) -> None:
    hall.begin("vasa-1")
    hall.all_live([*ANCHORS, "anna", "bert"])
    await until(lambda: hall.settled("vasa-1") >= 10)
    hall.runs["vasa-1"].draining.ask()
    assert isinstance(await hall.ended("vasa-1"), Drained)
    day = hall.begin("vasa-1")
    await until(lambda: hall.settled("vasa-1") >= 30)
    day.close()
    assert await hall.ended("vasa-1") is None
    assert hall.verified("vasa-1").is_finished
    fixtures = [line["fixture"] for line in hall.lines("vasa-1", "fixture_settled")]
    drawn = [line["fixture"] for line in hall.lines("vasa-1", "pair_drawn")]
    assert sorted(fixtures) == sorted(drawn)
    assert "restarted" in {line["why"] for line in hall.lines("vasa-1", "entrant_went")}


async def test_a_full_day_draws_no_more(hall: Hall) -> None:
    day = hall.begin("vasa-1", text=PLAN.replace("seats", "most_matches = 5\nseats", 1))
    hall.all_live([*ANCHORS, "anna"])
    await until(lambda: hall.settled("vasa-1") == 5)
    await trio.sleep(100)
    assert day.is_full
    assert len(hall.lines("vasa-1", "pair_drawn")) == 5
    day.close()
    assert await hall.ended("vasa-1") is None
    assert hall.verified("vasa-1").is_finished


async def test_a_bot_that_has_not_played_may_come_back_as_another_version(hall: Hall) -> None:
    hall.begin("vasa-1")
    hall.join("anna")
    for fingerprint in ("old", "new"):
        guest = await hall.come("anna", fingerprint=fingerprint)
        await trio.sleep(1)
        await guest.hang_up()
        await trio.sleep(1)
    comings = [line["player"]["entrant"] for line in hall.lines("vasa-1", "entrant_came")]
    assert comings == ["anna-1", "anna-2"]


async def test_a_day_that_closes_waits_for_a_bot_of_a_match_under_way_and_goes_on_without_it(
    hall: Hall,
) -> None:
    hall.begin("vasa-1")
    hall.all_live(ANCHORS)
    hall.join("anna")
    anna = await hall.come("anna")
    hall.nursery.start_soon(anna.hear_out)
    await anna_is_seated(hall)
    hall.runs["vasa-1"].draining.ask()
    await anna.hang_up()
    assert isinstance(await hall.ended("vasa-1"), Drained)
    day = hall.begin("vasa-1")
    await day.is_open.wait()
    day.close()
    assert await hall.ended("vasa-1") is None
    assert hall.verified("vasa-1").is_finished
    assert hall.lines("vasa-1", "entrants_awaited") == []
    assert day.book.players["anna-1"].forfeits == 1


async def anna_is_seated(hall: Hall) -> None:
    """Wait for a match of anna."""
    day = hall.days["vasa-1"]
    await day.is_open.wait()
    await until(lambda: "anna-1" in day.book.players and day.book.is_playing("anna-1"))


async def swallow(hall: Hall, guest: Guest) -> None:
    """Play until the connection is gone."""
    with suppress(HungUpError, trio.ClosedResourceError):
        await hall.play(guest)


def matches_of(hall: Hall, entrant: str, run: str = "vasa-1") -> int:
    """How many matches an entrant has finished."""
    day = hall.days[run]
    if not day.is_open.is_set():
        return 0
    player = day.book.players.get(entrant)
    return 0 if player is None else player.matches


def settled_ms(hall: Hall, entrant: str) -> int:
    """When the last match of an entrant was settled."""
    lines = hall.lines("vasa-1", "fixture_settled")
    times = [line["at_ms"] for line in lines if entrant in parse_fixture(line["fixture"]).entrants]
    return max(times)


def next_opening(hall: Hall, run: str) -> LadderOpened:
    """What the day after begins with, at this moment."""
    before = hall.days[run]
    players = [player.identity for player in before.book.players.values()]
    return replace(
        before.book.opened,
        before=before.sealed or before.log.moment(),
        players=players,
        edges=before.book.edges,
    )


def units_in(line: dict[str, Any]) -> int:
    """How many units the edges of a line have."""
    return sum(edge[2] + edge[5] + edge[6] for edge in line["edges"])


def at_two_tables(hall: Hall, bots: Sequence[str]) -> list[str]:
    """The bots that played two matches at the same time, in both days together."""
    spans: dict[str, list[tuple[int, int]]] = {bot: [] for bot in bots}
    for run in hall.runs:
        issued = {line["fixture"]: line["at_ms"] for line in hall.lines(run, "fixture_issued")}
        for line in hall.lines(run, "fixture_settled"):
            for entrant in parse_fixture(line["fixture"]).entrants:
                bot = entrant.rpartition("-")[0]
                if bot in spans:
                    spans[bot].append((issued[line["fixture"]], line["at_ms"]))
    twice = []
    for bot, times in spans.items():
        times.sort()
        if any(over > begun + 200 for (_, over), (begun, _) in pairwise(times)):
            twice.append(bot)
    return twice
