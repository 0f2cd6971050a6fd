"""Sentences from the catalogues: `en.json` and `sv.json` give for each code its sentence with `{values}`.

A sentence that depends on a number is a table by plural category (CLDR: `one`, `other`) or by the
number itself (`=0`); it is chosen by the value `count`. `{count:,}` is a number with its thousands
set apart. The pages do the same in `words.js`. Words of a page or of a command that stand there in
English are in `sv.json` by their English.
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
        "game_over",
        "help",
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
"""The families of codes that no page says, so that no page has to carry them."""
_MARKS: Final = {"sv": str.maketrans({",": "\N{NO-BREAK SPACE}", ".": ","})}
"""The marks of thousands and decimals of a language, by the English ones."""


class Said(NamedTuple):
    """A code of the catalogues, and the values that its sentence names; `["place.point", {"point": "5"}]` in JSON.

    A value is text that is the same in every language (names, moves, dice), a number, something to
    be said, or a list of these.
    """

    code: str
    values: Mapping[str, Any] = {}


Entry: TypeAlias = str | Mapping[str, str]
S = TypeVar("S")


class SaidError(Exception):
    """Something cannot be done, and people are told why: `said`, in their language; its text is English."""

    def __init__(self, said: Said) -> None:
        self.said = said
        super().__init__(say(said))

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep what is said in an error that comes from another process."""
        return _from_elsewhere, (type(self), self.args), self.__dict__


class ProblemsError(SaidError):
    """Several things are wrong; `problems` has a sentence for each."""

    def __init__(self, problems: Iterable[Said | str], *, between: str = "joined") -> None:
        """Say all of them as one. A problem that is text is English in every language."""
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
def catalogues_script() -> str:
    """Return the catalogues as a script of the pages, without a prototype: nothing but their own keys is found."""
    texts = []
    for language in LANGUAGES:
        entries = {code: entry for code, entry in catalogue(language).items() if is_of_pages(code)}
        texts.append(
            f'{language}: {{"__proto__":null,{json.dumps(entries, ensure_ascii=False)[1:]}'
        )
    return f"const CATALOGUES = {{ {', '.join(texts)} }};\n".replace("<", "\\u003c")


def is_of_pages(code: str) -> bool:
    """Return whether a page may say this, as a code or as words."""
    return code.partition(".")[0] not in OF_TERMINALS or code not in catalogue(DEFAULT)


def say(said: Any, language: str = DEFAULT) -> str:
    """Return the sentence for something that is to be said, as a `Said` or as what JSON makes of it.

    It begins with a small letter and has no full stop. What has an unknown code, as of a game from
    elsewhere, is said by its value `text`, or by the words of the code.
    """
    if _is_said(said):
        code, values = said
        entry = catalogue(language).get(code)
        if entry is None:
            return str(values.get("text") or code.rpartition(".")[2].replace("_", " "))
        if not isinstance(entry, str):
            count = values["count"]
            entry = (
                entry.get(f"={count}") or entry["one" if count == 1 and "one" in entry else "other"]
            )
        return entry.format_map({name: _shown(value, language) for name, value in values.items()})
    return str(said)


def joined(several: Sequence[S], code: str = "joined") -> S | Said:
    """Return one or more sentences as one, with semicolons between them, or what stands in the sentence of a code.

    Thousands of them are nested some ten deep.
    """
    assert several, "there is something to be said"
    if len(several) == 1:
        return several[0]
    half = (len(several) + 1) // 2
    return Said(code, {"first": joined(several[:half], code), "last": joined(several[half:], code)})


def quoted(text: Said | str) -> Said:
    """Return the words of somebody else, such as a library, which are English in every language; a `Said` as it is."""
    return text if isinstance(text, Said) else Said("quoted", {"text": text})


def word(english: str, language: str, **values: object) -> str:
    """Return the words of a command, which stand there in English.

    Raises KeyError if a catalogue lacks them.
    """
    words = english if language == DEFAULT else str(catalogue(language)[english])
    return words.format_map(values)


def decimal(value: float, form: str, language: str) -> str:
    """Return a number in a format of Python, with the marks of the language."""
    return format(value, form).translate(_MARKS.get(language, {}))


class _Number:
    """A number in a sentence, which may say how it is written."""

    def __init__(self, value: float, language: str) -> None:
        self._value, self._language = value, language

    def __format__(self, form: str) -> str:
        return decimal(self._value, form, self._language)


def _shown(value: Any, language: str) -> Any:
    if isinstance(value, int | float):
        return _Number(value, language)
    if isinstance(value, list | tuple) and not _is_said(value):
        return _listed(value, language)
    return say(value, language)


def _listed(several: Sequence[Any], language: str) -> str:
    """Return them in a row; names among which one has a comma itself are set apart by semicolons."""
    shown = [say(one, language) for one in several]
    if len(shown) < 2:
        return "".join(shown)
    between = "; " if any(isinstance(one, str) and "," in one for one in several) else ", "
    return str(catalogue(language)["and"]).format(first=between.join(shown[:-1]), last=shown[-1])


def _is_said(value: Any) -> bool:
    return (
        isinstance(value, list | tuple)
        and len(value) == 2
        and isinstance(value[0], str)
        and isinstance(value[1], Mapping)
    )
