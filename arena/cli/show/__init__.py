"""`arena show`: a match turn by turn, with boards."""

from arena.cli.show.command import command

__all__ = ["command"]
