"""Sentences of the arena in English, as tests compare them."""

from collections.abc import Iterable

from arena.words import Said, say


def english(problems: Iterable[Said]) -> list[str]:
    """Return what is said of each."""
    return [say(problem) for problem in problems]
