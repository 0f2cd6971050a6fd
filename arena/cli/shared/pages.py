"""What commands that serve pages share: the libraries they need, the browser, and what they say."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

from arena.cli.shared.output import fail


def need_web() -> None:
    """End the command if pages cannot be served for lack of libraries, with what to type."""
    if find_spec("starlette") is None or find_spec("hypercorn") is None:
        from arena.extras import install_command

        fail(
            f"pages need Starlette and Hypercorn, the extra `web`; install them with: {install_command('web')}",
        )


def has_browser() -> bool:
    """Whether this session can show a browser's window."""
    is_remote = bool(os.environ.get("SSH_CONNECTION"))
    is_windowed = sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return is_windowed and not is_remote


def open_browser(address: str) -> bool:
    """Open an address in the browser of this session; False if there is none."""
    import webbrowser

    try:
        return has_browser() and webbrowser.open(address)
    except webbrowser.Error:
        return False
