"""The link of a person's page, kept in the run folder: after a kill an open tab goes on with it."""

from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from arena.records.lines import UNREADABLE
from arena.server.io.disk import read_inside, write_inside

Token = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
LINK_FILE: Final = "page.token"
"""Only its owner can read it."""


class KeptLink(msgspec.Struct, frozen=True, kw_only=True):
    """The port of the page, and the tokens of the two seats: the person's, and the guest's."""

    port: Annotated[int, Meta(ge=1, le=65_535)]
    token: Token
    guest_token: Token

    def __repr__(self) -> str:
        """Show the port, and not the tokens."""
        return f"KeptLink(port={self.port})"


def read_link(folder: Path) -> KeptLink | None:
    """Return the link with which the match in this folder was played; None if none is kept."""
    try:
        return msgspec.json.decode(read_inside(folder, LINK_FILE), type=KeptLink)
    except (OSError, *UNREADABLE):
        return None


def keep_link(folder: Path, link: KeptLink) -> None:
    """Keep the link with the match in this folder."""
    write_inside(folder, LINK_FILE, msgspec.json.encode(link), mode=0o600)


def forget_link(folder: Path) -> None:
    """Forget the link of a match that is over."""
    (folder / LINK_FILE).unlink(missing_ok=True)
