"""The invitation for the author of a remote bot: the arena's address, the bot's name and token."""

import ipaddress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from arena.nearest import meant_by
from arena.records.lines import UNREADABLE, RecordError
from arena.regular_files import read_regular
from arena.server.io.disk import read_inside
from arena.server.io.listening import Address, ListenError, NetAddress, parse_address
from arena.server.setup.bot_section import BotSection
from arena.server.setup.credentials import TokenError, read_token
from arena.server.setup.run_folder import OPERATOR_LOG, RunFolder
from arena.server.setup.tournament_file import Plan
from arena.words import say

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

HOST: Final = "HOST"
"""Stands for the name of this machine, which the arena does not know."""


class InvitationError(Exception):
    """An invitation that cannot be made; says why and what to do."""


class _Waiting(msgspec.Struct, frozen=True):
    """The event of an arena that waits for bots."""

    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """The content of an invitation; it is for the author alone."""

    address: str
    name: str
    token: str
    is_free_port: bool
    """True if the arena takes another port when it starts again."""
    authority: str | None
    """The file of a certificate that no authority has signed: the bot needs it as well."""

    def __repr__(self) -> str:
        """Show everything but the token."""
        return f"Invitation({self.address}, {self.name})"


def invitation(
    folder: RunFolder,
    plan: Plan,
    name: str,
) -> Invitation:
    """Return the invitation for the author of the entrant with this name or id.

    Raises `InvitationError`.
    """
    bot = _remote_bot(plan, name)
    directory = folder.directory or Path.cwd()
    token = _token(folder, bot, directory)
    address = _address(folder, plan)
    names: list[str] = []
    authority = None
    if plan.listen.certificate is not None:
        certificate = _read_certificate(directory / plan.listen.certificate)
        names = _names_on(certificate)
        if certificate.issuer == certificate.subject:
            authority = plan.listen.certificate
    return Invitation(
        address=_reachable(address, names),
        name=bot.entrant,
        token=token,
        is_free_port=_has_free_port(plan.listen.where),
        authority=authority,
    )


def _remote_bot(plan: Plan, name: str) -> BotSection:
    """Return the bot from elsewhere with this name or id. Raises `InvitationError`."""
    bots = [bot for bot in plan.bot if name in (bot.name, bot.entrant)]
    if not bots:
        remote = [bot.entrant for bot in plan.from_elsewhere]
        remote_bots = "none connects from elsewhere"
        if remote:
            remote_bots = f"from elsewhere connect {', '.join(remote)}"
        suggestions = {bot.name: bot.entrant for bot in plan.from_elsewhere}
        suggestions |= {entrant: entrant for entrant in remote}
        hint = say(meant_by(name, suggestions))
        raise InvitationError(f"no entrant is called {name!r}; {remote_bots}{hint}")
    bot = bots[0]
    if not bot.remote:
        raise InvitationError(f"{bot.entrant} is started by the arena, and needs nothing from you")
    if bot in plan.by_pages:
        raise InvitationError(f"{bot.entrant} plays by hand, by a link that `arena run` prints")
    return bot


def _token(
    folder: RunFolder,
    bot: BotSection,
    directory: Path,
) -> str:
    """Return the token of a bot, from its file or the run. Raises `InvitationError`."""
    if bot.token_file is not None:
        try:
            return read_token(directory / bot.token_file)
        except TokenError as error:
            raise InvitationError(
                f"token_file {bot.token_file!r} cannot be used: {error}"
            ) from error
    try:
        token = folder.read_secrets().tokens.get(bot.entrant)
    except (OSError, RecordError) as error:
        raise InvitationError(f"the tokens cannot be read: {error}") from error
    if token is None:
        when = "`arena run` makes it when it begins to wait"
        raise InvitationError(f"there is no token for {bot.entrant} yet; {when}")
    return token


def _address(folder: RunFolder, plan: Plan) -> Address:
    """Return where the arena listens; a free port is that of its last start."""
    address = plan.listen.where
    if not _has_free_port(address):
        return address
    try:
        lines = read_inside(folder.path, OPERATOR_LOG).splitlines()
        waiting = [line for line in lines if b'"waiting_for_bots"' in line]
        if waiting:
            return parse_address(msgspec.json.decode(waiting[-1], type=_Waiting).address)
    except FileNotFoundError:
        pass  # the arena was never started
    except (OSError, *UNREADABLE, ListenError) as error:
        raise InvitationError(f"{OPERATOR_LOG} cannot be read: {error}") from error
    free = "the arena takes a free port when it starts"
    raise InvitationError(f"{free}; start it first, or name a port in [listen] address")


def _has_free_port(address: Address) -> bool:
    return isinstance(address, NetAddress) and address.port == 0


def _reachable(address: Address, names: list[str]) -> str:
    """Return the address for a bot elsewhere: by a name on the certificate, if there is one."""
    if not isinstance(address, NetAddress):
        return str(address)
    host = address.host
    if names:
        host = names[0]
    elif ipaddress.ip_address(host).is_unspecified:  # it listens on every network
        host = HOST
    return str(replace(address, host=host))


def _read_certificate(path: Path) -> "Certificate":
    """Read a certificate. Raises `InvitationError`."""
    from cryptography.x509 import load_pem_x509_certificate

    try:
        return load_pem_x509_certificate(read_regular(path))
    except OSError as error:
        raise InvitationError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise InvitationError(f"{path} is not a certificate in PEM form: {error}") from error


def _names_on(certificate: "Certificate") -> list[str]:
    """Return the names and addresses on a certificate, those of machines first."""
    from cryptography.x509 import DNSName, ExtensionNotFound, IPAddress, SubjectAlternativeName

    try:
        extension = certificate.extensions.get_extension_for_class(SubjectAlternativeName)
    except ExtensionNotFound:
        return []
    host_names = extension.value.get_values_for_type(DNSName)
    addresses = extension.value.get_values_for_type(IPAddress)
    names = [name for name in host_names if not name.startswith("*")]
    return names + list(map(str, addresses))
