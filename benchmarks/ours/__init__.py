"""What this library is timed at; each function is called in a process of its own."""
