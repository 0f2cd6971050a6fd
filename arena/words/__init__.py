"""Every sentence of the arena: a code and values in, text out (docs/words.md)."""

from arena.words.said import Said, Value
from arena.words.saying import DEFAULT, LANGUAGES, capital, catalogue, say

__all__ = ["DEFAULT", "LANGUAGES", "Said", "Value", "capital", "catalogue", "say"]
