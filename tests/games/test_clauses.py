"""Every clause has a test, and every clause that is cited exists.

A test names its clause (`test_B5_4_no_free_point_lets_strike`) or carries it in the id of a case
(`B5.4-no-free-point-lets-strike`).
"""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.fixtures.clauses import CHAPTERS, CLAUSES, ROOT

_CITED = re.compile(r"\b([BGMT]\d+(?:\.\d+)?)\b")
_IN_NAME = re.compile(r"(?:^|_)([BGMT]\d+(?:_\d+)?)(?=_|$)")
_IN_CASE_ID = re.compile(r"([BGMT]\d+(?:\.\d+)?)-")


def _clause(text: str) -> str:
    """`B5_4` as B5.4, but `M3_4` of `test_M3_4_entrants` as M3."""
    clause = text.replace("_", ".")
    return clause if clause in CLAUSES else clause.partition(".")[0] if text[0] in "MGT" else clause


def named_in(tree: ast.Module) -> set[str]:
    """The clauses that the names and case ids of one test file carry."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith(
            "test_"
        ):
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


@pytest.mark.parametrize("clause", CLAUSES)
def test_every_clause_has_a_test(clause):
    assert clause in clauses_with_a_test(), (
        f"no test carries {clause}, or {clause.replace('.', '_')}, in its name"
    )


def test_a_clause_number_is_given_once():
    """No number stands for two rules, and the chapters that are there are those the check knows."""
    assert len(CLAUSES) == len(set(CLAUSES))
    assert sorted(CHAPTERS) == sorted([*(f"B{number}" for number in range(1, 12)), "G", "M", "T"])


def test_every_test_names_clauses_that_exist():
    unknown = {
        clause: paths
        for clause, paths in clauses_with_a_test().items()
        if clause not in {*CLAUSES, *CHAPTERS}
    }
    assert unknown == {}


def test_every_clause_cited_in_the_code_exists():
    """A comment, a docstring or a verdict that cites the rule book leads somewhere."""
    unknown = [
        f"{path.relative_to(ROOT)}:{number}: {clause}"
        for path in sorted((ROOT / "arena").rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        for clause in _CITED.findall(
            line.split("# noqa")[0]
        )  # lint rules are numbered much the same way
        if clause not in {*CLAUSES, *CHAPTERS}
    ]
    assert unknown == []
