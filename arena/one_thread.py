"""numpy, set to one thread before it is loaded: more threads would wait, and round differently."""

import os

for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import numpy as np

__all__ = ["np"]
