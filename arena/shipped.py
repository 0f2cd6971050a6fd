"""Files that go along with the packages: the documentation and the sample bots."""

from pathlib import Path
from typing import Literal


def shipped(folder: Literal["docs", "sample_bots"]) -> Path:
    """Return where the folder is: in the package where the arena is installed, beside it in a checkout."""
    package = Path(__file__).parent
    inside = package / folder
    return inside if inside.is_dir() else package.parent / folder
