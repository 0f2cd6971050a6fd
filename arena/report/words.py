"""Names and sentences of the records as the page has them."""

from __future__ import annotations


def spaced(name: str) -> str:
    """A name for people: `forced jan`."""
    return name.replace("_", " ")


def sentence(words: str) -> str:
    """Words as a sentence of its own; nothing stays nothing."""
    return f"{words[0].upper()}{words[1:]}." if words else ""
