"""The scripts of the pages: ES modules, one after the other in the order of their imports.

A live page loads them as they are. A report is one file that opens from a disk, where a browser
loads no modules: there they stand in one script, each as a function that returns its exports. So
the modules keep to a restricted form:

- `import { name, other } from "./file.js";` and no other import, at the top;
- `export` before a function, a class or a constant, and no other export: the value of an exported
  name never changes;
- no module imports one that imports it.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from rjsmin import jsmin

FOLDER: Final = files("arena.pages") / "assets"

_IMPORT: Final = re.compile(
    r'^import \{\s*(\w+(?:,\s*\w+)*),?\s*\} from "\./([\w-]+\.js)";\n', re.MULTILINE
)
_EXPORT: Final = re.compile(
    r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE
)
_OTHER_FORM: Final = re.compile(
    r"^(?:import|export)\b.*|\bimport\(.*|\bimport\.meta\b", re.MULTILINE
)


class ScriptError(Exception):
    """Raised for a script that cannot be joined with others."""


def read_asset(name: str) -> str:
    """Return the text of a script, a style or a template."""
    return (FOLDER / name).read_text(encoding="utf-8")


@cache
def modules_of(*entries: str) -> tuple[str, ...]:
    """Return the names of scripts and all that they import, each after those that it needs."""
    return tuple(_sources_of(entries))


@cache
def joined_modules(*entries: str) -> str:
    """Return scripts and all that they import as one classic script."""
    return join(_sources_of(entries))


def _sources_of(entries: Iterable[str]) -> dict[str, str]:
    """Read scripts and all that they import; each stands after those that it needs."""
    sources: dict[str, str] = {}
    importing: list[str] = []

    def add(name: str) -> None:
        if name in sources:
            return
        if name in importing:
            circle = " imports ".join([*importing, name])
            raise ScriptError(f"scripts import each other: {circle}")
        importing.append(name)
        source = read_asset(name)
        for imported in _IMPORT.finditer(source):
            add(imported[2])
        importing.pop()
        sources[name] = source

    for entry in entries:
        add(entry)
    return sources


def join(sources: Mapping[str, str]) -> str:
    """Return one classic script for these modules by name, each after those that it needs."""
    functions = ['"use strict";\n']
    for name, source in sources.items():
        imports = []
        for names, module in _IMPORT.findall(source):
            imports.append(f"const {{{names}}} = {_variable(module)};\n")
        exports = ", ".join(match[1] for match in _EXPORT.finditer(source))
        body = _EXPORT.sub("", _IMPORT.sub("", source))
        other = _OTHER_FORM.search(body)
        if other:
            raise ScriptError(
                f"{name} has {other[0]!r}; see arena/pages/scripts.py for what it may have"
            )
        functions += [
            f"const {_variable(name)} = (() => {{\n",
            *imports,
            body,
            f"return {{ {exports} }};\n}})();\n",
        ]
    return minified("".join(functions))


def minified(script: str) -> str:
    """Return a script without its comments, but for those of a licence, and without indentation."""
    return str(jsmin(script, keep_bang_comments=True))


def _variable(name: str) -> str:
    return "module_" + re.sub(r"\W", "_", name.removesuffix(".js"))
