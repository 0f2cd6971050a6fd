"""Checks of a run's first line against its tournament file and its rules."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec import UNSET
from msgspec.structs import replace

from arena.records import facts
from arena.records.files import TOURNAMENT_FILE, TOURNAMENT_RECORD
from arena.records.lines import RecordError, digest_of, rules_on_record
from arena.words import Said, joined

Contradictions: TypeAlias = Callable[[bytes, facts.TournamentOpened], Sequence[Said]]
"""Returns where a tournament file contradicts the first line of its record.

The line that it gets has all entrants, also those that were added later.
"""


def check_file(
    tournament_file: bytes,
    opened: facts.TournamentOpened,
    recorded: Sequence[facts.TournamentFact],
    contradictions: Contradictions | None,
) -> None:
    """Check that the tournament file is the one on record, and does not contradict the record."""
    frozen = opened.file_sha256
    for fact in recorded:
        if isinstance(fact, facts.TournamentOpened | facts.EntrantsAdded):
            frozen = fact.file_sha256
    if digest_of(tournament_file) != frozen:
        raise RecordError(TOURNAMENT_FILE, Said("record.other_file"))
    if contradictions is None:
        return
    problems = contradictions(tournament_file, _with_all(opened, recorded))
    if problems:
        problem = Said("record.contradicting_file", {"problems": joined(problems)})
        raise RecordError(TOURNAMENT_FILE, problem)


def _with_all(
    opened: facts.TournamentOpened, recorded: Sequence[facts.TournamentFact]
) -> facts.TournamentOpened:
    """Return the first line as if it had all entrants from the beginning."""
    entrants = list(opened.entrants)
    names = dict(opened.names or {})
    for fact in recorded:
        if isinstance(fact, facts.EntrantsAdded):
            entrants += fact.entrants
            names |= fact.names or {}
    return replace(opened, entrants=entrants, names=names or UNSET)


def check_best_game(opened: facts.TournamentOpened) -> None:
    """Check that games can be compared as the record says (M2)."""
    where = f"{TOURNAMENT_RECORD}:1"
    rules = rules_on_record(opened.ruleset, where)
    if opened.best_game == "rank" and not rules.is_ranked:
        problem = Said("record.best_game_without_ranks", {"ruleset": rules.name})
        raise RecordError(where, problem)
    if (opened.best_game == "none") != (opened.terms.form == "pairs"):
        problem = Said(
            "record.best_game_of_form",
            {
                "best_game": repr(opened.best_game),
                "form": opened.terms.form,
            },
        )
        raise RecordError(where, problem)
