"""Training of evaluators by self-play."""

import arena.one_thread  # noqa: F401 - before numpy is loaded
