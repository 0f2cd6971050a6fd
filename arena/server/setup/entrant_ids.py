"""Problems with the ids of a field of entrants, said in the names that the operator gave."""

import unicodedata
from collections.abc import Iterator, Sequence

from arena.tournaments.names import NAME_MAX_CHARS, entrant_problems, plain_id
from arena.words import Said

NameAndId = tuple[str, str | None]
"""A name, and the id beside it in the file, if there is one."""


def id_of(name: str, number: int) -> str:
    """Return the id that is made of an entrant's name; `bot-3` where none can be made.

    `number` is the entrant's number in the file.
    """
    plain = plain_id(name)
    if entrant_problems([plain]):
        return f"bot-{number}"
    return plain


def id_beside(
    name: str,
    written_id: str | None,
    number: int,
) -> str | None:
    """Return the id that has to stand beside a name; None if it follows from the name."""
    if written_id is not None:
        return written_id
    entrant = id_of(name, number)
    if entrant == plain_id(name):
        return None
    return entrant


def made_up(names_and_ids: Sequence[NameAndId]) -> dict[str, str]:
    """Return the ids that have nothing of their names, with these names."""
    made_up_ids = {}
    for number, (name, entrant) in enumerate(names_and_ids, 1):
        if entrant == f"bot-{number}" and entrant != plain_id(name):
            made_up_ids[entrant] = name
    return made_up_ids


def id_problems(
    names_and_ids: Sequence[NameAndId], *, by_options: bool
) -> Iterator[tuple[int, Said]]:
    """Yield a sentence for each fault, with the number of the entrant where it can be mended.

    In a tournament file an entrant can get another id. On the command line, with `by_options`, it
    can only get another name.
    """
    ids: list[str] = []
    for number, (name, written_id) in enumerate(names_and_ids, 1):
        if written_id is None:
            ids.append(id_of(name, number))
        else:
            ids.append(written_id)
    numbers_of: dict[str, list[int]] = {}
    for number, entrant in enumerate(ids, 1):
        problems = entrant_problems([entrant])
        for problem in problems:
            yield number, problem
        if not problems:
            numbers_of.setdefault(entrant, []).append(number)
    for entrant, numbers in numbers_of.items():
        if len(numbers) == 1:
            continue
        names = []
        for number in numbers:
            name, _ = names_and_ids[number - 1]
            names.append(name)
        for problem in _problems_of_same_id(entrant, names, ids, by_options=by_options):
            yield numbers[-1], problem


def _problems_of_same_id(
    entrant: str,
    names: Sequence[str],
    ids: Sequence[str],
    *,
    by_options: bool,
) -> Sequence[Said]:
    """Say that these names have one id, and what to do about the last of them."""
    looks = {unicodedata.normalize("NFC", name).casefold() for name in names}
    if len(looks) < len(names):  # the same name twice
        return entrant_problems([entrant] * len(names))
    code = "id.same" if len(names) == 2 else "id.all_same"
    values = {
        "names": [repr(name) for name in names],
        "id": entrant,
        "advice": _other_name(names, ids, by_options=by_options),
    }
    return [Said(code, values)]


def _other_name(
    names: Sequence[str],
    ids: Sequence[str],
    *,
    by_options: bool,
) -> Said:
    """Say what to call the last of these names, which have one id."""
    name = names[-1].replace(",", "")
    entrant = plain_id(name)
    if not _is_free(entrant, ids):
        first_part, _, _ = names[-1].partition(",")
        name = f"{first_part} {len(names)}"
        entrant = plain_id(name)[:NAME_MAX_CHARS]
    if not _is_free(entrant, ids):
        return Said("id.names_of_their_own")
    if by_options:
        return Said("id.call_one", {"name": name})
    return Said("id.give_one", {"id": entrant})


def _is_free(entrant: str, ids: Sequence[str]) -> bool:
    return entrant not in ids and not entrant_problems([entrant])
