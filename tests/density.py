"""How dense the lines of some Python files are: what tests/test_house.py holds the rooms to.

A line is plain if a stranger reads it once. No count says that, but dense lines show in these:
conditional expressions, comprehensions, names that say nothing, functions with many branches.
Weight is counted in tokens without comments, docstrings and layout, so layout is free.

`python -m tests.density` prints the table of all rooms.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
F_STRING_START: Final = getattr(tokenize, "FSTRING_START", None)
F_STRING_END: Final = getattr(tokenize, "FSTRING_END", None)
"""From Python 3.12 on an f-string is cut into tokens; it counts as one, as before."""
LONGEST_LINE: Final = 100
MOST_BRANCHES: Final = 10
EMPTY_NAMES: Final = frozenset(
    {
        "asked",
        "being",
        "came",
        "each",
        "found",
        "given",
        "held",
        "here",
        "known",
        "left",
        "made",
        "one",
        "other",
        "own",
        "rest",
        "said",
        "seen",
        "taken",
        "told",
        "way",
        "what",
    }
)
"""Names that do not say what a thing is."""
OLD_WORDS: Final = re.compile(
    r"\b(nobody|somebody|so many|begun|anew|of which|whoever|whom|thereof|whatever it"
    r"|what becomes)\b",
    re.IGNORECASE,
)
"""Words that people who are not English by birth look up."""
COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
BRANCHES: Final = (
    ast.If,
    ast.IfExp,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.match_case,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Density:
    """The counts of one room, or the most that it may have."""

    tokens: int
    conditional_expressions: int
    comprehensions: int
    nested: int
    """Comprehensions inside comprehensions."""
    empty_names: int
    """Variables and parameters with a name of `EMPTY_NAMES`."""
    branchy: int
    """Functions with more than `MOST_BRANCHES` branches."""
    long_lines: int
    old_words: int


def rooms() -> dict[str, list[Path]]:
    """Return the Python files of the product by room, such as `arena/cli`, `arena/server/io`."""
    files: dict[str, list[Path]] = {}
    for top in ("arena", "protocol"):
        for path in sorted((ROOT / top).rglob("*.py")):
            if room_of(path) != "arena/server":  # an empty file
                files.setdefault(room_of(path), []).append(path)
    return files


def room_of(path: Path) -> str:
    """Return the room of a file."""
    folders = path.relative_to(ROOT).parts[:-1]
    if folders[0] == "protocol":
        return "protocol"
    depth = 3 if folders[:2] == ("arena", "server") else 2
    return "/".join(folders[:depth])


def measure(files: list[Path]) -> Density:
    """Count what stands in these files."""
    texts = [path.read_text(encoding="utf-8") for path in files]
    trees = [ast.parse(text) for text in texts]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    comprehensions = [node for node in nodes if isinstance(node, COMPREHENSIONS)]
    functions = [node for node in nodes if isinstance(node, FUNCTIONS)]
    lines = [line for text in texts for line in text.splitlines()]
    return Density(
        tokens=sum(map(tokens, texts, trees)),
        conditional_expressions=sum(isinstance(node, ast.IfExp) for node in nodes),
        comprehensions=len(comprehensions),
        nested=sum(holds_another(node) for node in comprehensions),
        empty_names=sum(name in EMPTY_NAMES for name in names_bound(nodes)),
        branchy=sum(branches(function) > MOST_BRANCHES for function in functions),
        long_lines=sum(len(line) > LONGEST_LINE for line in lines),
        old_words=sum(len(OLD_WORDS.findall(text)) for text in texts),
    )


def tokens(text: str, tree: ast.Module) -> int:
    """Count the tokens of a file, without comments, docstrings and layout."""
    docstrings = lines_of_docstrings(tree)
    counted = (tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING)
    number = 0
    depth = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == F_STRING_START:
            number += depth == 0
            depth += 1
        elif token.type == F_STRING_END:
            depth -= 1
        if depth:
            continue
        is_docstring = token.type == tokenize.STRING and token.start[0] in docstrings
        if token.type in counted and not is_docstring:
            number += 1
    return number


def lines_of_docstrings(tree: ast.Module) -> set[int]:
    """Return the lines on which docstrings of a module, its classes and functions stand."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, *FUNCTIONS)) and ast.get_docstring(node):
            docstring = node.body[0]
            lines.update(range(docstring.lineno, (docstring.end_lineno or docstring.lineno) + 1))
    return lines


def holds_another(comprehension: ast.AST) -> bool:
    """Return True if another comprehension stands inside this one."""
    inside = list(ast.walk(comprehension))[1:]
    return any(isinstance(node, COMPREHENSIONS) for node in inside)


def names_bound(nodes: list[ast.AST]) -> Iterator[str]:
    """Yield the names of parameters and of variables, once for each place that sets them."""
    for node in nodes:
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def branches(function: ast.AST) -> int:
    """Count the ways through a function, and through those defined inside it."""
    number = 1
    for node in ast.walk(function):
        if isinstance(node, BRANCHES):
            number += 1
        elif isinstance(node, ast.BoolOp):
            number += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            number += 1 + len(node.ifs)
    return number


if __name__ == "__main__":
    for room, files in rooms().items():
        counts = ", ".join(map(str, asdict(measure(files)).values()))
        print(f'    "{room}": ({counts}),')
