"""Generated and broken input for everything a user can call; see `benchmarks/fuzz.py`."""
