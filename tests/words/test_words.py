"""Sentences from the catalogues; every word of pages and terminal is in them, and every code that is said."""

from __future__ import annotations

import ast
import json
import re
import shutil
import string
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from arena.analysis.examination import PHASES as EXAM_PHASES
from arena.cli.play.terminal import HELP
from arena.games import load_game, option_names, ruleset_names
from arena.games.result import Cause
from arena.games.tables.endings import BorneOff, EndingName
from arena.pages.serving.faults import FAILED
from arena.person.lessons import lessons
from arena.person.phases import Phase
from arena.records import columns
from arena.records.analysed import MARKS
from arena.records.facts import Way
from arena.sample_opponents import OPPONENTS
from arena.server.setup import toml_errors
from arena.tournaments.formats import FORMATS, knockout, ladder_format
from arena.tournaments.standings import Withdrawal
from arena.words import LANGUAGES, Said, catalogue, catalogues_script, decimal, say
from arena.words.saying import OF_TERMINALS, Entry, is_of_pages
from tests.fixtures.verdict_codes import BRANDUBH_CODES, MATCH_CODES, TABLES_CODES
from tests.words.spoken import parsed, spoken_modules

ROOT = Path(__file__).parent.parent.parent
ASSETS = ROOT / "arena" / "pages" / "assets"
SPEAKERS = {ROOT / "arena" / room for room in ("cli", "services", "conformance")}
"""Commands, and the rooms whose errors they say."""
TO_PERSONS = ROOT / "arena" / "services" / "rehearsal.py"
"""Pages say it too: why the opponent of a person failed its rehearsal."""
FILES = [path for kind in ("py", "js") for path in (ROOT / "arena").rglob(f"*.{kind}")]
TEXTS = {path: path.read_text(encoding="utf-8") for path in FILES}
SOURCE = "".join(TEXTS.values())
FAMILIES = set(re.findall(r"(?:f\"|`)(\w+\.)[{$]", SOURCE))
"""The beginnings of codes that are made of a name: `ending.`."""
OF_CODES = {code.split(".")[0] for code in catalogue("en") if "." in code}
LIKE_A_CODE = re.compile(r'"([a-z_]+\.(?!(?:jsonl?|js|py|toml|html|css)")[a-z_0-9]+)"')
"""A text that may be a code; names of files are none."""
FIELDS = {"listen.address", "listen.certificate", "luck.evaluator"}
"""Fields of a tournament file, which look like codes."""
PLACE = re.compile(r"\{(\w+)\}")
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
_CALL = re.compile(r"\b(say|term|counted)\(")


def scripts() -> list[Path]:
    """Every script, and the board on a terminal, which says its words in the same way."""
    return [*sorted(ASSETS.glob("*.js")), ROOT / "arena" / "cli" / "play" / "terminal.py"]


def arguments(text: str, start: int) -> list[str]:
    """The arguments of a call whose opening bracket is before `start`, as they are written."""
    found, depth, place, begun = [], 0, start, start
    while True:
        sign = text[place]
        if sign in "\"'`":
            place += 1
            while text[place] != sign:
                place += 2 if text[place] == "\\" else 1
        elif sign in "([{":
            depth += 1
        elif sign in ")]}" and depth:
            depth -= 1
        elif sign in ")," and not depth:
            found.append(text[begun:place])
            begun = place + 1
            if sign == ")":
                return found
        place += 1


def said(text: str) -> Iterator[str]:
    for call in _CALL.finditer(text):
        if text[: call.start()].endswith("function "):
            continue
        given = arguments(text, call.end())
        if call[1] == "counted":
            words = [
                json.loads(f'"{one}"')
                for argument in given[1:]
                for one in _LITERAL.findall(argument)
            ]
            yield from words
            if len(given) == 2:
                yield from (f"{one}s" for one in words)
        else:
            text_of_call = re.sub(r'"\s*\+\s*"', "", given[0])
            yield from (json.loads(f'"{one}"') for one in _LITERAL.findall(text_of_call))


def swedish() -> dict[str, str]:
    """The words of the Swedish catalogue: what it has beside codes."""
    return {
        english: str(words)
        for english, words in catalogue("sv").items()
        if english not in catalogue("en")
    }


def in_scripts() -> set[str]:
    return {words for path in scripts() for words in said(path.read_text(encoding="utf-8"))}


