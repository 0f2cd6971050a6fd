"""Training of evaluators by self-play. Needs the extra `analysis`."""

import arena.analysis  # noqa: F401 - it tells numpy to use one thread, which must come before numpy is loaded
