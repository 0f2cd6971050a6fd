"""Writes docs/pictures: boards for README and tutorials, drawn by the scripts of the report in Chromium.

Writes also the empty board that pages show until their scripts have loaded.

`python -m tests.generators.make_pictures [FOLDER]`; needs Chromium and playwright, as the tests of
the report do.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from arena.games import load_game
from arena.pages.boards import board_of, position_text
from arena.pages.page import STYLES
from arena.pages.scripts import joined_modules, read_asset
from arena.words import DEFAULT, catalogues_script
from tests.browser import chromium, chromium_path

ROOT: Final = Path(__file__).parents[2]
PICTURES: Final = ROOT / "docs" / "pictures"
EMPTY_BOARD: Final = ROOT / "arena" / "pages" / "assets" / "empty_board.svg"


class Picture(NamedTuple):
    """A position of `vasa` from the side to move, and the turn it plays; a picture without dice shows the position."""

    position: str
    dice: tuple[int, ...] = ()
    turn: str = "pass"


PICTURE_OF: Final = {
    "start": Picture("1:15 | opp 13:15"),
    "turn": Picture(
        "1:10 5:1 9:1 14:2 20:1 | opp 2:1 7:1 13:9 16:1 18:2 24:1", (6, 1), "14/20 1/2*"
    ),
    "forced-jan": Picture(
        "bar:2 1:3 19:3 20:4 22:3 | opp 2:2 3:2 4:2 5:2 6:1 13:3 bar:3", (6, 5), "bar/6 bar/5"
    ),
    "missed-jan": Picture(
        "bar:1 1:5 5:1 6:1 8:1 11:1 16:1 18:1 20:1 22:1 23:1 | opp 13:9 15:1 17:1 21:1 bar:3",
        (5, 3),
        "bar/3 16/21*",
    ),
}


def frame_of(picture: Picture) -> dict[str, Any]:
    """What the script draws; all from seat 1's side."""
    rules = load_game("vasa")
    board = board_of(rules)
    position = rules.parse_position(picture.position)
    before = position_text(rules, board, position, 1)
    if not picture.dice:
        return {
            "kind": "start",
            "position": before,
            "before": before,
            "dice": "",
            "mover": 1,
            "seat": 1,
            "text": "",
        }
    moves = rules.parse_turn(picture.turn)
    verdict: Any = rules.judge(position, picture.dice, moves)
    return {
        "kind": "turn",
        "position": position_text(rules, board, verdict.position, 1),
        "before": before,
        "dice": "".join(map(str, picture.dice)),
        "mover": 1,
        "seat": 1,
        "text": rules.format_turn(moves, position, verdict.ending),
    }


def pictures() -> dict[str, str]:
    found = {}
    with drawing_page() as page:
        for name, picture in PICTURE_OF.items():
            svg = page.evaluate(
                """(frame) => {
                  const board = module_tables_board.tablesBoard({ facing: "same_way", remembers: [] }, ["O", "X"], frame, false);
                  document.body.replaceChildren(board);
                  return module_pictures.standaloneSvg(board);
                }""",
                frame_of(picture),
            )
            found[f"{name}.svg"] = f"{svg}\n"
    return found


def empty_board() -> str:
    """Draw a board without checkers, numbers and grain, in the styles of the page that it stands in."""
    with drawing_page() as page:
        svg = page.evaluate(
            """(position) => {
              const frame = { kind: "start", position, before: position, dice: "", mover: 0, seat: 0, text: "" };
              const board = module_tables_board.tablesBoard({ facing: "same_way", remembers: [] }, ["O", "X"], frame, false);
              for (const part of board.querySelectorAll("text, .grain")) part.remove();
              for (const name of ["role", "aria-label"]) board.removeAttribute(name);
              board.setAttribute("aria-hidden", "true");
              return board.outerHTML;
            }""",
            "." * 28,
        )
    return f"{svg}\n"


@contextmanager
def drawing_page() -> Iterator[Any]:
    """Open a page with the scripts and styles of the report."""
    style = "".join(map(read_asset, STYLES["report"]))
    script = catalogues_script(DEFAULT) + joined_modules("tables_board.js", "pictures.js")
    with chromium(chromium_path()) as browser:
        page = browser.new_page(
            color_scheme="light", reduced_motion="reduce", viewport={"width": 1200, "height": 900}
        )
        page.set_content(f"<!doctype html><style>{style}</style><body></body>")
        page.add_script_tag(content=script)
        yield page


if __name__ == "__main__":
    folder, board_folder = PICTURES, EMPTY_BOARD.parent
    if len(sys.argv) > 1:
        folder = board_folder = Path(sys.argv[1])
    for file, text in pictures().items():
        (folder / file).write_text(text, encoding="utf-8")
    (board_folder / EMPTY_BOARD.name).write_text(empty_board(), encoding="utf-8")