def of_records() -> set[str]:
    """The words that come from records and from the arena's own names."""
    names = {*FORMATS, *columns.COUNTED, "match", "pair"}
    colours = set(load_game("brandubh-1").colours or ())
    sources = [
        Path(module.__file__).read_text(encoding="utf-8")
        for module in (knockout, ladder_format, columns)
    ]
    headings = {
        heading for source in sources for heading in re.findall(r'heading="([^"]+)"', source)
    }
    others = {*MARKS, FAILED, *EXAM_PHASES, "all", "difference"}
    return (
        {re.sub(r"-\d+$", "", name).translate({ord("_"): " ", ord("-"): " "}) for name in names}
        | colours
        | headings
        | others
    )


def of_tables() -> set[str]:
    """The titles and headings of tables on a terminal, in commands that have them in every language."""
    nodes = (node for path in spoken_modules() for node in ast.walk(parsed(path)))
    calls = (
        node
        for node in nodes
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "plain_table"
    )
    literals = (
        node.value for call in calls for node in ast.walk(call) if isinstance(node, ast.Constant)
    )
    return {words for words in literals if isinstance(words, str) and re.search("[A-Za-z]", words)}


def test_no_word_is_missing_in_swedish() -> None:
    assert sorted((in_scripts() | of_records() | of_tables()) - set(swedish())) == []


def test_a_word_is_no_code() -> None:
    assert sorted((in_scripts() | of_records()) & catalogue("en").keys()) == []


def test_no_word_is_left_over() -> None:
    assert sorted(set(swedish()) - in_scripts() - of_records() - of_tables()) == []


def test_the_values_in_them_are_the_same() -> None:
    for english, words in swedish().items():
        assert words.strip()
        assert set(PLACE.findall(words)) == set(PLACE.findall(english)), english


def test_every_code_that_is_said_has_its_sentence() -> None:
    said = set(re.findall(r'(?:Said\(|told\(\[)\s*"([^"]+)"', SOURCE))
    said |= {text for text in LIKE_A_CODE.findall(SOURCE) if text.split(".")[0] in OF_CODES}
    assert sorted(said - catalogue("en").keys() - FIELDS) == []


def test_no_sentence_is_left_over() -> None:
    unused = {code for code in catalogue("en") if f'"{code}"' not in SOURCE}
    assert sorted(code for code in unused if f"{code.split('.')[0]}." not in FAMILIES) == []


# Sentences from the catalogues


WORDS = Path(__file__).parents[2] / "arena" / "pages" / "assets" / "words.js"
VALUES: list[Any] = [
    1,
    2,
    1234.5,
    "1/7*",
    Said("and", {"first": 0.25, "last": "bo"}),
    ["a", Said("ending.jan"), "c"],
    ["a"],
]

EXAMPLE = {
    "dice": {"one": "{count} die", "other": "{count} dice"},
    "moves": {"=0": "no move", "other": "{count:,} moves"},
    "says": "{name} has {what}",
    "and": "{first} and {last}",
}


@pytest.fixture
def example(monkeypatch) -> None:
    monkeypatch.setattr("arena.words.saying.catalogue", lambda _language: EXAMPLE)


@pytest.mark.usefixtures("example")
def test_values_stand_in_a_sentence_and_may_be_sentences() -> None:
    said = Said("says", {"name": "{bo}", "what": Said("dice", {"count": 2})})
    assert say(said) == say(json.loads(json.dumps(said))) == "{bo} has 2 dice"


@pytest.mark.usefixtures("example")
@pytest.mark.parametrize(
    ("said", "words"),
    [
        (Said("dice", {"count": 1}), "1 die"),
        (Said("dice", {"count": 0}), "0 dice"),
        (Said("moves", {"count": 0}), "no move"),
        (Said("moves", {"count": 1000}), "1,000 moves"),
        (
            Said("says", {"name": ["a"], "what": ["b", "c", Said("dice", {"count": 1})]}),
            "a has b, c and 1 die",
        ),
        (Said("ending.forced_march"), "forced march"),
        ("its own words", "its own words"),
    ],
)
def test_a_number_chooses_and_several_are_listed(said: object, words: str) -> None:
    assert say(said) == words


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_names_the_same_values(language: str) -> None:
    for code, entry in catalogue("en").items():
        assert _values(catalogue(language)[code]) == _values(entry), code


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_code_stands_once(language: str) -> None:
    text = (ROOT / "arena" / "words" / f"{language}.json").read_text(encoding="utf-8")
    codes = [code for code, _ in json.loads(text, object_pairs_hook=list)]
    assert len(codes) == len(set(codes))


