"""The index of a run: what it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from arena.pages.contents import BotPage, TableRow
from arena.pages.following import RunFollower
from arena.pages.index import Index, index_in_memory
from arena.pages.live.watching import learnt_of_all
from arena.records.rows import TABLES, BotRow, GameRow, MatchRow, cells_of, columns_of
from arena.records.tabulate import rows_of_run
from tests.fixtures.asked_pages import Write
from tests.fixtures.small_run import FIXTURE, small_run


@pytest.fixture
def filled() -> Iterator[Callable[[Path], Index]]:
    with ExitStack() as open_ones:

        def fill(folder: Path) -> Index:
            index, run = open_ones.enter_context(closing(index_in_memory())), RunFollower()
            run.read((folder / "tournament.jsonl").read_bytes().split(b"\n")[:-1])
            index.add([fact for _, fact in run.advance()])
            while wanted := index.unlearnt(1):
                index.learn(learnt_of_all(folder, wanted))
            return index

        yield fill


def test_its_tables_are_those_of_rows(written: Write, filled) -> None:
    index = filled(written(small_run()))
    rows = [
        row
        for row in rows_of_run(small_run(), tables=TABLES, with_positions=False)
        if row.attempt == 2
    ]
    for table, kind in (("matches", MatchRow), ("games", GameRow), ("bots", BotRow)):
        names = [column.name for column in columns_of(table)]
        found = index._ask(f"SELECT {', '.join(names)} FROM {table}")
        told = [cells_of(row) for row in rows if isinstance(row, kind)]
        assert len(found) == len(told) > 0
        for own, theirs in zip(found, told, strict=True):
            cells = {
                name: pair
                for name, *pair in zip(names, own, theirs, strict=True)
                if pair[0] is not None
            }
            assert len(cells) > 4
            assert all(one == other for one, other in cells.values()), cells


@pytest.mark.parametrize(
    ("find", "count"),
    [
        ("", 3),
        ("TURN limit", 1),
        ("bo forfeit", 2),
        ("100%", 0),
        ("_", 0),
        ("' OR 1=1 --", 0),
        ("anna nobody", 0),
    ],
)
def test_games_are_found_by_all_words(written: Write, filled, find: str, count: int) -> None:
    """Whatever is asked for is text."""
    index = filled(written(small_run()))
    assert index.games(find=find).found == count


def test_games_are_sorted(written: Write, filled) -> None:
    index = filled(written(small_run()))
    for is_up in (True, False):
        points = [row.points for row in index.games(sort="points", is_up=is_up).rows]
        assert points == sorted(points, reverse=not is_up)
    with pytest.raises(KeyError):
        index.games(sort="; DROP TABLE games")


def test_games_of_annulled_matches_are_marked(written: Write, filled) -> None:
    index = filled(written(small_run()))
    assert {row.annulled for row in index.games().rows} == {False}
    assert {row.annulled for row in index.games(annulled={FIXTURE}).rows} == {True}


def bot_page(index: Index, bot: str) -> BotPage:
    return index.bot_page(TableRow(id=bot, name=bot, place=1, withdrawal="none", cells=()), [])


def test_the_page_of_a_bot_lists_annulled_matches_and_does_not_count_them(
    written: Write, filled
) -> None:
    index = filled(written(small_run()))
    row = TableRow(id="bo", name="bo", place=None, withdrawal="", cells=())
    counted, page = index.bot_page(row, []), index.bot_page(row, [], annulled={FIXTURE})
    assert (page.against, page.endings) == ([], [])
    assert (len(page.matches), page.found, page.versions) == (1, 1, counted.versions)
    assert index.bot_page(row, [], 1).matches == []


def test_a_bot_has_its_history(written: Write, filled) -> None:
    index = filled(written(small_run()))
    page = bot_page(index, "bo")
    [against], [match] = page.against, page.matches
    assert (against["opponent"], against["matches"], page.found) == ("anna", 1, 1)
    results = [bot_page(index, bot).against[0] for bot in ("anna", "bo")]
    assert [(one["won"], one["drawn"], one["lost"]) for one in results] == [(1, 0, 0), (0, 0, 1)]
    assert (match["fixture"], match["opponent"]) == (FIXTURE, "anna")
    points = ("points_for", "points_against")
    assert [match[key] for key in points] == [against[key] for key in points]
    assert sum(one["won"] + one["drawn"] + one["lost"] for one in page.endings) == 3
    assert bot_page(index, "nobody").against == []
