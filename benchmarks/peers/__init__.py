"""What others are timed at; each function is called in a process of its own."""
