"""Writes docs/pictures: boards for README and tutorials, drawn by the scripts of the report in Chromium.

`python -m tests.generators.make_pictures [FOLDER]`; needs Chromium and playwright, as the tests of
the report do.
"""

from __future__ import annotations

import sys
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
    style = "".join(map(read_asset, STYLES["report"]))
    script = catalogues_script(DEFAULT) + joined_modules("tables_board.js", "pictures.js")
    found = {}
    with chromium(chromium_path()) as browser:
        page = browser.new_page(
            color_scheme="light", reduced_motion="reduce", viewport={"width": 1200, "height": 900}
        )
        page.set_content(f"<!doctype html><style>{style}</style><body></body>")
        page.add_script_tag(content=script)
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


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES
    for file, text in pictures().items():
        (folder / file).write_text(text, encoding="utf-8")
