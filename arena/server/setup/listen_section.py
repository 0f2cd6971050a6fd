"""`[listen]`: where remote bots connect, and where persons open the pages of their seats."""

import msgspec

from arena.server.io.listening import Address, ListenError, listening_address
from arena.words import Said


class ListenSection(msgspec.Struct, frozen=True, kw_only=True):
    """`[listen]`."""

    address: str = "tcp:127.0.0.1:0"
    certificate: str | None = None
    """A PEM file with the certificate and its chain; with it the arena speaks TLS."""
    key: str | None = None
    """A PEM file with the key of the certificate, not encrypted."""
    insecure: bool = False
    """Listen where others can reach it even without TLS, or on a Unix socket in a folder others can
    enter."""
    pages: str = "127.0.0.1:8018"
    """The address of the pages of persons; empty if they play by programs of their own."""
    hosts: tuple[str, ...] = ()
    """Names under which a reverse proxy serves those pages; the first may have a path:
    `club.example/arena`."""

    @property
    def where(self) -> Address:
        """The address to listen on; raises `ListenError`."""
        if (self.certificate is None) != (self.key is None):
            raise ListenError(Said("listen.pair"))
        return listening_address(
            self.address,
            has_certificate=self.key is not None,
            is_insecure=self.insecure,
        )
