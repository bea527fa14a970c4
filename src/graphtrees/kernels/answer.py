"""Ask one question of a graph, and lead examples through whole trees.

Training asks the question a split-node settled on; prediction asks only the questions on an
example's way. Both go through `_walk_values`, so a tree predicts what it was trained on.
"""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import kernel

OUTSIDE, IN_PLUS, IN_MINUS = 0, 1, 2
SOURCE, CYCLE, TARGET, TARGET_SOURCE = 0, 1, 2, 3
SUM_OF, MEAN_OF, MIN_OF, MAX_OF = 0, 1, 2, 3
KEPT_VALUES = 2**16


@kernel
def _lane_of(lane_features, start, stop, feature):
    """The lane that holds a feature in one graph (lanes are sorted), or -1: it is 0 everywhere."""
    low = start
    high = stop
    while low < high:
        middle = (low + high) // 2
        if lane_features[middle] < feature:
            low = middle + 1
        else:
            high = middle
    return low - start if low < stop and lane_features[low] == feature else -1


@kernel
def _pass(
    n, first, indptr, indices, divisor, n_middle, m_first, in_indptr, in_indices, beside, z, sums,
    errors,
):  # fmt: skip
    """z = A z, through the middle of one graph."""
    for m in range(n_middle):
        hi = 0.0
        lo = 0.0
        for e in range(in_indptr[m_first + m], in_indptr[m_first + m + 1]):
            term = np.float64(z[np.int64(in_indices[e])])
            total = hi + term
            back = total - hi
            lo += (hi - (total - back)) + (term - back)
            hi = total
        sums[m] = hi
        errors[m] = lo
    for v in range(n):
        hi = 0.0
        lo = 0.0
        for e in range(indptr[first + v], indptr[first + v + 1]):
            m = np.int64(indices[e])
            total = hi + sums[m]
            back = total - hi
            lo += (hi - (total - back)) + (sums[m] - back) + errors[m]
            hi = total
        if beside:
            term = -np.float64(indptr[first + v + 1] - indptr[first + v]) * z[v]
            total = hi + term
            back = total - hi
            lo += (hi - (total - back)) + (term - back)
            hi = total
        over = divisor[first + v] if divisor.shape[0] > 0 else 1.0
        z[v] = np.float32((hi + lo) / over)


@kernel
def _walk_values(
    n, first, lane, by_vertex, by_lane, base, x, length, walk_type, codes, shift, want,
    indptr, indices, weights, divisor, n_middle, m_first, in_indptr, in_indices, beside, diagonal,
    z, spare, sums, errors,
):  # fmt: skip
    """z = (A^length masked by the subset) f for one feature of one graph.

    The subset is every v with codes[shift + v] == want; `want` 0 means all vertices. With a
    middle of n_middle vertices the steps pass through it; see `middle`.
    """
    masked_columns = want != 0 and (walk_type == SOURCE or walk_type == TARGET_SOURCE)
    for v in range(n):
        value = np.float32(0.0)
        if lane >= 0:
            value = x[base + v * by_vertex + lane * by_lane]
        inside = want == 0 or codes[shift + v] == want
        if length == 0:
            z[v] = value if inside else np.float32(0.0)
        elif walk_type == CYCLE:
            known = inside and value == value
            z[v] = np.float32(np.float64(diagonal[first + v]) * value) if known else np.float32(0.0)
        else:
            known = value == value and (inside or not masked_columns)
            z[v] = value if known else np.float32(0.0)
    if length == 0 or walk_type == CYCLE or lane < 0:
        return
    for _ in range(length):
        if n_middle > 0:
            _pass(
                n, first, indptr, indices, divisor, n_middle, m_first, in_indptr, in_indices,
                beside, z, sums, errors,
            )  # fmt: skip
            continue
        for v in range(n):
            spare[v] = z[v]
        for v in range(n):
            hi = 0.0
            lo = 0.0
            for e in range(indptr[first + v], indptr[first + v + 1]):
                term = np.float64(weights[e]) * spare[np.int64(indices[e])]
                total = hi + term
                back = total - hi
                lo += (hi - (total - back)) + (term - back)
                hi = total
            over = divisor[first + v] if divisor.shape[0] > 0 else 1.0
            z[v] = np.float32((hi + lo) / over)
    if want != 0 and (walk_type == TARGET or walk_type == TARGET_SOURCE):
        for v in range(n):
            if codes[shift + v] != want:
                z[v] = np.float32(0.0)


@kernel
def _aggregate(n, z, walk_type, aggregator, codes, shift, want):
    """The value of a graph example: NaN where nothing is left to aggregate."""
    hi = 0.0
    lo = 0.0
    lowest = np.inf
    highest = -np.inf
    count = 0
    n_inside = 0
    for v in range(n):
        inside = want == 0 or codes[shift + v] == want
        if inside:
            n_inside += 1
        value = np.float64(z[v])
        if (inside or walk_type == SOURCE) and value == value:
            total = hi + value
            back = total - hi
            lo += (hi - (total - back)) + (value - back)
            hi = total
            lowest = min(lowest, value)
            highest = max(highest, value)
            count += 1
    if count == 0 or n_inside == 0:
        return np.float32(np.nan)
    if aggregator == SUM_OF:
        return np.float32(hi + lo)
    if aggregator == MEAN_OF:
        return np.float32((hi + lo) / count)
    if aggregator == MIN_OF:
        return np.float32(lowest)
    return np.float32(highest)


