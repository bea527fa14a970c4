"""`python -m benchmarks.paper`."""

from benchmarks.paper.command import main

if __name__ == "__main__":  # workers import this file too
    main()
