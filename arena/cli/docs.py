"""`arena docs`: the place of the documentation, and its pages."""

import re
from typing import Final

import click

from arena.cli.shared.output import CHECK_FAILED, fail
from arena.nearest import nearest

NOTE: Final = re.compile(r"^<!--.*?-->\n", re.MULTILINE | re.DOTALL)
"""A note to the tests of the pages, on lines of its own."""


@click.command()
@click.argument("page", required=False)
def command(page: str | None) -> None:
    """Print where the documentation is installed, or a PAGE of it.

    Without PAGE it lists every page with its title. Pages are Markdown. PAGE is a name as in the
    list, or as help texts and messages give it, such as docs/rules.md.

    \b
    Examples:
      arena docs
      arena docs your-first-bot
      arena docs rules | less
    """
    from arena.shipped import shipped

    folder = shipped("docs")
    pages = {path.stem: path for path in sorted(folder.glob("*.md"))}
    if not pages:
        problem = f"{folder} has no pages; install the arena again"
        fail(f"the documentation is not installed: {problem}", code=CHECK_FAILED)
    if page is None:
        click.echo(f"{folder}\n")
        width = max(map(len, pages))
        for name, path in pages.items():
            title = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("#").strip()
            click.echo(f"{name:{width}}  {title}")
        return
    name = page.removeprefix("docs/").partition("#")[0].removesuffix(".md")
    if name not in pages:
        meant = nearest(name, pages) or "; `arena docs` lists the pages"
        fail(f"there is no page {page!r} in {folder}{meant}")
    text = pages[name].read_text(encoding="utf-8")
    click.echo(NOTE.sub("", text), nl=False)
