"""What a split may ask: features, operators, questions, and their names."""
