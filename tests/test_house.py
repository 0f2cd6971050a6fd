"""The shape of the house, where import-linter's contracts do not reach (docs/architecture.md)."""

import ast
import re
import tomllib
from dataclasses import asdict
from functools import cache
from pathlib import Path

import grimp
import networkx as nx
import pytest

from tests.density import measure, rooms

ROOT = Path(__file__).parent.parent
CODE = sorted(path for top in ("arena", "protocol") for path in (ROOT / top).rglob("*.py"))
WRITTEN = {".md", ".py", ".c", ".h", ".js", ".mjs", ".ts", ".go", ".java", ".rs", ".css"}
MADE = {"build", "node_modules", "target"}
"""Folders of what programs have written."""
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "sample_bots").glob("*/*.md")]
)


@cache
def imports(path: Path) -> set[str]:
    """Every module a file names in an import, wherever it stands."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module}
    return found


def importing(name: str) -> set[str]:
    """The files that import a module or anything in it."""
    return {
        str(path.relative_to(ROOT))
        for path in CODE
        if any(module == name or module.startswith(f"{name}.") for module in imports(path))
    }


HOMES = {
    "secrets": {"arena/server/io/secret_values.py"},
    "msgpack": {"protocol/codec.py"},
    "hmac": {
        "arena/records/dice.py",
        "arena/records/ladder_draws.py",
        "protocol/client/dice.py",
    },  # a bot checks the arena with a program of its own
    "structlog": {"arena/server/io/journal.py", "arena/server/io/operator_log.py"},
    "random": {
        "arena/analysis/search.py"
    },  # chance comes from the seed; rollouts and training have their own
}


@pytest.mark.parametrize(("module", "homes"), HOMES.items(), ids=HOMES.keys())
def test_few_modules_know(module, homes):
    assert {
        path
        for path in importing(module)
        if not (module == "random" and path.startswith("arena/lab/"))
    } == homes


def test_rules_are_free_of_third_parties():
    """The rule book is plain Python: a bot can copy it anywhere."""
    for path in (ROOT / "arena" / "games").rglob("*.py"):
        for module in imports(path):
            top = module.split(".")[0]
            assert top == "arena" or top in __import__("sys").stdlib_module_names, (
                f"{path} imports {module}"
            )


def test_what_the_arena_imports_is_installed_with_it():
    """All but the libraries of the extras, which no format and no page of the README needs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    core = {
        re.split(r"[^\w-]", requirement)[0].replace("-", "_").removesuffix("_py")
        for requirement in project["dependencies"]
    }
    ours = {"arena", "protocol", *__import__("sys").stdlib_module_names}
    found = {module.split(".")[0]: path for path in CODE for module in imports(path)}
    beyond = {
        module: str(path.relative_to(ROOT))
        for module, path in found.items()
        if module not in core | ours
    }
    extras = {"bgsage", "distributed", "duckdb", "mcp", "anyio", "gvformat", "ogxm"}
    assert beyond.keys() == extras, beyond


@pytest.mark.parametrize(
    "ring", ["games/**", "matches/**", "tournaments/**", "records/**", "pages", "pages/report"]
)
def test_the_inner_rings_never_wait(ring):
    """Only the shell awaits, opens sockets or reads clocks."""
    for path in (ROOT / "arena").glob(f"{ring}/*.py"):
        assert not imports(path) & {
            "trio",
            "time",
            "socket",
            "subprocess",
            "asyncio",
            "datetime",
        }, path
        assert not any(
            isinstance(node, ast.AsyncFunctionDef | ast.Await)
            for node in ast.walk(ast.parse(path.read_text()))
        )


def test_services_end_nothing():
    """They raise errors by name. Commands turn these into exit codes and know click and rich."""
    for path in (ROOT / "arena" / "services").rglob("*.py"):
        names = {
            node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)
        }
        assert not names & {"SystemExit", "exit", "quit", "print"}, path
        assert "sys.exit" not in path.read_text(), path


def test_rules_meet_the_wire_in_one_module():
    """Only server/play/translate.py knows both positions and messages."""
    server = {path for path in importing("arena.games") if path.startswith("arena/server/")}
    both = {
        path
        for path in server & importing("protocol")
        if "legal_turns" in (ROOT / path).read_text()
    }
    assert both == {"arena/server/play/translate.py"}


def test_sample_bots_use_the_public_libraries_alone():
    """A Python sample bot may use the kit, the engine and evaluators, nothing else of ours."""
    for path in (ROOT / "sample_bots").rglob("*.py"):
        if "node_modules" not in path.parts:
            ours = {
                module for module in imports(path) if module.split(".")[0] in ("arena", "protocol")
            }
            assert ours <= {"protocol.client", "arena.games", "arena.analysis"}, (
                f"{path} imports {ours}"
            )


