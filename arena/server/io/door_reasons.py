"""Reasons to refuse a connection or a login: English for bots and the log, sentences for people.

The arena makes the English text from the sentence, and recognizes it when it tells people.
"""

import re
from functools import cache
from typing import Final

from arena.words import DEFAULT, Said, catalogue, say
from arena.words.recognizing import english_sentences, recognize


def english(code: str, **details: object) -> str:
    """Return the English text of a reason."""
    return say(Said(code, details))


CROWDED: Final = english("door.crowded")
WRONG_TOKEN: Final = english("door.wrong_token")
UNKNOWN_LOGIN: Final = english("door.unexpected")
PLAYED_BY_HAND: Final = english("door.played_by_hand")
CONNECTED_ALREADY: Final = english("door.connected_already")
OTHER_BUILD: Final = english("door.other_build")
OLD_VERSION_PLAYS: Final = english("door.old_version_plays")
NO_VENUE: Final = english("door.no_venue")
HUNG_UP: Final = english("door.hung_up")
NO_TLS: Final = english("door.no_tls")


def recognized(reason: str) -> Said:
    """Return the sentence of an English reason.

    A reason that is not known here, such as those of the protocol, is quoted.
    """
    return recognize(reason, _sentences())


@cache
def _sentences() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the pattern of each sentence with its code."""
    return english_sentences(code for code in catalogue(DEFAULT) if code.startswith("door."))
