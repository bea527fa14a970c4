"""`python -m benchmarks.accuracy`."""

from benchmarks.accuracy.command import main

if __name__ == "__main__":  # workers import this file too
    main()
