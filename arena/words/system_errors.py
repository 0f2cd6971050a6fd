"""Reasons of the operating system in words; an unknown error keeps its own words."""

import errno

from arena.words.saying import DEFAULT, Said, SaidError, catalogue, quoted


def system_reason(error: OSError) -> Said:
    """Return the reason of a system error; an error of the arena has its own words."""
    if isinstance(error, SaidError):
        return error.said
    code = f"system.{errno.errorcode.get(error.errno or 0, '').lower()}"
    if code in catalogue(DEFAULT):
        return Said(code)
    return quoted(error.strerror or str(error))


def reason_of(error: BaseException) -> Said | str:
    """Return why something failed, in the words of its exception."""
    if isinstance(error, SaidError):
        return error.said
    if isinstance(error, OSError):
        return system_reason(error)
    return str(error)