@kernel
def _mark(n, z, aggregator, threshold, missing_left, codes, shift, want, made, made_shift):
    """Write the two subsets a split-node makes: IN_PLUS, IN_MINUS, OUTSIDE."""
    if aggregator == SUM_OF:
        n_inside = 0
        for v in range(n):
            if want == 0 or codes[shift + v] == want:
                n_inside += 1
        if n_inside > 0:
            threshold = threshold / n_inside
    for v in range(n):
        if want != 0 and codes[shift + v] != want:
            made[made_shift + v] = OUTSIDE
        elif z[v] != z[v]:
            made[made_shift + v] = IN_MINUS if missing_left else IN_PLUS
        else:
            made[made_shift + v] = IN_PLUS if np.float64(z[v]) > threshold else IN_MINUS


@kernel
def ask(
    graphs, vertex_ptr, x_ptr, lane_ptr, lane_features, lane_major, x, feature, length, walk_type,
    codes, want, indptr, indices, weights, divisor, middle_ptr, in_indptr, in_indices, beside,
    diagonal, z,
):  # fmt: skip
    """One question to many graphs: z at every vertex."""
    has_middle = middle_ptr.shape[0] > 1
    most = 1
    most_middle = 1
    for i in range(graphs.shape[0]):
        g = graphs[i]
        most = max(most, vertex_ptr[g + 1] - vertex_ptr[g])
        if has_middle:
            most_middle = max(most_middle, middle_ptr[g + 1] - middle_ptr[g])
    spare = np.empty(most, np.float32)
    sums = np.empty(most_middle, np.float64)
    errors = np.empty(most_middle, np.float64)
    for i in range(graphs.shape[0]):
        g = graphs[i]
        first = vertex_ptr[g]
        n = vertex_ptr[g + 1] - first
        row_size = (x_ptr[g + 1] - x_ptr[g]) // max(1, n)
        lane = _lane_of(lane_features, lane_ptr[g], lane_ptr[g + 1], feature)
        _walk_values(
            n, first, lane, 1 if lane_major else row_size, n if lane_major else 1, x_ptr[g], x,
            length, walk_type, codes, first, want, indptr, indices, weights, divisor,
            middle_ptr[g + 1] - middle_ptr[g] if has_middle else 0,
            middle_ptr[g] if has_middle else 0, in_indptr, in_indices, beside, diagonal,
            z[first : first + n], spare, sums, errors,
        )  # fmt: skip


@kernel
def make_subsets(graphs, vertex_ptr, z, aggregator, threshold, missing_left, codes, want, made):
    """The subsets of a split-node for each of the graphs that reached it."""
    for i in range(graphs.shape[0]):
        first = vertex_ptr[graphs[i]]
        n = vertex_ptr[graphs[i] + 1] - first
        _mark(
            n, z[first : first + n], aggregator, threshold, missing_left, codes, first, want,
            made, first,
        )  # fmt: skip


