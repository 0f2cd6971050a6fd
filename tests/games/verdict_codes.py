"""The tables of verdict codes in docs/rulesets.md; `python -m tests.games.verdict_codes` writes them anew."""

import re
from pathlib import Path

PATH = Path(__file__).parents[2] / "docs" / "rulesets.md"
HEADING = "## Verdict codes"
INTRODUCTION = """\
The arena answers an illegal turn with a code, the clause it breaks and a sentence for people. The sentence ends
with what would have been legal. A code never changes its meaning."""
TABLES_CODES = {
    "unreadable_moves": "the moves are not pairs [from, to] of whole numbers",
    "too_many_moves": "more moves than the roll has dice",
    "no_such_move": "from and to are not slots of the board in the direction of play",
    "no_checker": "no own checker stands where the move begins",
    "bar_first": "a checker waits on the bar and another was moved",
    "no_such_die": "no die that is left makes the move",
    "entry_own_point": "a checker may not enter on an own one",
    "entry_closed": "the opponent has closed the point and may not be struck now",
    "closed_point": "the opponent has closed the point and may not be struck now",
    "own_point": "a checker may not join an own one there",
    "prime_too_long": "the move would make a prime longer than allowed",
    "not_home": "bearing off before all checkers are in the last quarter",
    "die_too_small": "the die does not suffice to bear the checker off",
    "not_rearmost": "only the rearmost checker may be borne off with this die",
    "game_over": "a move follows the one that ended the game",
    "fewer_dice": "more dice can be used",
    "lower_die": "only one die can be used, and the higher must be",
    "waste": "another turn wastes less of its dice",
    "no_double_six": "the six-checker turn is not open",
}
BRANDUBH_CODES = {
    "unreadable_moves": "the moves are not pairs [from, to] of strings",
    "game_over": "the game has ended and nothing may be played any more",
    "not_one_move": "no move or more than one, where a turn is one move",
    "no_such_square": "from or to is not a square from a1 to g7",
    "empty_square": "nothing stands where the move begins",
    "not_yours": "a warrior or king of the other side was moved",
    "same_square": "from and to are the same square",
    "not_straight": "from and to share neither a row nor a column",
    "blocked": "something stands on the way or where the move ends",
    "reserved_square": "a warrior may not stop on the throne or in a corner",
}
MATCH_CODES = {
    "no_agreement": "a draw was offered or accepted in a game that is never drawn by agreement",
    "no_such_call": "another number of dice was called for than may be",
    "no_such_choice": "an index that names no legal turn",
    "unasked_choice": "an index into legal turns that the bot has not asked for in its login",
    "no_draw_offered": "a draw was accepted that the opponent has not offered with its last turn",
}
"""Every code of a verdict, with what it means."""
TABLES = {
    "In tables games": TABLES_CODES,
    "In Brandubh": BRANDUBH_CODES,
    "In every game": MATCH_CODES,
}
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
