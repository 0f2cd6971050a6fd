"""What verification finds in a day of a ladder: lines that were changed after it was played."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from click.testing import CliRunner

from arena.cli import main
from arena.records.ladder_day import LadderBook
from arena.records.lines import RecordError
from arena.records.verify import verify_run
from tests.fixtures.small_run import Files, forge, lines_of
from tests.server.ladder_hall import ANCHORS, open_hall, until

RECORD = "tournament.jsonl"
Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """A day of five bots, of which one hangs until it rests."""
    folder = tmp_path_factory.mktemp("ladder")

    async def play() -> None:
        async with open_hall(folder) as hall:
            day = hall.begin("vasa-1")
            hall.all_live([*ANCHORS, "anna"])
            hall.join("bert")
            hanging = await hall.come("bert")
            hall.nursery.start_soon(hanging.hear_out)
            await day.is_open.wait()
            await until(lambda: rests(day.book, "bert-1"))
            day.close()
            await hall.ended("vasa-1")

    trio.run(play, clock=trio.testing.MockClock(autojump_threshold=0.01))
    run = folder / "vasa-1"
    names = ["tournament.toml", RECORD, *(f"matches/{path.name}" for path in matches_in(run))]
    return {name: (run / name).read_bytes() for name in names}


def rests(book: LadderBook, entrant: str) -> bool:
    return entrant in book.players and book.players[entrant].rests_until_ms > 0


def matches_in(run: Path) -> list[Path]:
    """The match records of a run."""
    return sorted((run / "matches").iterdir())


def line_of(lines: Lines, event: str, number: int = 0) -> dict[str, Any]:
    """A line of a kind; the last one by -1."""
    return [line for line in lines if line["event"] == event][number]


def set_in(event: str, number: int = -1, **values: Any) -> Callable[[Lines], None]:
    """A change of fields of a line."""

    def change(lines: Lines) -> None:
        line_of(lines, event, number).update(values)

    return change


def add_to(event: str, field: str, more: float) -> Callable[[Lines], None]:
    """A change of a number in the last line of a kind."""

    def change(lines: Lines) -> None:
        line_of(lines, event, -1)[field] += more

    return change


def leave_out(event: str) -> Callable[[Lines], None]:
    """A day without the first line of a kind."""

    def change(lines: Lines) -> None:
        lines.remove(line_of(lines, event))

    return change


def rate_higher(lines: Lines) -> None:
    """The best gets an Elo more."""
    line_of(lines, "tournament_ended")["standings"][0]["rating"] += 1


def send_away(lines: Lines) -> None:
    """The operator adds that a bot had gone before the last pairing, so that it was not free."""
    drawn = line_of(lines, "pair_drawn", -1)
    gone = {"event": "entrant_went", "v": 1, "at_ms": drawn["at_ms"], "entrant": "anna-1"}
    lines.insert(lines.index(drawn), gone | {"why": "left"})


def come_as_anchor(lines: Lines) -> None:
    """A bot that came first during the day says that it is an anchor."""
    [coming] = [line for line in lines if line.get("player", {}).get("bot") == "anna"]
    coming["player"]["is_anchor"] = True


def come_with_forfeits(lines: Lines) -> None:
    """A bot that came first during the day brings a match that it never forfeited."""
    [coming] = [line for line in lines if line.get("player", {}).get("bot") == "anna"]
    coming["player"]["forfeited"] = ["r1-anna-1-v-bert-1"]


def know_more(lines: Lines) -> None:
    """The day begins with results that nobody has played."""
    line_of(lines, "ladder_opened")["edges"] = [[0, 1, 10, 10.0, 10.0, 0, 0]]


FORGERIES: dict[str, tuple[Callable[[Lines], None], set[str]]] = {
    "another number": (add_to("pair_drawn", "number", 2), {"record.ladder_drawn_otherwise"}),
    "another seat": (add_to("pair_drawn", "number", 1), {"record.ladder_other_pair"}),
    "another probability": (
        add_to("pair_drawn", "probability", 0.00001),
        {"record.ladder_other_pair"},
    ),
    "fewer were free": (add_to("pair_drawn", "free", -1), {"record.ladder_others_free"}),
    "others were free": (
        set_in("pair_drawn", free_sha256="0" * 64),
        {"record.ladder_others_free"},
    ),
    "one was sent away": (
        send_away,
        {
            "record.ladder_others_free",
            "record.ladder_there_already",
            "record.ladder_not_there",
            "record.ladder_drawn_otherwise",  # it played just then, so that the same were free
        },
    ),
    "no coming": (
        leave_out("entrant_came"),
        {"record.ladder_others_free", "record.other_names", "record.no_tournament"},
    ),
    "another key": (set_in("pairing_key", key="0" * 64), {"record.ladder_drawn_otherwise"}),
    "an anchor that comes late": (
        come_as_anchor,
        {"record.ladder_other_version"},
    ),
    "a newcomer with forfeits": (come_with_forfeits, {"record.ladder_other_version"}),
    "no key": (leave_out("pairing_key"), {"record.ladder_key_order"}),
    "a higher rating": (rate_higher, {"record.ladder_other_rating"}),
    "no opening": (leave_out("ladder_opened"), {"record.no_tournament"}),
    "other edges": (know_more, {"record.ladder_other_pair", "record.ladder_drawn_otherwise"}),
}


def test_the_day_is_in_order(played: Files) -> None:
    assert verify_run(played).is_finished
    events = {line["event"] for line in lines_of(played[RECORD])}
    assert {"pairing_key", "entrant_went"} <= events


@pytest.mark.parametrize(("change", "codes"), FORGERIES.values(), ids=FORGERIES)
def test_a_changed_day_is_refused(
    played: Files, change: Callable[[Lines], None], codes: set[str]
) -> None:
    forged = forge(played, RECORD, change)
    with pytest.raises(RecordError) as error:
        verify_run(forged)
    assert error.value.problem.code in codes


@pytest.mark.parametrize(
    "command",
    [
        "standings RUN",
        "standings RUN --json",
        "show RUN",
        "log RUN forfeits",
        "log RUN builds",
        "stats RUN",
        "export RUN --to csv --out OUT",
        "report RUN --out OUT.html",
        "verify RUN",
    ],
)
@pytest.mark.parametrize("part", ["sealed", "open"])
def test_every_command_on_a_run_understands_a_day(
    played: Files, tmp_path: Path, command: str, part: str
) -> None:
    """An open day is one whose last lines are not written yet."""
    (tmp_path / "run" / "matches").mkdir(parents=True)
    for name, content in played.items():
        (tmp_path / "run" / name).write_bytes(content)
    if part == "open":
        lines = played[RECORD].splitlines(keepends=True)
        (tmp_path / "run" / RECORD).write_bytes(b"".join(lines[:-4]))
    words = [word.replace("OUT", str(tmp_path / "out")) for word in command.split()]
    words = [word.replace("RUN", str(tmp_path / "run")) for word in words]
    ran = CliRunner().invoke(main, words)
    assert ran.exception is None or ran.exit_code == 0, ran.output
    if command.startswith("standings"):
        assert "rating" in ran.output