@kernel
def route(
    graphs, example_ptr, example_vertex, vertex_ptr, x_ptr, lane_ptr, lane_features,
    lane_major, x, indptr, indices, weights, divisor, middle_ptr, in_indptr, in_indices, beside,
    diagonal, trees, tree_ptr, feature, operator, length, walk_type, aggregator, pointer_depth,
    sign, threshold, missing_left, left, right, depth, is_used, deepest, out,
):  # fmt: skip
    """out[tree, example] = the leaf (numbered within its tree) where each example ends.

    Examples of graph g are example_ptr[g]:example_ptr[g + 1]; `example_vertex` is -1 for the graph
    itself. Going depth first, codes[k] always holds the subsets of the ancestor at depth k.
    """
    has_middle = middle_ptr.shape[0] > 1
    most = 1
    most_middle = 1
    crowd = 1
    for i in range(graphs.shape[0]):
        g = graphs[i]
        most = max(most, vertex_ptr[g + 1] - vertex_ptr[g])
        if has_middle:
            most_middle = max(most_middle, middle_ptr[g + 1] - middle_ptr[g])
        crowd = max(crowd, example_ptr[g + 1] - example_ptr[g])
    z = np.empty(most, np.float32)
    spare = np.empty(most, np.float32)
    sums = np.empty(most_middle, np.float64)
    errors = np.empty(most_middle, np.float64)
    codes = np.zeros((deepest + 1) * most, np.uint8)
    # Whole-graph walks come back from tree to tree: those of small graphs are kept.
    widest = 0
    longest = diagonal.shape[1]
    if lane_major:
        for i in range(graphs.shape[0]):
            g = graphs[i]
            n_values = (vertex_ptr[g + 1] - vertex_ptr[g]) * (lane_ptr[g + 1] - lane_ptr[g])
            if n_values <= KEPT_VALUES:
                widest = max(widest, lane_ptr[g + 1] - lane_ptr[g])
    kept = np.empty((indptr.shape[0] * longest * widest, most if widest > 0 else 0), np.float32)
    is_kept = np.zeros(indptr.shape[0] * longest * widest, np.int64)
    order = np.empty(crowd, np.int64)
    aside = np.empty(crowd, np.int64)
    stack_node = np.empty(deepest + 2, np.int64)
    stack_start = np.empty(deepest + 2, np.int64)
    stack_stop = np.empty(deepest + 2, np.int64)
    for i in range(graphs.shape[0]):
        g = graphs[i]
        first = vertex_ptr[g]
        n = vertex_ptr[g + 1] - first
        lanes = lane_ptr[g + 1] - lane_ptr[g]
        n_middle = middle_ptr[g + 1] - middle_ptr[g] if has_middle else 0
        m_first = middle_ptr[g] if has_middle else 0
        e0 = example_ptr[g]
        keeps = widest > 0 and n * lanes <= KEPT_VALUES
        for t in range(trees.shape[0]):
            root = tree_ptr[trees[t]]
            for k in range(example_ptr[g + 1] - e0):
                order[k] = e0 + k
            top = 1
            stack_node[0] = root
            stack_start[0] = 0
            stack_stop[0] = example_ptr[g + 1] - e0
            while top > 0:
                top -= 1
                node = stack_node[top]
                start = stack_start[top]
                stop = stack_stop[top]
                if left[node] < 0:
                    for k in range(start, stop):
                        out[t, order[k]] = node - root
                    continue
                o = operator[node]
                # One integer type for all callers: each other one would be compiled anew.
                kind = np.int64(walk_type[node])
                agg = np.int64(aggregator[node])
                want = np.int64(sign[node])
                shift = np.int64(pointer_depth[node]) * most
                lane = _lane_of(lane_features, lane_ptr[g], lane_ptr[g + 1], feature[node])
                d = np.int64(length[node])
                by_vertex = 1 if lane_major else (x_ptr[g + 1] - x_ptr[g]) // max(1, n)
                by_lane = n if lane_major else 1
                plain = want == 0 or kind == TARGET
                if plain and d > 0 and kind != CYCLE and 0 <= lane and keeps:
                    at = (o * longest + d - 1) * widest + lane
                    if is_kept[at] != i + 1:
                        is_kept[at] = i + 1
                        _walk_values(
                            n, first, lane, by_vertex, by_lane, x_ptr[g], x, d, SOURCE, codes, 0,
                            0, indptr[o], indices, weights, divisor[o], n_middle, m_first,
                            in_indptr[o], in_indices, beside, diagonal[o, 0], kept[at], spare,
                            sums, errors,
                        )  # fmt: skip
                    for v in range(n):
                        outside = want != 0 and codes[shift + v] != want
                        z[v] = np.float32(0.0) if outside else kept[at, v]
                else:
                    _walk_values(
                        n, first, lane, by_vertex, by_lane, x_ptr[g], x, d, kind,
                        codes, shift, want, indptr[o], indices, weights, divisor[o], n_middle,
                        m_first, in_indptr[o], in_indices, beside, diagonal[o, max(d - 1, 0)], z,
                        spare, sums, errors,
                    )  # fmt: skip
                middle = start
                n_aside = 0
                if agg >= 0:
                    phi = _aggregate(n, z, kind, agg, codes, shift, want)
                    goes_left = missing_left[node] if phi != phi else phi <= threshold[node]
                    middle = stop if goes_left else start
                else:
                    for k in range(start, stop):
                        phi = z[example_vertex[order[k]]]
                        goes_left = missing_left[node] if phi != phi else phi <= threshold[node]
                        if goes_left:
                            order[middle] = order[k]
                            middle += 1
                        else:
                            aside[n_aside] = order[k]
                            n_aside += 1
                    for k in range(n_aside):
                        order[middle + k] = aside[k]
                if is_used[node]:
                    _mark(
                        n, z, agg, threshold[node], missing_left[node], codes, shift,
                        want, codes, np.int64(depth[node]) * most,
                    )  # fmt: skip
                if middle < stop:
                    stack_node[top] = root + right[node]
                    stack_start[top] = middle
                    stack_stop[top] = stop
                    top += 1
                if start < middle:
                    stack_node[top] = root + left[node]
                    stack_start[top] = start
                    stack_stop[top] = middle
                    top += 1


@kernel
def add_values(leaves, tree_ptr, values, outputs, scale, out):
    """out[example] += scale × leaf value, tree after tree; output -1 means all of them."""
    for i in range(leaves.shape[0]):
        for t in range(leaves.shape[1]):
            node = tree_ptr[t] + leaves[i, t]
            if outputs[t] < 0:
                for k in range(out.shape[1]):
                    out[i, k] += scale * values[node, k]
            else:
                out[i, outputs[t]] += scale * values[node, 0]
