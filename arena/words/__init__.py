"""Every sentence of the arena: a code and values in, text out (docs/words.md)."""

from arena.words.saying import DEFAULT, LANGUAGES, Said, capital, catalogue, catalogues_script, decimal, say, word

__all__ = ["DEFAULT", "LANGUAGES", "Said", "capital", "catalogue", "catalogues_script", "decimal", "say", "word"]
