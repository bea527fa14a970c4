"""The commands: each has `configure(parser)` and `run(arguments, console)`."""
