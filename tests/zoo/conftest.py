"""The zoo plays in the rooms of the server's tests, and in their time."""

from tests.server.conftest import files, pytest_itemcollected, room

__all__ = ["files", "pytest_itemcollected", "room"]