def test_files_stay_short():
    """A file of more than 500 lines is two files, whether code, test or page."""
    tops = ("arena", "protocol", "tests", "benchmarks", "sample_bots", "docs")
    files = [*ROOT.glob("*.md"), *(path for top in tops for path in (ROOT / top).rglob("*"))]
    names = {str(path.relative_to(ROOT)) for path in files if path.suffix in WRITTEN}
    lines = {
        name: len((ROOT / name).read_text().splitlines())
        for name in names
        if not MADE & {*Path(name).parts}
    }
    lines.pop("arena/pages/assets/contents.d.ts")  # made by tests.generators.make_page_types
    assert {name: count for name, count in lines.items() if count > 500} == {}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    """Each relative link of the documentation names a file and a heading that are there."""
    for target in re.findall(r"\]\(([^)#\s]*(?:#[^)\s]*)?)\)", page.read_text()):
        name, _, anchor = target.partition("#")
        if "://" in name:
            continue
        file = (page.parent / name) if name else page
        assert file.exists(), f"{page.name} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ +(.*)$", file.read_text(), flags=re.MULTILINE)
            slugs = {
                re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings
            }
            assert anchor in slugs, f"{page.name} links to {target}"


def test_no_file_imports_another_that_imports_it_again() -> None:
    """However long the way round, and counting what only a type checker imports."""
    graph = grimp.build_graph("arena", "protocol", cache_dir=None)
    imports = [
        (one, other)
        for one in graph.modules
        for other in graph.find_modules_directly_imported_by(one)
    ]
    circles = nx.strongly_connected_components(nx.DiGraph(imports))
    assert [sorted(circle) for circle in circles if len(circle) > 1] == []


def test_pre_commit_does_what_make_check_does_for_python() -> None:
    hooks = re.findall(
        r"^ +entry: (.+)$", (ROOT / ".pre-commit-config.yaml").read_text(), re.MULTILINE
    )
    check = (ROOT / "Makefile").read_text().partition("\ncheck:")[2].partition("\n\n")[0]
    of_python = re.findall(r"^\t\$\(BIN\)(.+)$", check, re.MULTILINE)
    assert hooks == [f".venv/bin{command}" for command in of_python]


CEILINGS = {
    # tokens, conditional expressions, comprehensions, nested, empty names, branchy, long, old words
    "arena": (1630, 2, 5, 0, 1, 0, 0, 0),
    "arena/adapters": (4838, 2, 5, 0, 1, 0, 0, 0),
    "arena/analysis": (24625, 10, 78, 0, 3, 0, 0, 0),
    "arena/cli": (55329, 54, 102, 0, 2, 10, 0, 0),
    "arena/conformance": (8742, 4, 14, 0, 1, 0, 0, 0),
    "arena/games": (31998, 29, 94, 0, 0, 9, 0, 0),
    "arena/lab": (18591, 12, 70, 0, 1, 4, 0, 0),
    "arena/matches": (11936, 13, 19, 0, 2, 2, 0, 0),
    "arena/pages": (55538, 26, 121, 0, 6, 1, 0, 1),
    "arena/person": (16274, 9, 20, 0, 1, 0, 0, 0),
    "arena/records": (44485, 24, 110, 0, 7, 8, 0, 0),
    "arena/server/door": (2144, 0, 4, 0, 0, 0, 0, 0),
    "arena/server/io": (11311, 9, 6, 0, 0, 1, 0, 0),
    "arena/server/play": (12810, 7, 15, 0, 0, 1, 0, 0),
    "arena/server/programs": (24357, 11, 55, 0, 0, 1, 0, 0),
    "arena/server/run": (23445, 5, 33, 0, 2, 0, 0, 0),
    "arena/server/series": (12268, 6, 17, 0, 1, 0, 0, 0),
    "arena/server/setup": (20531, 7, 48, 0, 0, 1, 0, 0),
    "arena/server/venue": (4496, 0, 9, 0, 0, 0, 0, 0),
    "arena/services": (24598, 11, 48, 0, 0, 2, 0, 0),
    "arena/tournaments": (29724, 11, 100, 0, 0, 4, 0, 0),
    "arena/words": (1596, 1, 3, 0, 0, 0, 0, 0),
    "protocol": (14484, 7, 12, 0, 1, 3, 0, 0),
}
"""The most that each room may hold of what makes lines hard to read: see tests/density.py.

A room that needs more changes its line in a commit of its own, with the reason.
"""


@pytest.mark.parametrize("room", rooms())
def test_lines_stay_plain(room: str) -> None:
    """`python -m tests.density` prints what every room has now."""
    counts = asdict(measure(rooms()[room]))
    ceilings = dict(zip(counts, CEILINGS[room], strict=True))
    assert {name: count for name, count in counts.items() if count > ceilings[name]} == {}