OVER = (
    "king_escaped",
    "king_captured",
    "repetition",
    "no_move",
    "agreement",
    "turn_limit",
    "forfeit",
)
NAMES_OF: dict[str, Iterable[str]] = {
    "ending": (*get_args(EndingName), *get_args(BorneOff), *OVER),
    "cause": get_args(Cause),
    "illegal": (*TABLES_CODES, *BRANDUBH_CODES, *MATCH_CODES),
    "contained": get_args(Way),
    "not_due": set(get_args(Phase)),
    "withdrawn": set(Withdrawal) - {Withdrawal.NONE},
    "help": HELP,
    "toml_error": [*toml_errors.CONSTANT.values(), *toml_errors.ABOUT_A_SIGN.values()],
    "lesson": [
        f"{name}.{part}"
        for name, lesson in lessons().by_name.items()
        for part in (
            "title",
            "done",
            *(f"{place}.text" for place in range(1, len(lesson.steps) + 1)),
            *(f"{place}.hint" for place in range(1, len(lesson.steps) + 1)),
        )
    ],
    "opponent": [one.name for one in OPPONENTS],
    "ruleset": ruleset_names(),
    "rules_named": ruleset_names(),
    "option": [option for name in ruleset_names() for option in option_names(name)],
}


@pytest.mark.parametrize("family", NAMES_OF)
def test_every_name_of_a_family_has_its_sentence(family: str) -> None:
    assert sorted({f"{family}.{name}" for name in NAMES_OF[family]} - catalogue("en").keys()) == []


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pages_say_the_same(language: str, tmp_path: Path) -> None:
    said = [
        Said(
            code,
            {
                **{
                    str(name): VALUES[(place + shift) % len(VALUES)]
                    for place, name in enumerate(sorted(_values(entry) - _formed(entry)))
                },
                **dict.fromkeys(map(str, _formed(entry)), 12345),
                "count": count,
            },
        )
        for code, entry in catalogue("en").items()
        if is_of_pages(code)
        for shift, count in enumerate((0, 1, 2, 12345, 1.5, 3, 4))
    ]
    assert in_node(language, f"{json.dumps(said)}.map(told)", tmp_path) == [
        say(one, language) for one in said
    ]


def in_node(language: str, asked: str, folder: Path) -> Any:
    """Return what an expression of the pages gives for a reader of this language."""
    script = f"""
import {{ runInThisContext }} from "node:vm";
globalThis.document = {{ documentElement: {{}} }};
globalThis.localStorage = null;
Object.defineProperty(globalThis, "navigator", {{ value: {{ languages: ["{language}"] }} }});
runInThisContext({json.dumps(catalogues_script(*LANGUAGES))});
const {{ told }} = await import({json.dumps(WORDS.as_uri())});
console.log(JSON.stringify({asked}));
"""
    (folder / "said.mjs").write_text(script, encoding="utf-8")
    answer = subprocess.run(
        ["node", str(folder / "said.mjs")], capture_output=True, text=True, timeout=60, check=True
    )
    return json.loads(answer.stdout)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("value", [0.26, -1.5, 12345.678, 0.0])
def test_the_pages_write_numbers_in_the_same_forms_with_a_wide_minus(
    language: str, value: float, tmp_path: Path
) -> None:
    forms = [".1f", "+.3f"]
    entries = {form: f"{{value:{form}}}" for form in forms}
    asked = (
        f"(Object.assign(CATALOGUES[{json.dumps(language)}], {json.dumps(entries)}),"
        f" {json.dumps(forms)}.map((form) => told([form, {{ value: {value} }}])))"
    )
    written = [decimal(value, form, language).replace("-", "\N{MINUS SIGN}") for form in forms]
    assert in_node(language, asked, tmp_path) == written


def test_pages_carry_no_sentence_that_only_terminals_say() -> None:
    on_terminals = {family for family in families() if not _is_said_beside_terminals(family)}
    assert on_terminals == OF_TERMINALS


def families() -> set[str]:
    return {code.partition(".")[0] for code in catalogue("en")}


def _is_said_beside_terminals(family: str) -> bool:
    codes = [f'"{code}"' for code in catalogue("en") if code.partition(".")[0] == family]
    made = (f'"{family}.{{', f"`{family}.$")
    return any(
        mark in text
        for path, text in TEXTS.items()
        if (path == TO_PERSONS or not SPEAKERS & {*path.parents}) and path.name != "saying.py"
        for mark in (*codes, *made)
    )


def _formed(entry: Entry) -> set[str | None]:
    """The values of a sentence that are written in a form."""
    return {name for name, form in _parts(entry) if form}


def _values(entry: Entry) -> set[str | None]:
    """The values of a sentence."""
    return {name for name, _ in _parts(entry)} - {None, "count"}


def _parts(entry: Entry) -> Iterator[tuple[str | None, str | None]]:
    texts = [entry] if isinstance(entry, str) else entry.values()
    for text in texts:
        for _, name, form, _ in string.Formatter().parse(text):
            yield name, form
