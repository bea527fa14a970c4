"""From a batch of graphs to the columns that splits are chosen among."""
