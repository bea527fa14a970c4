"""The hot core: arrays in, arrays out, compiled by Numba.

Each kernel has a NumPy twin under tests/kernels/twins. Kernels call kernels of any file here:
compiled ones are kept by a hash of all these files (`_cache.py`).
"""
