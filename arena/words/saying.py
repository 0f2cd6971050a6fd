"""Sentences from the catalogues: `en.json` and `sv.json` map each code to a sentence.

A sentence names its values in braces, as `{name}`. If it depends on a number, its entry is a table
by plural category (CLDR: `one`, `other`) or by the number itself (`=0`); the value `count` chooses
the row. `{count:,}` is a number with a mark between its thousands. The pages do the same in
`words.js`. Words that stand in English in a page or a command are in `sv.json` under their English.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, cast

LANGUAGES: Final = ("en", "sv")
DEFAULT: Final = "en"
OF_TERMINALS: Final = frozenset(
    {
        "analysing",
        "check",
        "command",
        "commands_run",
        "comparison",
        "crew",
        "exam",
        "foreign",
        "game_over",
        "help",
        "hint",
        "join",
        "judged",
        "match",
        "no_bot",
        "no_luck",
        "no_match_yet",
        "not_run",
        "one_bot",
        "standard_output",
        "play",
        "progress",
        "query",
        "report",
        "run",
        "serve",
        "show",
        "standings",
        "stopped",
        "story",
        "tournament_file",
        "turn",
        "uncontained",
        "unreadable",
        "unusable",
        "usage",
        "watch",
    }
)
"""Families of codes that only terminals use; the pages do not carry them."""
_MARKS: Final = {"sv": str.maketrans({",": "\N{NO-BREAK SPACE}", ".": ","})}
"""Marks of thousands and decimals of a language, by the English marks."""


class Said(NamedTuple):
    """A code of the catalogues with values for its sentence.

    In JSON it is `["place.point", {"point": "5"}]`. A value is text that is the same in every
    language (names, moves, dice), a number, another `Said`, or a list of these.
    """

    code: str
    values: Mapping[str, Any] = {}


Entry: TypeAlias = str | Mapping[str, str]
S = TypeVar("S")


class SaidError(Exception):
    """An error with its reason, `said`, for people in their language; its own text is English."""

    def __init__(self, sentence: Said) -> None:
        self.said = sentence
        super().__init__(say(sentence))

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep `said` when the error is sent to another process."""
        return _from_elsewhere, (type(self), self.args), self.__dict__


class ProblemsError(SaidError):
    """Several problems at once; `problems` has a sentence for each."""

    def __init__(self, problems: Iterable[Said | str], *, between: str = "joined") -> None:
        """Join the problems into one sentence. A problem that is text stays English."""
        self.problems = tuple(map(quoted, problems))
        super().__init__(joined(self.problems, between))


def _from_elsewhere(kind: type[SaidError], args: tuple[Any, ...]) -> SaidError:
    return kind.__new__(kind, *args)


@cache
def catalogue(language: str) -> Mapping[str, Entry]:
    """Return the sentences of a language by their codes."""
    from importlib.resources import files  # bots that know the rules start without it

    text = (files("arena.words") / f"{language}.json").read_text(encoding="utf-8")
    return cast("Mapping[str, Entry]", json.loads(text))


@cache
def catalogues_script(*languages: str) -> str:
    """Return the catalogues of these languages as a script for the pages.

    The tables have no prototype, so that a page finds only their own keys.
    """
    tables = []
    for language in languages:
        entries = {code: entry for code, entry in catalogue(language).items() if is_of_pages(code)}
        members = json.dumps(entries, ensure_ascii=False)[1:]
        tables.append(f'{language}: {{"__proto__":null,{members}')
    return f"const CATALOGUES = {{ {', '.join(tables)} }};\n".replace("<", "\\u003c")


def is_of_pages(code: str) -> bool:
    """Return whether a page may use this code or these words."""
    return code.partition(".")[0] not in OF_TERMINALS or code not in catalogue(DEFAULT)


def say(sentence: Any, language: str = DEFAULT) -> str:
    """Return the sentence for a `Said`, or for the list that JSON makes of it.

    It begins with a small letter and has no full stop. An unknown code, such as one from a record
    of another program, is said by its value `text`, or by the words of the code.
    """
    if not _is_said(sentence):
        return str(sentence)
    code, arguments = sentence
    entry = catalogue(language).get(code)
    if entry is None:
        return str(arguments.get("text") or code.rpartition(".")[2].replace("_", " "))
    if not isinstance(entry, str):
        entry = _plural(entry, arguments["count"])
    shown = {name: _shown(argument, language) for name, argument in arguments.items()}
    return entry.format_map(shown)


def _plural(forms: Mapping[str, str], count: float) -> str:
    """Return the form of a sentence for this count."""
    exact = forms.get(f"={count}")
    if exact:
        return exact
    if count == 1 and "one" in forms:
        return forms["one"]
    return forms["other"]


def joined(several: Sequence[S], code: str = "joined") -> S | Said:
    """Return several sentences as one, separated by semicolons or as the code's sentence says.

    Thousands of them are nested some ten deep.
    """
    assert several, "there is something to be said"
    if len(several) == 1:
        return several[0]
    half = (len(several) + 1) // 2
    return Said(code, {"first": joined(several[:half], code), "last": joined(several[half:], code)})


def quoted(text: Said | str) -> Said:
    """Return text of another program, such as a library, as a `Said`; a `Said` stays as it is.

    Such text is English in every language.
    """
    if isinstance(text, Said):
        return text
    return Said("quoted", {"text": text})


def word(english: str, language: str, **values: object) -> str:
    """Return the words of a command in a language; the command holds them in English.

    Raises KeyError if a catalogue lacks them.
    """
    words = english
    if language != DEFAULT:
        words = str(catalogue(language)[english])
    return words.format_map(values)


def decimal(number: float, form: str, language: str) -> str:
    """Return a number in a Python format, with the marks of the language."""
    return format(number, form).translate(_MARKS.get(language, {}))


class _Number:
    """A number in a sentence, which may give its format."""

    def __init__(self, number: float, language: str) -> None:
        self._number, self._language = number, language

    def __format__(self, form: str) -> str:
        return decimal(self._number, form, self._language)


def _shown(argument: Any, language: str) -> Any:
    if isinstance(argument, int | float):
        return _Number(argument, language)
    if isinstance(argument, list | tuple) and not _is_said(argument):
        return _listed(argument, language)
    return say(argument, language)


def _listed(several: Sequence[Any], language: str) -> str:
    """Return them as a list in words; semicolons separate them if a name contains a comma."""
    shown = [say(member, language) for member in several]
    if len(shown) < 2:
        return "".join(shown)
    separator = ", "
    for member in several:
        if isinstance(member, str) and "," in member:
            separator = "; "
    return str(catalogue(language)["and"]).format(first=separator.join(shown[:-1]), last=shown[-1])


def _is_said(candidate: Any) -> bool:
    return (
        isinstance(candidate, list | tuple)
        and len(candidate) == 2
        and isinstance(candidate[0], str)
        and isinstance(candidate[1], Mapping)
    )
