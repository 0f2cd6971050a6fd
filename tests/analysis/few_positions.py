"""The first positions of an examination that ships: to read all of them takes a second."""

from pathlib import Path

from arena.analysis.examination import read_positions, write_positions
from arena.analysis.headed_files import SHIPPED


def few_positions(number: int, path: Path) -> Path:
    """Write so many positions of vasa to a file."""
    head, positions, _ = read_positions(SHIPPED / "vasa.positions")
    write_positions(head, positions[:number], path)
    return path


def shipped_alone(number: int, folder: Path) -> Path:
    """Write them to a folder that can take the place of the one with the files that ship."""
    folder.mkdir()
    few_positions(number, folder / "vasa.positions")
    return folder
