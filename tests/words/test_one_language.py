"""One language per output: the commands that speak every language have no words of their own, and no catalogue mixes.

tests/cli/test_one_language.py looks at what the commands print.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.words import LANGUAGES, catalogue
from tests.fixtures.language_mixes import strangers
from tests.words.spoken import CLI, ROOT, parsed, spoken_modules

PLACE = re.compile(r"\{[^}]*\}")
SENTENCE = re.compile(r"[a-z]{2,},? [a-z]{2,}")
"""Two words of a sentence."""
WORD = re.compile(r"[a-z]{2}")
PRINTS = (
    "click.echo",
    "print",
    "console.print",
    "fail",
    "note",
    "tell",
    "self.tell",
    "prompt",
    "Scene",
    "echo_coloured",
)
SAYS = ("translate", "say", "Said", "plain_table", "in_words", "word")
"""What is given to these is looked up in the catalogues, which other tests compare."""
NO_WORDS = ("errors", "help", "metavar")
"""Named arguments: those of help texts, which are English as a whole, and how to decode."""
NOT_PRINTED = (
    "click.option",
    "click.argument",
    "click.Path",
    "click.IntRange",
    "json_option",
    "re.compile",
    "json.dumps",
)


@pytest.mark.parametrize("path", spoken_modules(), ids=lambda path: str(path.relative_to(CLI)))
def test_no_words_stand_in_the_code(path: Path) -> None:
    assert list(own_words(parsed(path))) == []


def test_no_value_of_what_is_said_is_a_sentence() -> None:
    found = [
        (path.name, text)
        for path in (ROOT / "arena").rglob("*.py")
        for text in sentences_in_said(parsed(path))
    ]
    assert found == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_of_a_catalogue_mixes(language: str) -> None:
    entries = catalogue(language).items()
    texts = [
        (code, text)
        for code, entry in entries
        for text in ([entry] if isinstance(entry, str) else entry.values())
    ]
    mixed = {
        code: found for code, text in texts if (found := strangers(PLACE.sub(" ", text), language))
    }
    assert mixed == {}


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("Fel: my-run kan inte läsas: the record is damaged", "sv", ["the", "is"]),
        ("anna vann på poäng, 3 mot 1; FORFEITS: it hung up", "sv", ["it", "up"]),
        ("1 of 3 matcher", "sv", ["of"]),
        ("Error: my-run cannot be read: filen finns inte", "en", ["finns", "inte"]),
        (
            "`arena run --out` with 'the file', [limits], r1/the.jsonl, --the-option; klart",
            "sv",
            ["with"],
        ),
        (
            "inte TOML: (på engelska) ”Expected the end” (rad 3); sista orden: this is what it said",
            "sv",
            [],
        ),
    ],
)
def test_a_mix_is_found(text: str, language: str, found: list[str]) -> None:
    assert strangers(text, language) == found


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('fail("no such file")', ["no such file"]),
        ('fail(f"{path} is not a run")', [" is not a run"]),
        ('click.echo(f"{path} broken")', [" broken"]),
        ('words = "is not over"\nclick.echo(words)', ["is not over"]),
        ('note(Said("run.no_bots", {"why": "nobody came"}))', ["nobody came"]),
        ('"""What the module does."""\nnote(Said("run.no_bots"))\nassert pipe, "it is a pipe"', []),
        (
            '@click.option("--out", help="The folder to write to.")\ndef command():\n    """Do what is said."""',
            [],
        ),
    ],
)
def test_own_words_are_found(code: str, found: list[str]) -> None:
    assert list(own_words(ast.parse(code))) == found


def own_words(module: ast.Module) -> Iterator[str]:
    """Return the texts in a module that are a sentence, or a word that is printed, and come from no catalogue."""
    passed_over = {id(text) for text in _documentation(module)}
    printed: set[int] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Assert | ast.Compare):
            passed_over |= _ids(node)
        elif isinstance(node, ast.Subscript):
            passed_over |= _ids(node.slice)
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in NOT_PRINTED or name in SAYS:
                passed_over |= _ids(
                    *node.args[:1],
                    *(one.value for one in node.keywords if one.arg in ("help", "metavar")),
                )
            passed_over |= _ids(*(one.value for one in node.keywords if one.arg == "errors"))
            if name in PRINTS:
                printed |= _ids(*node.args)
            if name in SAYS:
                printed -= _ids(*node.args)
    passed_over |= {
        id(key) for node in ast.walk(module) if isinstance(node, ast.Dict) for key in node.keys
    }
    for text in _texts(module):
        is_word = id(text) in printed and WORD.search(text.value)
        if id(text) not in passed_over and (SENTENCE.search(text.value) or is_word):
            yield text.value


def sentences_in_said(module: ast.Module) -> Iterator[str]:
    """Return the sentences that are values of something said."""
    for node in ast.walk(module):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "Said"
        ):
            yield from (
                text.value
                for value in node.args[1:]
                for text in _texts(value)
                if SENTENCE.search(text.value)
            )


def _texts(node: ast.AST) -> Iterator[ast.Constant]:
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each


def _ids(*nodes: ast.AST) -> set[int]:
    return {id(each) for node in nodes for each in ast.walk(node)}


def _documentation(module: ast.Module) -> Iterator[ast.Constant]:
    """Return the texts that stand by themselves: of modules, functions, classes and constants."""
    for node in ast.walk(module):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
