"""Every sentence of the arena: a code and values in, text out (docs/words.md)."""

from arena.words.saying import (
    DEFAULT,
    LANGUAGES,
    ProblemsError,
    Said,
    SaidError,
    catalogue,
    catalogues_script,
    decimal,
    joined,
    quoted,
    say,
    word,
)

__all__ = [
    "DEFAULT",
    "LANGUAGES",
    "ProblemsError",
    "Said",
    "SaidError",
    "catalogue",
    "catalogues_script",
    "decimal",
    "joined",
    "quoted",
    "say",
    "word",
]
