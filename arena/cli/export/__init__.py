"""`arena export`: the records of a run as files for other programs."""

from arena.cli.export.command import command

__all__ = ["command"]
