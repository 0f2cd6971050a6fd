"""The index that is kept for the next start: nothing of it is believed for long, and nothing depends on it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import msgspec
import pytest
import trio

from arena.pages.live import watching
from arena.pages.live.watching import Watcher
from arena.records.files import INDEX
from tests.pages.live.conftest import Write, write_run
from tests.pages.report.report_runs import long_run
from tests.records.small_run import small_run
from tests.strange_files import KINDS, Strange, soon_over

EVER = 2**62
Learn = Callable[[Path], Watcher]


@pytest.fixture
def learnt(monkeypatch: pytest.MonkeyPatch) -> Iterator[Learn]:
    """Opens the pages of a run and lets them read everything."""
    monkeypatch.setattr(watching, "IDLE_SECONDS", 0.01)
    with ExitStack() as open_ones:

        def learn(folder: Path) -> Watcher:
            watcher = open_ones.enter_context(closing(Watcher(folder)))

            async def look() -> None:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(watcher.follow)
                    with trio.fail_after(10):
                        while watcher.known or watcher.index.unlearnt(1) or not watcher.run.lines:  # noqa: ASYNC110
                            await trio.sleep(0.01)
                        await trio.sleep(0.1)
                    nursery.cancel_scope.cancel()

            trio.run(look)
            return watcher

        yield learn


def changed(folder: Path, change: Callable[[list[dict]], None]) -> None:
    """The file of the index with other contents."""
    lines = [json.loads(line) for line in (folder / INDEX).read_bytes().splitlines()]
    change(lines)
    (folder / INDEX).write_text("".join(json.dumps(line) + "\n" for line in lines))


def shown(watcher: Watcher) -> tuple[bytes, object]:
    """What pages say that can be kept."""
    return msgspec.json.encode(watcher.overview_now()), watcher.index.learnt()


def test_the_first_page_is_there_before_the_record_is_read(written: Write, learnt: Learn) -> None:
    """As long as the record is the same; then the record is read after all, and says the same."""
    folder = written(small_run())
    first = learnt(folder)
    said = shown(first)
    first.close()
    with closing(Watcher(folder)) as second:
        assert (second.run.lines, msgspec.json.encode(second.overview_now())) == (0, said[0])
        second.look()
        assert second.run.lines > 0
        assert (second.known, shown(second)) == (None, said)
        assert second.index.unlearnt(1) == [], "what was learnt was kept"
    with closing(Watcher(folder, delay_ms=1)) as later:
        assert later.known is None, "what is shown later is read each time"
    record = folder / "tournament.jsonl"
    record.write_bytes(record.read_bytes() + b"{}\n")
    with closing(Watcher(folder)) as grown:
        assert grown.known is None
        grown.look()
        assert grown.index.unlearnt(1) == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / INDEX).write_bytes(b"no index\n" * 1000),
        lambda folder: (folder / INDEX).write_bytes((folder / INDEX).read_bytes()[:-9]),
        lambda folder: (folder / INDEX).write_bytes(b'{"deep":' + b"[" * 3000 + b"\n"),
        lambda folder: write_run(folder, long_run()),
        lambda folder: changed(folder, lambda lines: lines[0].update(format="brade-index-0")),
        lambda folder: changed(folder, lambda lines: lines[0].update(size=-1)),
        lambda folder: changed(folder, lambda lines: lines[0].update(size=2**80)),
        lambda folder: changed(folder, lambda lines: lines[1].update(turns={"1": "many"})),
    ],
)
def test_what_does_not_fit_is_made_again(written: Write, learnt: Learn, damage: Callable[[Path], object]) -> None:
    folder = written(small_run())
    learnt(folder).close()
    damage(folder)
    with closing(Watcher(folder)) as again:
        if again.known is not None:
            assert again.index.games(until_ms=EVER).found == 0
    expected = learnt(folder)
    (folder / INDEX).unlink()
    assert shown(learnt(folder)) == shown(expected)


def forged_page(lines: list[dict]) -> None:
    """Another winner, another name, a game that was not played."""
    page = lines[0]["overview"]
    page["run"]["name"] = "forged"
    page["run"]["entrants"].reverse()
    page["games"]["rows"] *= 2


def forged_turns(lines: list[dict]) -> None:
    lines[1]["turns"] = dict.fromkeys(lines[1]["turns"], 7)


def forged_versions(lines: list[dict]) -> None:
    lines[1]["versions"] = ["1", "the best"]


def forged_names(lines: list[dict]) -> None:
    lines.append({**lines[1], "fixture": "../../outside/file"})
    lines.append({**lines[1], "fixture": "r9-x-v-y"})


@pytest.mark.parametrize("forge", [forged_page, forged_turns, forged_versions, forged_names])
def test_what_somebody_has_forged_is_made_again(written: Write, learnt: Learn, forge: Callable) -> None:
    """Though its hash is right: it says of which record it is, and anybody can compute that."""
    folder = written(small_run())
    first = learnt(folder)
    said = shown(first)
    first.close()
    changed(folder, forge)
    again = learnt(folder)
    assert shown(again) == said
    assert [row.turns for row in again.index.games(until_ms=EVER).rows] == [0, 1, 2]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [INDEX, f"{INDEX}.new"])
def test_what_is_in_its_place_is_neither_read_nor_written_to(
    tmp_path: Path, learnt: Learn, name: str, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    strange = Strange(tmp_path)
    write_run(strange.run, small_run())
    strange.put(kind, name)
    with soon_over():
        found = learnt(strange.run)
        assert found.index.games(until_ms=EVER).found == 3
        found.close()
    strange.assert_unharmed()
    if kind == "a folder":
        assert capsys.readouterr().err.startswith("the index cannot be kept beside the records: ")
    else:
        assert not (strange.run / INDEX).is_symlink()


def test_two_pages_of_a_run_do_not_disturb_each_other(written: Write, learnt: Learn) -> None:
    folder = written(small_run())
    one, two = learnt(folder), learnt(folder)
    assert shown(one) == shown(two)
    one.close()
    two.close()
    with closing(Watcher(folder)) as third:
        assert third.known is not None


def test_a_folder_that_cannot_be_written_is_read(written: Write, learnt: Learn, monkeypatch, capsys) -> None:

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(watching, "write_index", refuse)
    monkeypatch.setattr(watching, "SAVE_SECONDS", 0)
    folder = written(small_run())
    found = learnt(folder)
    assert found.index.games(until_ms=EVER).found == 3
    found.close()
    assert capsys.readouterr().err == "the index cannot be kept beside the records: Permission denied\n"
    assert not (folder / INDEX).exists()
