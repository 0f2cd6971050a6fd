"""Problems with the ids of a field of entrants, said in the names that the operator gave."""

import unicodedata
from collections.abc import Iterator, Sequence

from arena.tournaments.names import NAME_MAX_CHARS, entrant_problems, plain_id
from arena.words import Said

Given = tuple[str, str | None]
"""A name, and the id beside it, if one was given."""


def id_of(name: str, number: int) -> str:
    """Return the id of the entrant with this number in the file: made of its name, or where none can be, `bot-3`."""
    plain = plain_id(name)
    return f"bot-{number}" if entrant_problems([plain]) else plain


def id_beside(name: str, own: str | None, number: int) -> str | None:
    """Return the id that has to stand beside a name: the one that is given, or one that is not made of the name."""
    made = id_of(name, number)
    return made if own is None and made != plain_id(name) else own


def made_up(given: Sequence[Given]) -> dict[str, str]:
    """Return the ids that have nothing of their names, with these names."""
    return {
        own: name
        for number, (name, own) in enumerate(given, 1)
        if own == f"bot-{number}" and own != plain_id(name)
    }


def id_problems(given: Sequence[Given], *, by_options: bool) -> Iterator[tuple[int, Said]]:
    """Yield a sentence for each fault, with the number of the entrant where it can be mended.

    Entrants of a tournament file can be given an id; those of `by_options`, on the command line,
    another name.
    """
    ids = [
        id_of(name, number) if own is None else own for number, (name, own) in enumerate(given, 1)
    ]
    numbers_of: dict[str, list[int]] = {}
    for number, entrant in enumerate(ids, 1):
        problems = entrant_problems([entrant])
        for problem in problems:
            yield number, problem
        if not problems:
            numbers_of.setdefault(entrant, []).append(number)
    for entrant, numbers in numbers_of.items():
        if len(numbers) > 1:
            names = [given[number - 1][0] for number in numbers]
            looks = {unicodedata.normalize("NFC", name).casefold() for name in names}
            if len(looks) < len(names):
                problems = entrant_problems([entrant] * len(numbers))
            else:
                advice = _other_name(names, ids, by_options=by_options)
                values = {"names": [repr(name) for name in names], "id": entrant, "advice": advice}
                problems = (Said("id.same" if len(names) == 2 else "id.all_same", values),)
            for problem in problems:
                yield numbers[-1], problem


def _other_name(names: Sequence[str], ids: Sequence[str], *, by_options: bool) -> Said:
    """Say what to call the last of these names, which have one id."""
    whole = names[-1].replace(",", "")
    free = plain_id(whole)
    if free in ids or entrant_problems([free]):
        whole = f"{names[-1].partition(',')[0]} {len(names)}"
        free = plain_id(whole)[:NAME_MAX_CHARS]
    if free in ids or entrant_problems([free]):
        return Said("id.names_of_their_own")
    return Said("id.call_one", {"name": whole}) if by_options else Said("id.give_one", {"id": free})
