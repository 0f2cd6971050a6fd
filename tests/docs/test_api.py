"""The page of names is what the code says."""

from tests.generators import make_api


def test_page_of_names_is_fresh() -> None:
    """Otherwise: `python -m tests.generators.make_api`."""
    assert make_api.PATH.read_text(encoding="utf-8") == make_api.page()
