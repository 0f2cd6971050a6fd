"""A folder of runs: what is listed, and each run under a path of its own."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import trio

from arena.pages.live import runs, runs_folder
from tests.fixtures.asked_pages import add, ask, begun, follow, lines_of, write_run
from tests.fixtures.small_run import FIXTURE, RECORD, small_run
from tests.pages.live.clubs import Club, watched
from tests.pages.live.crowded_run import crowded_run

pytestmark = pytest.mark.usefixtures("cache", "at_once")
LOG = "tournament.jsonl"


@pytest.mark.slow
async def test_all_runs_are_listed_with_how_they_stand(club: Path) -> None:
    async with watched(club) as site:
        page = await site.listed()
        rows = {row["folder"]: row for row in page["rows"]}
        assert page["found"] == len(rows) == 3
        friday = rows["friday"]
        assert (friday["name"], friday["ruleset"], friday["state"]) == ("small", "vasa", "finished")
        assert (friday["settled"], friday["scheduled"]) == (1, 1)
        assert friday["outcome"][1]["name"] == "anna"
        assert (rows["2026/cup"]["state"], rows["2026/cup"]["settled"]) == ("under way", 0)
        assert (page["unread"], page["left_out"], page["is_looking"]) == (0, 0, False)


@pytest.mark.slow
async def test_a_run_under_way_says_who_leads(tmp_path: Path) -> None:
    write_run(tmp_path / "club" / "now", crowded_run())
    async with watched(tmp_path / "club") as site:
        [row] = (await site.listed())["rows"]
    assert row["state"] == "under way"
    assert row["outcome"][0] == "stakes.open"


async def test_the_run_that_began_last_is_the_first(tmp_path: Path) -> None:
    early = small_run()
    early[LOG] = early[LOG].replace(b'"at_ms":17', b'"at_ms":16')
    for name, files in (("a", early), ("b", small_run()), ("c", early)):
        write_run(tmp_path / "club" / name, files)
    async with watched(tmp_path / "club") as site:
        assert (await site.listed())["rows"][0]["folder"] == "b"


@pytest.mark.parametrize(
    ("find", "count"), [("", 3), ("cup", 1), ("SMALL anna", 3), ("100%", 0), ("' OR 1=1 --", 0)]
)
async def test_runs_are_found_by_all_words(club: Path, find: str, count: int) -> None:
    async with watched(club) as site:
        assert (await ask(site.app, f"/api/runs?find={find.replace(' ', '+')}")).json[
            "found"
        ] == count


async def test_the_list_comes_in_parts(club: Path) -> None:
    async with watched(club) as site:
        parts = [await site.listed(f"start={start}&most=2") for start in (0, 2)]
        assert [len(part["rows"]) for part in parts] == [2, 1]
        assert (await ask(site.app, "/api/runs?start=-1")).status == 400


async def test_each_run_opens_under_its_path(club: Path) -> None:
    """A path has any characters; what is asked for is answered as for a run by itself."""
    async with watched(club) as site:
        for folder in ("friday", "2026/cup", "2026/Så & så #1"):
            first = await ask_path(site, f"/runs/{folder}/")
            up = "../" * (folder.count("/") + 2)
            assert f'<link rel="up" href="{up}">' in first.text
            assert f'src="{up}assets/' in first.text
            assert (await ask_path(site, f"/runs/{folder}/api/run")).json["run"]["name"] == "small"
            crosstable = await ask_path(site, f"/runs/{folder}/api/crosstable")
            assert [len(row) for row in crosstable.json] == [2, 2]
            assert (await ask_path(site, f"/runs/{folder}/api/bots/bo")).json["row"]["id"] == "bo"
        moved = await ask_path(site, "/runs/2026/cup")
        assert (moved.status, moved.headers["location"]) == (307, "./cup/")
        for unknown in ("/runs/2026", "/runs/", "/runs/../friday/", "/runs/friday/api/nothing"):
            assert (await ask_path(site, unknown)).status == 404


async def ask_path(site: Club, path: str) -> Any:
    """Ask for a path as a browser writes it."""
    return await ask(site.app, quote(path))


async def test_what_the_index_answers_is_what_the_record_says(club: Path) -> None:
    """The same addresses, once from the index and once from the record."""
    async with watched(club) as site:
        places = [
            "run",
            "crosstable",
            "pairings",
            "games?sort=points",
            "bots/anna",
            f"matches/{FIXTURE}",
            f"matches/{FIXTURE}?attempt=1",
            f"matches/{FIXTURE}/2/1",
        ]
        assert site.runs._learn()
        kept = [(await ask(site.app, f"/runs/friday/api/{place}")).json for place in places]
        assert site.runs.open["friday"].watcher is None
        site.runs.entries.clear()  # the index knows nothing now
        followed = [(await ask(site.app, f"/runs/friday/api/{place}")).json for place in places]
        watcher = site.runs.open["friday"].watcher
        assert watcher is not None
        for answer in (kept, followed):
            for content in answer:
                forget_learnt(content)
        assert kept == followed


def forget_learnt(content: Any) -> None:
    """Drop what match records tell a little later."""
    if isinstance(content, dict):
        for key in ("turns", "version", "versions"):
            content.pop(key, None)
        for part in content.values():
            forget_learnt(part)
    elif isinstance(content, list):
        for part in content:
            forget_learnt(part)


async def test_a_run_that_nobody_looks_at_is_followed_no_longer(
    club: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with watched(club) as site:
        async with trio.open_nursery() as nursery:
            viewer = await follow(site.app, "/runs/2026/cup/events/run", nursery)
            with trio.fail_after(10):
                await site.runs.open["2026/cup"].ready.wait()
            monkeypatch.setattr(runs, "KEEP_SECONDS", 0.0)
            await site.runs.look()
            assert "2026/cup" in site.runs.open, "it has a viewer"
            nursery.cancel_scope.cancel()
        assert viewer.events[0][0] == "snapshot"
        await site.runs.look()
        assert site.runs.open == {}
        assert (await ask(site.app, "/runs/2026/cup/api/run")).status == 200, "it opens again"


async def comes(has_come: Callable[[], bool]) -> None:
    """Wait for what a thread and a stream bring."""
    with trio.fail_after(20):
        while not has_come():  # noqa: ASYNC110 - a stream is read into a list
            await trio.sleep(0.01)


def is_finished(content: Any) -> bool:
    """Return whether this message to the viewers of a run says that it is over."""
    return "run" in content and content["run"]["is_finished"]


async def test_a_run_that_goes_on_is_followed(tmp_path: Path) -> None:
    files = small_run()
    log = lines_of(files[LOG])
    folder = write_run(tmp_path / "club" / "cup", begun(files, 5))
    async with watched(tmp_path / "club") as site:
        assert (await site.row("cup"))["settled"] == 0
        async with trio.open_nursery() as nursery:
            viewer = await follow(site.app, "/runs/cup/events/run", nursery)
            add(folder, LOG, log[2:])
            assert (await site.row("cup"))["state"] == "finished"
            await comes(lambda: any(is_finished(content) for _, _, content in viewer.events))
            nursery.cancel_scope.cancel()


async def test_a_finished_run_that_goes_on_after_all_reaches_its_viewers(tmp_path: Path) -> None:
    files = small_run()
    folder = write_run(tmp_path / "club" / "cup", files)
    async with watched(tmp_path / "club") as site, trio.open_nursery() as nursery:
        viewer = await follow(site.app, "/runs/cup/events/run", nursery)
        await comes(lambda: len(viewer.events) == 1)
        assert site.runs.open["cup"].watcher is None
        (folder / LOG).write_bytes(begun(files, 5)[LOG])
        await site.runs.look()
        await comes(lambda: len(viewer.events) >= 2)
        assert [content["run"]["is_finished"] for _, _, content in viewer.events] == [True, False]
        nursery.cancel_scope.cancel()


async def test_runs_come_change_and_go(club: Path) -> None:
    async with watched(club) as site:
        write_run(club / "new", small_run())
        shutil.rmtree(club / "friday")
        (club / "2026" / "cup" / LOG).write_bytes(small_run()[LOG])
        rows = {row["folder"]: row for row in (await site.listed())["rows"]}
        assert sorted(rows) == ["2026/Så & så #1", "2026/cup", "new"]
        assert rows["2026/cup"]["state"] == "finished"
        assert (await ask(site.app, "/runs/friday/api/run")).status == 404


async def test_viewers_of_the_list_are_told(club: Path) -> None:
    async with watched(club) as site, trio.open_nursery() as nursery:
        viewer = await follow(site.app, "/events/runs", nursery)
        await comes(lambda: len(viewer.events) == 1)
        write_run(club / "new", small_run())
        await site.runs.look()
        await comes(lambda: len(viewer.events) >= 2)
        nursery.cancel_scope.cancel()


def damaged_line(folder: Path) -> None:
    (folder / LOG).write_bytes(b"nonsense\n")


def cut_off(folder: Path) -> None:
    (folder / LOG).write_bytes(small_run()[LOG].replace(b"fixture_settled", b"fixture_sattled"))


def linked(folder: Path) -> None:
    (folder / LOG).rename(folder.parent.parent / "elsewhere.jsonl")
    (folder / LOG).symlink_to(folder.parent.parent / "elsewhere.jsonl")


def piped(folder: Path) -> None:
    (folder / LOG).unlink()
    os.mkfifo(folder / LOG)


def a_folder(folder: Path) -> None:
    (folder / LOG).unlink()
    (folder / LOG).mkdir()


def without_a_beginning(folder: Path) -> None:
    (folder / LOG).write_bytes(small_run()[LOG].split(b"\n", 1)[1])


@pytest.mark.parametrize(
    "damage", [damaged_line, cut_off, linked, piped, a_folder, without_a_beginning]
)
async def test_a_run_that_cannot_be_read_harms_no_other(
    club: Path, damage: Callable[[Path], None]
) -> None:
    damage(club / "friday")
    async with watched(club) as site:
        page = await site.listed()
        rows = {row["folder"]: row for row in page["rows"]}
        assert page["found"] == 3
        assert rows["friday"]["trouble"]
        assert rows["2026/Så & så #1"]["outcome"]
        assert (await ask(site.app, "/runs/friday/api/run")).status in (200, 503)
        assert (await ask(site.app, "/runs/2026/cup/api/run")).status == 200


async def test_a_fault_of_ours_is_told_and_harms_no_other(
    club: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read = runs.RunReader.pieces

    def fail(self: Any, until_ms: int) -> Any:
        if "friday" in str(self._file._folder):
            raise ZeroDivisionError
        return read(self, until_ms)

    monkeypatch.setattr(runs.RunReader, "pieces", fail)
    async with watched(club) as site:
        assert (await site.row("friday"))["state"] == "unreadable"
        assert (await site.row("2026/cup"))["state"] == "under way"
    assert "ZeroDivisionError" in capsys.readouterr().err


async def test_links_are_not_followed(club: Path, tmp_path: Path) -> None:
    outside = write_run(tmp_path / "outside", small_run())
    (club / "link").symlink_to(outside)
    (club / "2026" / "up").symlink_to(club)
    async with watched(club) as site:
        assert (await site.listed())["found"] == 3
        assert (await ask(site.app, "/runs/link/api/run")).status == 404


async def test_a_run_that_has_not_begun_is_listed(tmp_path: Path) -> None:
    folder = tmp_path / "club" / "soon"
    folder.mkdir(parents=True)
    (folder / "tournament.toml").write_bytes(small_run()["tournament.toml"])
    async with watched(tmp_path / "club") as site:
        assert (await site.row("soon"))["state"] == "not started"
        write_run(folder, small_run())
        assert (await site.row("soon"))["state"] == "finished"


async def test_a_folder_without_runs_has_an_empty_list(tmp_path: Path) -> None:
    async with watched(tmp_path) as site:
        assert (await site.listed())["found"] == 0


async def test_what_is_too_deep_or_no_text_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs_folder, "DEEPEST", 2)
    write_run(tmp_path / "a" / "b" / "c", small_run())
    (tmp_path / os.fsdecode(b"\xff")).mkdir()
    async with watched(tmp_path) as site:
        page = await site.listed()
        assert (page["found"], page["left_out"]) == (0, 2)


async def test_the_delay_holds_for_the_list_and_each_run(tmp_path: Path) -> None:
    """The result is held back until its time has come, also with an index that knows more."""
    files = small_run()
    now_ms = int(time.time() * 1000)
    start = lines_of(files[LOG])[0]
    at_ms = int(start.split(b'"at_ms":')[1].split(b",")[0])
    for name in (LOG, RECORD):
        for line in lines_of(files[name]):
            stamp = line.split(b'"at_ms":')[1].split(b",")[0] if b'"at_ms":' in line else b""
            if stamp:
                shifted = str(int(stamp) - at_ms + now_ms - 60_000).encode()
                files[name] = files[name].replace(b'"at_ms":' + stamp, b'"at_ms":' + shifted)
    write_run(tmp_path / "club" / "cup", files)
    async with watched(tmp_path / "club") as site:
        assert (await site.row("cup"))["state"] == "finished"
    async with watched(tmp_path / "club", delay_ms=59_000) as site:
        assert (await site.row("cup"))["state"] == "under way"
        assert not (await ask(site.app, "/runs/cup/api/run")).json["run"]["is_finished"]
    async with watched(tmp_path / "club", delay_ms=10_000) as site:
        assert (await site.row("cup"))["state"] == "finished"
