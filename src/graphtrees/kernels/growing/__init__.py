"""The stages of growing a tree; `kernels/grow.py` runs them in turn."""
