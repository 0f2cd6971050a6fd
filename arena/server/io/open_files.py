"""The limit of files that a process may have open at once."""

import resource


def allow_open_files(wanted: int) -> int:
    """Raise this process's limit to `wanted`, as far as the system allows.

    Returns the limit, at most `wanted`.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    allowed = wanted
    if hard != resource.RLIM_INFINITY:
        allowed = min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return allowed
