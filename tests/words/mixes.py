"""Finds words of one language in an output of another: the commonest, which nearly every sentence has."""

import re
from typing import Final

_ENGLISH: Final = """
    about after all already and another any are as at be because been before begin being below
    between both but by can cannot could did do does done each either else every everything
    expected failed first found from game games gave give given gone has had have here how if
    into is it its itself known last least left less lost made make match may more most must
    needs neither never next no nobody none nor not nothing now of off on once only or other
    others out over own play played plays refused round same say says seat since so some still
    such than that the their them then there these they this those through times to too turn
    turns unknown unless until up used was we went were what when where whether which while who
    whole whom whose why will with within without won would written you your
"""
_SWEDISH: Final = """
    aldrig alla allt andra ange annan annat att av bara behöver blev bort botar botarna brädet
    både båda börjar deltagare den denna deras det dess detta dig du där därefter efter eftersom
    eller en enda ett fel finns fick flera från får färdig före för första förlorade förlorar
    försök gav ge ger gick göra hade han har hur här i ingen inget inte ja kan kasta kastar klar
    kom kommer kunde kvar körning körningen körningens medan mellan men minst mot måste mycket
    mappen någon något några när och också om oavgjort på pågår poäng redan räknas samma sedan
    sig sin sina sitt ska skriv skulle slut som spel spelar spelas spelades ställning så säger
    tärningar tärningarna till tillåten tur turen turer turneringen under ut utan utelämna utom
    vad var varje vid vilken vinner vunna väntade vänta väntar är ännu än åt över
"""
_LIKE_BOTH: Final = """
    all an at be den do fick game games han i match men none so till under var
"""
_ALIKE: Final = frozenset(_LIKE_BOTH.split())
"""Words that are in both languages, or a value of a field: they prove nothing."""
ENGLISH: Final = frozenset(_ENGLISH.split()) - _ALIKE
SWEDISH: Final = frozenset(_SWEDISH.split()) - _ALIKE
_QUOTED: Final = re.compile(
    r"""
      \(på\ engelska\)\ ”.*?”            # somebody else's words, marked as such
    | (?:sista\ orden|last\ words):[^\n]* # what a program has printed
    | `[^`\n]*` | "[^"\n]*" | ”[^”\n]*” | (?<!\w)'[^'\n]*'(?!\w)
    | \[[^\]\s]*\]                        # a section of a tournament file
    | (?<!\w)--[\w-]+                     # an option
    | \b(?:arena|python|chmod|cd|dask)\ [^\n;]*  # a command to type
    | (?:kända\ är|known\ are)\ [^\n;]*   # names
    | \w*[/._~=]\S*                       # a path, an address, a field, a file
    """,
    re.VERBOSE,
)
_WORD: Final = re.compile(r"[^\W\d_]+(?:[-_][^\W\d_]+)*")


def words_of(text: str) -> list[str]:
    """Return the words of a text in small letters, without what is quoted, a notation or a command."""
    return [word.lower() for word in _WORD.findall(_QUOTED.sub(" ", text))]


def strangers(text: str, language: str) -> list[str]:
    """Return the words in an output that are of the other language."""
    others = ENGLISH if language == "sv" else SWEDISH
    return [word for word in words_of(text) if word in others]
