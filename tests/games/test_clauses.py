"""Every clause has a test, and every clause that is cited exists.

A test names its clause (`test_B5_4_no_free_point_lets_strike`) or carries it in the id of a case
(`B5.4-no-free-point-lets-strike`).
"""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from arena.games import load_game, ruleset_names

ROOT = Path(__file__).parents[2]
RULE_BOOK = "".join((ROOT / "docs" / page).read_text(encoding="utf-8") for page in ("rules.md", "other-games.md"))
CLAUSES = re.findall(r"\*\*([BGMT]\d+(?:\.\d+)?)\*\*", RULE_BOOK)
CHAPTERS = set(re.findall(r"^## ([BGMT]\d*)\b", RULE_BOOK, re.MULTILINE))
TAGS = {"C": "classic", "V": "vasa", "S": "swedish-tables", "F": "fiske"}
"""Which ruleset a tag of the rule book stands for."""

_CITED = re.compile(r"\b([BGMT]\d+(?:\.\d+)?)\b")
_IN_NAME = re.compile(r"(?:^|_)([BGMT]\d+(?:_\d+)?)(?=_|$)")
_IN_CASE_ID = re.compile(r"([BGMT]\d+(?:\.\d+)?)-")


def is_due(clause: str) -> bool:
    """Whether the arena plays a ruleset for which the clause holds; until then it needs no test."""
    names = ruleset_names()
    if clause.startswith("G"):
        return "backgammon" in names
    if clause.startswith("T"):
        return any(name.startswith("brandubh") for name in names)
    if clause.startswith("B11."):
        return _option_of(clause) in _words_of_all_rulesets()
    tagged = re.search(rf"\*\*{re.escape(clause)}\*\* \*\*((?:\[[CVSF]\])+)\*\*", RULE_BOOK)
    return tagged is None or any(TAGS[tag] in names for tag in re.findall(r"[CVSF]", tagged[1]))


def _option_of(clause: str) -> str:
    """The name of the option that a clause of B11 describes."""
    found = re.search(rf"\*\*{re.escape(clause)}\*\* \*\*\[C\]\*\* `(\w+)`", RULE_BOOK)
    assert found, f"{clause} names no option"
    return found[1]


def _words_of_all_rulesets() -> str:
    """The names of all rulesets and of their fields; an option of classic will be one or the other."""
    fields = {field for name in ruleset_names() for field in load_game(name).ruleset}
    return " ".join([*ruleset_names(), *fields]).replace("-", "_")


def _clause(text: str) -> str:
    """`B5_4` as B5.4, but `M3_4` of `test_M3_4_entrants` as M3."""
    clause = text.replace("_", ".")
    return clause if clause in CLAUSES else clause.partition(".")[0] if text[0] in "MGT" else clause


def named_in(tree: ast.Module) -> set[str]:
    """The clauses that the names and case ids of one test file carry."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            found.update(_clause(text) for text in _IN_NAME.findall(node.name))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            match = _IN_CASE_ID.match(node.value)
            if match:
                found.add(match[1])
    return found


@cache
def clauses_with_a_test() -> dict[str, list[str]]:
    """Each clause with the files that test it; the tests of the plain reference do not count."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if path == Path(__file__) or path.parent.name == "reference":
            continue
        for clause in named_in(ast.parse(path.read_text(encoding="utf-8"))):
            found.setdefault(clause, []).append(str(path.relative_to(ROOT)))
    return found


@pytest.mark.parametrize("clause", [clause for clause in CLAUSES if is_due(clause)])
def test_every_clause_has_a_test(clause):
    """A clause of a ruleset that the arena plays is in the name or the case id of at least one test."""
    assert clause in clauses_with_a_test(), f"no test carries {clause}, or {clause.replace('.', '_')}, in its name"


def test_a_clause_number_is_given_once():
    """No number stands for two rules, and the chapters that are there are those the check knows."""
    assert len(CLAUSES) == len(set(CLAUSES))
    assert sorted(CHAPTERS) == sorted([*(f"B{number}" for number in range(1, 12)), "G", "M", "T"])


def test_every_test_names_clauses_that_exist():
    unknown = {clause: paths for clause, paths in clauses_with_a_test().items() if clause not in {*CLAUSES, *CHAPTERS}}
    assert unknown == {}


def test_every_clause_cited_in_the_code_exists():
    """A comment, a docstring or a verdict that cites the rule book leads somewhere."""
    unknown = [
        f"{path.relative_to(ROOT)}:{number}: {clause}"
        for path in sorted((ROOT / "arena").rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        for clause in _CITED.findall(line.split("# noqa")[0])  # lint rules are numbered much the same way
        if clause not in {*CLAUSES, *CHAPTERS}
    ]
    assert unknown == []


def test_the_check_knows_which_clauses_are_due():
    """Clauses without a tag or of vasa and classic are due; those of other games wait for their ruleset."""
    assert all(is_due(clause) for clause in ("B1.1", "B4.3", "B5.4", "B5.5", "B7.6", "B10.3", "M1", "M5"))
    names = ruleset_names()
    assert is_due("B5.7") is is_due("B6.4") is is_due("B9.3") is ("fiske" in names)
    assert is_due("G1") is ("backgammon" in names)
    assert is_due("T1") is any(name.startswith("brandubh") for name in names)
