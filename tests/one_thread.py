"""Importing this before numpy keeps numerical libraries to one thread.

The workers that run tests fill all cores already; threads that wait for one another on busy cores
double the processor time of training.
"""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
