"""Ask a venue for an account: one short connection, before the bot logs in on others."""

from socket import socket
from typing import Final

from protocol.client.run import connect, hint_of_tls
from protocol.connection import BotConnection, State
from protocol.errors import LocalProtocolError
from protocol.fields import PROTOCOL
from protocol.greetings import Hello, Join, Joined
from protocol.messages import Error

ATTEMPT_S: Final = 10.0
"""How long to wait for each word of the arena."""
_READ_BYTES: Final = 4096


class JoinError(Exception):
    """The arena gives no account; `code` is a stable word, `message` a sentence of the arena."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"the arena says {self.code}: {self.message}"


def join(address: str, name: str, invite: str | None = None, display: str = "") -> Joined:
    """Return the account that the venue at an address gives to a new bot.

    Keep its token: the arena cannot tell it again. `invite` is the code that the operator has
    given, `display` the bot's name on screens.

    Raises:
        JoinError: the arena refuses, with the reason.
        ValueError: the address has another form than `connect` takes, or a text is too long to be
            sent.
        OSError: there is no answer, or a certificate is not trusted.
    """
    wire = BotConnection()
    wish = Join(protocol=PROTOCOL, name=name, invite=invite, display=display)
    with connect(address, ATTEMPT_S) as stream:
        stream.settimeout(ATTEMPT_S)
        while not wire.is_closed:
            for message in wire.receive(_receive(stream, wire, address)):
                if isinstance(message, Joined):
                    return message
                if isinstance(message, Error) and message.fatal:
                    raise JoinError(message.code, message.message)
                if isinstance(message, Hello):
                    try:
                        frame = wire.send(wish)
                    except LocalProtocolError as error:
                        raise ValueError(str(error)) from error
                    stream.sendall(frame)
    fault = wire.fault
    if fault is not None:
        raise JoinError(fault.code, fault.message)
    raise ConnectionError("the arena said goodbye before it answered")


def _receive(stream: socket, wire: BotConnection, address: str) -> bytes:
    """Return what the arena says next. Raises `OSError` if it says no more."""
    try:
        received = stream.recv(_READ_BYTES)
    except TimeoutError:
        reason = "the arena did not answer in time"
    else:
        if received:
            return received
        reason = "the arena hung up before it answered"
    if wire.state is State.HELLO:
        reason += hint_of_tls(address)
    raise ConnectionError(reason)
