"""Every dtype, code and limit that more than one file relies on, each with its reason."""

from __future__ import annotations

import numpy as np

# Vertex values. float32 halves memory traffic, and two float32 multiply exactly in float64:
# a walk sum is gathered there (with its rounding error kept) and rounded once, so that no
# order of the vertices changes a bit of it.
VALUE = np.float32

# Whole numbers whose sums all stay below SMALL_LIMIT, where trees are grown on whole graphs: labels
# and counts of molecules take half the memory, and float32 holds them exactly when they are read.
SMALL = np.int16
SMALL_LIMIT = 2**15

# Neighbour numbers are local to their graph; one graph may hold up to 2**31 vertices.
VERTEX = np.int32

# Starts of graphs, rows and blocks in flat arrays.
OFFSET = np.int64

# Gradients, hessians and weights are summed as integers (fixed point): a sum of integers is the
# same for any order of examples and any number of threads.
SUM = np.int64

# Bins of one column, when the search is by histogram; the exact search numbers every value.
BIN = np.uint8

# A vertex's place in the two subsets that a split-node made for its graph.
OUTSIDE, IN_PLUS, IN_MINUS = 0, 1, 2
SIGNS = {OUTSIDE: None, IN_PLUS: "+", IN_MINUS: "-"}

# The order of these tuples is the order in which equal gains are settled: simpler first.
WALK_TYPES = ("source", "cycle", "target", "target_source")
SOURCE, CYCLE, TARGET, TARGET_SOURCE = range(4)
AGGREGATORS = ("sum", "mean", "min", "max")
SUM_OF, MEAN_OF, MIN_OF, MAX_OF = range(4)
NO_AGGREGATOR = -1  # vertex and edge examples read their own entry

# Two gains closer than this, relatively, are one gain; the simpler question wins.
GAIN_TOLERANCE = 1e-12

LEAF = -1  # the child number and the feature index of a leaf

CONSTANT_NAME = "1"  # the feature that is 1 at every vertex

# Limits to a model, in training and in model files alike. Arrays are made for every walk length
# and tables for every column, so a file that claims more is refused before they are.
LONGEST_WALK = 1000
MOST_COLUMNS = 10**7  # numbers, plus labels of categorical features, plus the constant
MOST_CLASSES = 10**5
MOST_ROUNDS = 16  # of colours; neighbourhoods that large are all different
MOST_COEFFICIENTS = 2**22  # of a linear model that trees start from
MOST_NESTED = 2**20  # lists and objects in one part of a model file, trees aside
LONGEST_LABEL = 2**20  # characters of a class or of a category
WIDEST_CLASSES = 2**24  # characters of a NumPy array of strings, padding included
