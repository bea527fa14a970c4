"""The answers of examples to questions: the columns that splits are chosen among."""
