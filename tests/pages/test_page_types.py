"""The types of what the pages get are those of the structs."""

from tests.generators import make_page_types


def test_the_types_of_the_pages_are_up_to_date() -> None:
    """Otherwise: `python -m tests.generators.make_page_types`."""
    assert make_page_types.FILE.read_text(encoding="utf-8") == make_page_types.page_types()


def test_a_field_is_optional_only_where_it_may_be_missing() -> None:
    types = make_page_types.page_types()
    assert "  delay_ms: number;\n" in types, "a default is sent by a struct that omits none"
    assert "  left_out?: number;\n" in types, "a default is left out by `omit_defaults`"
    assert "  started?: ReplayedGame;\n" in types, "what is unset is left out"
    assert "  lesson?: string;\n" in types, "a page may leave out what has a default"
