"""numpy, told to compute in one thread before it is loaded.

What the arena asks of it is small, so that more threads would only wait for each other; and with one thread the same
numbers give the same result.
"""

import os

for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import numpy as np

__all__ = ["np"]
