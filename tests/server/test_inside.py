"""Files inside a run folder: regular ones alone, and no link is followed but in the path to the folder."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.server.io import disk
from arena.server.setup.run_folder import FolderError, RunFiles, RunFolder
from tests.strange_files import KINDS, Strange, soon_over

WAYS: dict[str, Callable[[Path, str], object]] = {
    "read": disk.read_inside,
    "lock": lambda run, name: os.close(disk.open_inside(run, name, os.O_RDWR | os.O_CREAT)),
}


@pytest.fixture
def strange(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Strange]:
    """Gone afterwards: whoever looks for records in it would wait for ever."""
    folder = tmp_path_factory.mktemp("strange")
    yield Strange(folder)
    shutil.rmtree(folder)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["tournament.jsonl", "matches/r1-anna-v-bo.jsonl"])
def test_nothing_but_a_regular_file_is_opened(
    strange: Strange, name: str, kind: str, way: str
) -> None:
    strange.put(kind, name)
    if (kind, way) == ("no line feed", "lock"):
        WAYS[way](strange.run, name)
    else:
        with soon_over(), pytest.raises(OSError, match=r"not a regular file|a line of more than"):
            WAYS[way](strange.run, name)
    strange.assert_unharmed()


def test_no_folder_inside_is_a_link(strange: Strange) -> None:
    strange.put("a link to a folder", "matches")
    for way in (
        disk.read_inside,
        disk.names_in,
        lambda run, name: disk.write_inside(run, name, b"x", mode=0o640),
    ):
        with pytest.raises(OSError, match="not a regular file"):
            way(strange.run, "matches/file" if way is not disk.names_in else "matches")
    strange.assert_unharmed()


@pytest.mark.parametrize(
    "name", ["../outside/file", "/etc/passwd", "matches/../../outside/file", "", "matches/", "."]
)
def test_no_name_leads_outside(strange: Strange, name: str) -> None:
    with pytest.raises(OSError, match="not a regular file"):
        disk.read_inside(strange.run, name)


def test_links_to_the_folder_are_followed(strange: Strange) -> None:
    short = strange.run.with_name("short")
    short.symlink_to(strange.run)
    disk.write_inside(short, "analysis/x.jsonl", b"one\n", mode=0o640)
    assert disk.read_inside(short, "analysis/x.jsonl") == b"one\n"
    assert disk.names_in(strange.run, "analysis") == ["x.jsonl"]
    assert disk.names_in(strange.run, "matches") == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["report.html", "report.html.new"])
def test_what_is_in_the_way_is_replaced_and_not_written_to(
    strange: Strange, name: str, kind: str
) -> None:
    strange.put(kind, name)
    with soon_over():
        if kind == "a folder":
            with pytest.raises(OSError):
                disk.write_inside(strange.run, "report.html", b"whole", mode=0o644)
        else:
            disk.write_inside(strange.run, "report.html", b"whole", mode=0o644)
            assert (strange.run / "report.html").read_bytes() == b"whole"
            assert not (strange.run / "report.html").is_symlink()
    strange.assert_unharmed()


@pytest.mark.parametrize(
    ("line", "is_read"), [(disk.LONGEST_LINE_BYTES, True), (disk.LONGEST_LINE_BYTES + 1, False)]
)
@pytest.mark.parametrize("before", [b"", b"one\n", b"one\n" * disk.LONGEST_LINE_BYTES])
def test_a_line_has_a_mebibyte_at_most(
    strange: Strange, before: bytes, line: int, is_read: bool
) -> None:
    for end in (b"", b"\n", b"\ntwo\n"):
        data = before + b"x" * line + end
        (strange.run / "record").write_bytes(data)
        if is_read:
            assert disk.read_inside(strange.run, "record") == data
        else:
            with pytest.raises(OSError, match="a line of more than 1048576 bytes"):
                disk.read_inside(strange.run, "record")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["lock", "tournament.toml", "secrets.json"])
def test_an_arena_goes_on_in_no_strange_folder(strange: Strange, name: str, kind: str) -> None:
    """What it writes there would go elsewhere, as its lock did."""
    folder = RunFolder(strange.run)
    folder.open("one")
    folder.remember(strange.run)
    folder.close()
    strange.put(kind, name)
    if name == "tournament.toml" and kind == "a link to nothing":
        (strange.run / "tournament.toml").unlink()
        (strange.run / "tournament.toml").symlink_to("../was-tournament.toml")
    again = RunFolder(strange.run)
    with soon_over():
        if name == "secrets.json":
            with pytest.raises(OSError, match=r"not a regular file|a line of more"):
                again.read_secrets()
        elif (name, kind) == ("lock", "no line feed"):
            again.open("one")
        else:
            with pytest.raises(FolderError, match=r"not a regular file|a line of more|is no run"):
                again.open("one")
    again.close()
    strange.assert_unharmed()


@pytest.mark.parametrize("kind", KINDS)
def test_records_that_are_no_files_are_told(strange: Strange, kind: str) -> None:
    from arena.records.lines import RecordError

    strange.put(kind, "matches/r1-anna-v-bo.jsonl")
    files = RunFiles(strange.run)
    assert list(files) == ["matches/r1-anna-v-bo.jsonl"]
    with (
        soon_over(),
        pytest.raises(
            RecordError, match=r"matches/r1-anna-v-bo\.jsonl: the file cannot be read: it"
        ),
    ):
        files["matches/r1-anna-v-bo.jsonl"]
