"""The hot core: arrays in, arrays out, compiled by Numba.

Each kernel has a NumPy twin in one of the `reference*.py`. A kernel calls only kernels of its own
file, because Numba's cache notices an edit of the caller's file alone; the vectors of `_rows.py`
are the exception, and `_jit.py` sees to it.
"""
