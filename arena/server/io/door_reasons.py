"""Why a connection or a login was refused: English for the bot and in the operator's log, a sentence for people.

The arena makes the English text from the sentence, and recognizes it when it tells people.
"""

import re
from typing import Final

from arena.words import Said, catalogue, quoted, say

CROWDED: Final = say(Said("door.crowded"))
WRONG_TOKEN: Final = say(Said("door.wrong_token"))
UNEXPECTED: Final = say(Said("door.unexpected"))
PLAYED_BY_HAND: Final = say(Said("door.played_by_hand"))
CONNECTED_ALREADY: Final = say(Said("door.connected_already"))
OTHER_BUILD: Final = say(Said("door.other_build"))
HUNG_UP: Final = say(Said("door.hung_up"))
NO_TLS: Final = say(Said("door.no_tls"))
_WITH_VALUES: Final = ("door.bad_public_key", "door.no_login", "door.no_handshake", "door.handshake_failed")
_VALUE: Final = re.compile(r"\\\{(\w+)\\\}")
"""A value in an escaped sentence."""
_CONSTANT: Final = {
    CROWDED: Said("door.crowded"),
    WRONG_TOKEN: Said("door.wrong_token"),
    UNEXPECTED: Said("door.unexpected"),
    PLAYED_BY_HAND: Said("door.played_by_hand"),
    CONNECTED_ALREADY: Said("door.connected_already"),
    OTHER_BUILD: Said("door.other_build"),
    HUNG_UP: Said("door.hung_up"),
    NO_TLS: Said("door.no_tls"),
}


def bad_public_key(problem: str) -> str:
    """Say that a public key is one for which others can sign."""
    return say(Said("door.bad_public_key", {"problem": problem}))


def no_login(seconds: int) -> str:
    """Say that nobody logged in."""
    return say(Said("door.no_login", {"seconds": seconds}))


def no_handshake(seconds: int) -> str:
    """Say that nobody began to speak TLS."""
    return say(Said("door.no_handshake", {"seconds": seconds}))


def handshake_failed(reason: str) -> str:
    """Say what OpenSSL found wrong."""
    return say(Said("door.handshake_failed", {"reason": reason}))


def recognized(reason: str) -> Said:
    """Return the sentence of an English reason; one that is not known here is quoted, such as those of the protocol."""
    if reason in _CONSTANT:
        return _CONSTANT[reason]
    for code in _WITH_VALUES:
        pattern = _VALUE.sub(r"(?P<\1>.+)", re.escape(str(catalogue("en")[code])))
        if match := re.fullmatch(pattern, reason, re.DOTALL):
            return Said(code, match.groupdict())
    return quoted(reason)
