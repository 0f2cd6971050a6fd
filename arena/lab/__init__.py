"""Training of evaluators by self-play, and the positions of examinations."""

import arena.one_thread  # noqa: F401 - before numpy is loaded
