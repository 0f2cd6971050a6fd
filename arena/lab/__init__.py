"""Training of evaluators by self-play."""

import arena.analysis  # noqa: F401 - it tells numpy to use one thread, which must come before numpy is loaded
