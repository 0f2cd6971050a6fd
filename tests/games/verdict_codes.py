"""The table of verdict codes in docs/rules.md; `python -m tests.games.verdict_codes` writes it anew."""

from __future__ import annotations

import re
from pathlib import Path

from arena.games.tables.explain import CODES

PATH = Path(__file__).parents[2] / "docs" / "rules.md"
HEADING = "## Verdict codes"
INTRODUCTION = """\
An illegal turn of a tables game is answered with a code, the clause it breaks and a sentence for people that ends with
what would have been legal. A code never changes its meaning."""
_TABLE = re.compile(rf"(?<={HEADING}\n\n).*?(?=\n\n## )", re.DOTALL)


def section() -> str:
    """What stands under the heading."""
    rows = [f"| `{code}` | {meaning} |" for code, meaning in CODES.items()]
    return "\n".join([INTRODUCTION, "", "| code | meaning |", "|---|---|", *rows])


def written() -> str:
    """What stands there now; empty if the heading is missing."""
    found = _TABLE.search(PATH.read_text(encoding="utf-8"))
    return found[0] if found else ""


def main() -> None:
    """Write the section anew."""
    text = PATH.read_text(encoding="utf-8")
    PATH.write_text(_TABLE.sub(lambda _: section(), text), encoding="utf-8")


if __name__ == "__main__":
    main()
