"""Words to systemd, which started this process as a service of `Type=notify`."""

import os
import socket
from contextlib import suppress
from typing import Final

READY: Final = "READY=1"
ALIVE: Final = "WATCHDOG=1"
STOPPING: Final = "STOPPING=1"


def tell_service_manager(word: str) -> None:
    """Send a word to systemd, if it has started this process."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    if address.startswith("@"):
        address = f"\0{address[1:]}"
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as sender,
        suppress(OSError),  # it is not there or does not read; the venue goes on
    ):
        sender.sendto(word.encode(), address)
