"""Why the operating system does not do something, in words; of an error that is not known, its own."""

import errno

from arena.words.saying import DEFAULT, Said, SaidError, catalogue, quoted


def system_reason(error: OSError) -> Said:
    """Return the reason of an error of the system; an error of our own has its own words."""
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
    return system_reason(error) if isinstance(error, OSError) else str(error)
