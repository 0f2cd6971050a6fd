"""Files that ship with the packages: the documentation and the sample bots."""

from pathlib import Path
from typing import Literal


def shipped(folder: Literal["docs", "sample_bots"]) -> Path:
    """Return the path of the folder: in an installed package, or beside it in a checkout."""
    package = Path(__file__).parent
    inside = package / folder
    if inside.is_dir():
        return inside
    return package.parent / folder
