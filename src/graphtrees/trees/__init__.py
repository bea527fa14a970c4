"""One tree: what makes a good split, how it is found, how a tree grows, and what it becomes."""
