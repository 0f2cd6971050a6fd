"""`arena log`: look things up in the records of a run."""

from arena.cli.log.command import command

__all__ = ["command"]
