"""A place to run commands in, as the tests of the command line have it."""

from tests.fixtures.command_line import arena, here

__all__ = ["arena", "here"]
