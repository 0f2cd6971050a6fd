"""Modules of the pages: their order, and the one script that they are in a report."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from arena.pages import scripts
from arena.pages.scripts import FOLDER, ScriptError, join, joined_modules, modules_of

BASE = "export const TWO = 2;\nexport function twice(number) {\n  return TWO * number;\n}\n"
USER = 'import { TWO, twice } from "./base.js";\n\nexport const FOUR = twice(TWO); // a note\n'
ENTRY = 'import { FOUR } from "./user.js";\n\nconsole.log(JSON.stringify([FOUR, typeof TWO]));\n'


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Scripts by name, in place of those of the pages."""
    files = {"base.js": BASE, "user.js": USER, "entry.js": ENTRY}
    monkeypatch.setattr(scripts, "read_asset", files.__getitem__)
    for function in (modules_of, joined_modules):
        function.cache_clear()
    return files


@pytest.mark.usefixtures("written")
def test_a_module_stands_after_those_that_it_imports() -> None:
    assert modules_of("entry.js") == ("base.js", "user.js", "entry.js")


@pytest.mark.usefixtures("written")
@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_joined_modules_see_what_they_import_and_nothing_else(tmp_path: Path) -> None:
    script = tmp_path / "joined.js"
    script.write_text(joined_modules("entry.js"), encoding="utf-8")
    done = subprocess.run(["node", script], capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(done.stdout) == [4, "undefined"]
    assert "a note" not in script.read_text(encoding="utf-8")


def test_modules_that_import_each_other_are_refused(written: dict[str, str]) -> None:
    written["base.js"] = 'import { FOUR } from "./user.js";\n' + BASE
    circle = "user.js imports base.js imports user.js"
    with pytest.raises(ScriptError, match=circle):
        modules_of("entry.js")


@pytest.mark.parametrize(
    "form",
    [
        'import * as base from "./base.js";',
        'import base from "./base.js";',
        'import { TWO as PAIR } from "https://elsewhere.example/base.js";',
        'import { TWO as PAIR } from "./base.js";',
        'import "./base.js";',
        "export default 2;",
        "export { TWO };",
        "export let two = 2;",
        'const base = await import("./base.js");',
        "const place = import.meta.url;",
    ],
)
def test_other_forms_of_imports_and_exports_are_refused(form: str) -> None:
    with pytest.raises(ScriptError, match=r"^odd\.js has "):
        join({"odd.js": f"{form}\n"})


@pytest.mark.parametrize("entry", ["report.js", "watch.js", "play.js", "run.js", "runs.js"])
def test_every_page_can_be_joined(entry: str) -> None:
    modules = modules_of(entry)
    assert modules[-1] == entry
    assert len(modules) == len(set(modules))
    assert set(modules) <= {file.name for file in FOLDER.iterdir()}
    assert joined_modules(entry).count("(()=>{") >= len(modules)


def test_no_line_of_scripts_and_styles_is_longer_than_120() -> None:
    """A sentence is one line, since catalogues hold it whole."""
    long_lines = []
    for path in sorted(FOLDER.rglob("*.*")):
        if path.suffix not in {".js", ".css", ".html"}:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            is_sentence = re.fullmatch(r'\s*"[^"]*",?', line)
            if len(line) > 120 and not is_sentence:
                long_lines.append(f"{path.name}:{number}")
    assert long_lines == []
