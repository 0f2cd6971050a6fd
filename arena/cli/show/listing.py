"""The matches of a run, one line each, for `arena show RUN`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.cli.shared.language import told
from arena.matches.facts import GameEnded, MatchEnded, MatchVoided
from arena.records.facts import result_of
from arena.records.lines import Attempt
from arena.tournaments.results import PairCount, pair_differences


def match_words(attempts: Sequence[Attempt]) -> str:
    """The players, the score of the last attempt, and what happened to those before it."""
    if not attempts:
        return "nothing in it yet"
    last = attempts[-1]
    first, second = last.opened.shown
    scores = [fact.score for _, fact in last.facts if isinstance(fact, GameEnded | MatchEnded)]
    own, other = scores[-1] if scores else (0, 0)
    return f"{first} {own} : {other} {second}  {'; '.join(_state(attempts))}"


def _state(attempts: Sequence[Attempt]) -> Iterator[str]:
    last = attempts[-1]
    if isinstance(last.end, MatchVoided):
        yield f"void: {told(last.end.reason)}"
    else:
        yield "over" if last.end else "under way"
    if last.opened.terms.form == "pairs":
        yield _pairs_words(last)
    void = len(attempts) - 1
    if void:
        yield f"{void} void {'attempt' if void == 1 else 'attempts'} before it"


def _pairs_words(attempt: Attempt) -> str:
    """Return how many pairs are over, and how many of them each entrant has won."""
    first, second = attempt.opened.shown
    over = len(attempt.games) // 2
    result = result_of(attempt.opened.match, attempt.games[: 2 * over])
    count = PairCount(differences=pair_differences(result, attempt.opened.entrants[0]))
    return (
        f"{over} of {attempt.opened.terms.games // 2} pairs: "
        f"{first} won {count.won}, {second} {count.lost}, level {count.level}"
    )
