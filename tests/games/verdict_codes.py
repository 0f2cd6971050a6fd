"""The tables of verdict codes in docs/rulesets.md; `python -m tests.games.verdict_codes` writes them anew."""

import re
from pathlib import Path

from arena.games.brandubh.explain import CODES as BRANDUBH_CODES
from arena.games.tables.explain import CODES as TABLES_CODES
from arena.matches.verdicts import CODES as MATCH_CODES

PATH = Path(__file__).parents[2] / "docs" / "rulesets.md"
HEADING = "## Verdict codes"
INTRODUCTION = """\
The arena answers an illegal turn with a code, the clause it breaks and a sentence for people. The sentence ends
with what would have been legal. A code never changes its meaning."""
TABLES = {"In tables games": TABLES_CODES, "In Brandubh": BRANDUBH_CODES, "In every game": MATCH_CODES}
_SECTION = re.compile(rf"(?<={HEADING}\n\n).*?(?=\n\n## )", re.DOTALL)


def section() -> str:
    lines = [INTRODUCTION]
    for title, codes in TABLES.items():
        rows = [f"| `{code}` | {meaning} |" for code, meaning in codes.items()]
        lines += ["", f"### {title}", "", "| code | meaning |", "|---|---|", *rows]
    return "\n".join(lines)


def written() -> str:
    """What stands there now; empty if the heading is missing."""
    found = _SECTION.search(PATH.read_text(encoding="utf-8"))
    return found[0] if found else ""


def main() -> None:
    text = PATH.read_text(encoding="utf-8")
    PATH.write_text(_SECTION.sub(lambda _: section(), text), encoding="utf-8")


if __name__ == "__main__":
    main()
