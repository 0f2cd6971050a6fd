"""Why the operating system does not do something, in words; of an error that is not known, its own."""

import errno
from typing import Final

from arena.words.saying import Said, SaidError, quoted

_CODES: Final = frozenset(
    {
        "EACCES",
        "EADDRINUSE",
        "EADDRNOTAVAIL",
        "ECONNREFUSED",
        "ECONNRESET",
        "EDQUOT",
        "EEXIST",
        "EFBIG",
        "EIO",
        "EISDIR",
        "ELOOP",
        "EMFILE",
        "ENAMETOOLONG",
        "ENODEV",
        "ENOENT",
        "ENOEXEC",
        "ENOSPC",
        "ENOTDIR",
        "ENOTEMPTY",
        "ENXIO",
        "EPERM",
        "EPIPE",
        "EROFS",
        "ETIMEDOUT",
        "ETXTBSY",
    }
)
"""The errors that have a sentence; each is called `system.` and its name in small letters."""


def system_reason(error: OSError) -> Said:
    """Return the reason of an error of the system; an error of our own has its own words."""
    if isinstance(error, SaidError):
        return error.said
    code = errno.errorcode.get(error.errno or 0, "")
    if code in _CODES:
        return Said(f"system.{code.lower()}")
    return quoted(error.strerror or str(error))


def reason_of(error: BaseException) -> Said | str:
    """Return why something failed, in the words of its exception."""
    if isinstance(error, SaidError):
        return error.said
    return system_reason(error) if isinstance(error, OSError) else str(error)
