"""Names and sentences of the records, in the form for the page."""

from __future__ import annotations


def spaced(name: str) -> str:
    """A name for people: `forced jan`."""
    return name.replace("_", " ")


def sentence(words: str) -> str:
    """Words as a sentence; empty stays empty."""
    return f"{words[0].upper()}{words[1:]}." if words else ""
