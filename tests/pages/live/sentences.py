"""The sentences that the arena makes for people, found in its source: a value in one is written `{}`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[3]
SOURCES: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("games/tables/explain", ()),
    ("games/tables/notation", ("parse_moves",)),
    ("games/tables/drawing", ("_off", "_remembered")),
    ("games/brandubh/drawing", ("picture",)),
    ("games/brandubh/explain", ()),
    ("games/brandubh/notation", ("parse_moves",)),
    ("matches/verdicts", ()),
    ("matches/course", ()),
    ("records/reasons", ("reason", "absence_words", "ABSENCES", "ENDINGS")),
    ("records/facts", ("STOPPED",)),
    ("records/heads", ("signed", "sentence")),
    ("records/standings", ("WAYS", "containment_of")),
    ("records/dice_figures", ("sentence",)),
    ("records/luck", ("source", "_notes", "_games")),
    ("pages/report/figures", ("audit_of",)),
    ("pages/report/remarkable", ()),
    ("pages/report/incidents", ("take",)),
    ("pages/games", ("_said",)),
    ("person/sitting", ()),
    ("person/advice", ()),
    ("person/seat", ("_play", "_rouse")),
    ("person/arena_run", ("plan_in", "__init__", "_wait_for_address")),
    ("pages/by_hand/hand_room", ()),
    ("pages/by_hand/hand_pages", ()),
    ("server/io/link", ()),
    ("server/io/failures", ()),
    ("server/play/session", ("ended", "replace", "_stopped_listening", "_unasked", "_take", "fail")),
    ("server/play/player", ("fail",)),
    ("server/programs/program", ("_start", "_take", "_status")),
    ("server/programs/supervisor", ()),
)
"""Modules of the arena, and the functions and constants in them that make sentences; all of it if none are named."""


def sentences() -> Iterator[tuple[str, str]]:
    """Every sentence with its module."""
    for module, names in SOURCES:
        tree = ast.parse((ROOT / "arena" / f"{module}.py").read_text(encoding="utf-8"))
        texts = (text for node in _named(tree, names) for text in _texts(node))
        yield from ((module, text) for text in texts if re.search(r"[a-z]{2}", text))


def _named(tree: ast.Module, names: Sequence[str]) -> list[ast.AST]:
    if not names:
        return [tree]
    found: dict[str, ast.AST] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    found[target.id] = node
    assert set(names) <= set(found), set(names) - set(found)
    return [found[name] for name in names]


def _texts(root: ast.AST) -> Iterator[str]:
    """Literals with a space in them, but for documentation, what a programmer is told, and patterns."""
    skipped: set[int] = set()
    for node in ast.walk(root):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        elif isinstance(node, ast.Assert) and node.msg is not None:
            skipped |= {id(each) for each in ast.walk(node.msg)}
        elif isinstance(node, ast.JoinedStr):
            skipped |= {id(each) for each in ast.walk(node) if each is not node and not isinstance(each, ast.JoinedStr)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == "CODES":
            skipped |= {id(each) for each in ast.walk(node)}
    for node in ast.walk(root):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            yield "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
            yield node.value


def plain(text: str) -> str:
    """Without full stop, capital and the names of values."""
    text = re.sub(r"\{\w*\}", "{}", text).removesuffix(".")
    return text[:1].lower() + text[1:]
