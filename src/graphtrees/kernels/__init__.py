"""The hot core: arrays in, arrays out, compiled by Numba. Each file has a NumPy twin in
`reference.py`; a kernel calls only kernels of its own file, because Numba's cache notices an
edit of the caller's file alone."""
