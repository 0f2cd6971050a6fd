"""Writes the type of titles and scores, cut down to the signs that they have: arena/pages/assets/title.woff2.

It is Young Serif by Bastien Sozeau (OFL, see title.OFL.txt beside it), from the npm package
`@fontsource/young-serif`. It needs `pyftsubset` of the Python packages fonttools and brotli:

    npm pack @fontsource/young-serif && tar xf fontsource-young-serif-*.tgz
    python -m tests.generators.make_title_type package
"""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

ASSETS: Final = Path(__file__).parents[2] / "arena" / "pages" / "assets"
SOURCE: Final = "files/young-serif-latin-400-normal.woff2"
SIGNS: Final = "U+0020-007E,U+00A0-00FF,U+2013,U+2014,U+2018-201E,U+2022,U+2026,U+2212"
"""ASCII, Latin-1, dashes, quotation marks, the dot of lists, the ellipsis and the minus."""


def make(package: Path) -> None:
    """Write the type and its licence, from the unpacked npm package."""
    command = [
        "pyftsubset",
        str(package / SOURCE),
        f"--unicodes={SIGNS}",
        "--layout-features=kern,lnum,tnum",
        "--flavor=woff2",
        f"--output-file={ASSETS / 'title.woff2'}",
    ]
    subprocess.run(command, check=True)
    shutil.copy(package / "LICENSE", ASSETS / "title.OFL.txt")


if __name__ == "__main__":
    make(Path(sys.argv[1]))
