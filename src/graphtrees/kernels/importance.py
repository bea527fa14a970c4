"""Count which vertices and edges the questions on an example's way looked at, and rank them.

The questions are asked again here, bit for bit as `answer` asks them: a kernel calls only kernels
of its own file. That both lead every example to the same leaf is a test.
"""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import kernel

OUTSIDE, IN_PLUS, IN_MINUS = 0, 1, 2
SOURCE, CYCLE, TARGET, TARGET_SOURCE = 0, 1, 2, 3
SUM_OF, MEAN_OF, MIN_OF, MAX_OF = 0, 1, 2, 3


@kernel
def _values_of(lane_features, start, stop, feature, n, base, x, f):
    """f = one feature at the vertices of one graph; without a lane it is 0 everywhere."""
    low = start
    high = stop
    while low < high:
        middle = (low + high) // 2
        if lane_features[middle] < feature:
            low = middle + 1
        else:
            high = middle
    held = low < stop and lane_features[low] == feature
    for v in range(n):
        f[v] = x[base + v * (stop - start) + (low - start)] if held else np.float32(0.0)


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
def _walk(
    n, first, length, walk_type, codes, shift, want, indptr, indices, weights, divisor, n_middle,
    m_first, in_indptr, in_indices, beside, diagonal, z, spare, sums, errors,
):  # fmt: skip
    """z = (A^length masked by the subset) z: the vertices v with codes[shift + v] == want.

    `want` 0 means all vertices. A missing value stays missing only where no step is taken.
    """
    starts_inside = want != 0 and (length == 0 or walk_type != TARGET)
    ends_inside = want != 0 and (walk_type == TARGET or walk_type == TARGET_SOURCE)
    for v in range(n):
        if (starts_inside and codes[shift + v] != want) or (length > 0 and z[v] != z[v]):
            z[v] = np.float32(0.0)
        elif length > 0 and walk_type == CYCLE:
            z[v] = np.float32(np.float64(diagonal[first + v]) * z[v])
    for _ in range(0 if walk_type == CYCLE else length):
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
    if length > 0 and ends_inside:
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
        n_inside += inside
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
    return np.float32(lowest if aggregator == MIN_OF else highest)


@kernel
def _make_subsets(n, z, aggregator, threshold, missing_left, codes, shift, want, made_shift):
    """Write at codes[made_shift:] the two subsets that a split-node makes."""
    if aggregator == SUM_OF:
        n_inside = 0
        for v in range(n):
            n_inside += want == 0 or codes[shift + v] == want
        threshold = threshold / max(1, n_inside)
    for v in range(n):
        if want != 0 and codes[shift + v] != want:
            codes[made_shift + v] = OUTSIDE
        elif z[v] != z[v]:
            codes[made_shift + v] = IN_MINUS if missing_left else IN_PLUS
        else:
            codes[made_shift + v] = IN_PLUS if np.float64(z[v]) > threshold else IN_MINUS


@kernel
def _use_walks(
    length, start, first, codes, shift, want, indptr, indices, entry_ptr, entry_edges,
    stride, size, near, seen, live, clock, stamp, used, n_used,
):  # fmt: skip
    """Add to `used`, once each, the edges on some walk that ends in near[length].

    The walks start at the vertex `start`, or with -1 wherever the code is `want` (0: anywhere).
    Going back from the ends, near[s] lists who may stand at step s; going forward again, live[s]
    marks those of them that a start can reach:

        step      0      1      2
        near     abc    bcd     d       d is the end
        live     a      bc      d       a is the start: the edges ab, ac, bd, cd are used
    """
    clock[0] += 1
    now = clock[0]
    for s in range(length - 1, -1, -1):
        size[s] = 0
        for k in range(size[s + 1]):
            v = first + near[(s + 1) * stride + k]
            for e in range(indptr[v], indptr[v + 1]):
                u = np.int64(indices[e])
                if seen[s * stride + u] != now:
                    seen[s * stride + u] = now
                    near[s * stride + size[s]] = u
                    size[s] += 1
    for k in range(size[0]):
        v = near[k]
        if v == start or (start < 0 and (want == 0 or codes[shift + v] == want)):
            live[v] = now
    for s in range(length):
        for k in range(size[s + 1]):
            v = near[(s + 1) * stride + k]
            for e in range(indptr[first + v], indptr[first + v + 1]):
                if live[s * stride + np.int64(indices[e])] != now:
                    continue
                live[(s + 1) * stride + v] = now
                for p in range(entry_ptr[e], entry_ptr[e + 1]):
                    edge = entry_edges[p]
                    if stamp[edge] != clock[1]:
                        stamp[edge] = clock[1]
                        used[n_used] = edge
                        n_used += 1
    return n_used


@kernel
def _use_edges(
    n, first, vertex, length, walk_type, codes, shift, want, indptr, indices, entry_ptr,
    entry_edges, stride, size, near, seen, live, clock, stamp, used,
):  # fmt: skip
    """List the edges one question uses; for a vertex example those of the walks that end there.

    Where there are no edges to use, as in a graph that is made of edges, there is nothing to do.
    """
    if length == 0 or entry_edges.shape[0] == 0:
        return 0
    clock[1] += 1
    low = vertex if vertex >= 0 else 0
    high = vertex + 1 if vertex >= 0 else n
    ends_inside = want != 0 and walk_type != SOURCE
    n_used = 0
    size[length] = 0
    for v in range(low, high):
        if ends_inside and codes[shift + v] != want:
            continue
        near[length * stride + size[length]] = v
        if walk_type != CYCLE:
            size[length] += 1
            continue
        size[length] = 1
        n_used = _use_walks(
            length, v, first, codes, shift, 0, indptr, indices, entry_ptr, entry_edges,
            stride, size, near, seen, live, clock, stamp, used, n_used,
        )  # fmt: skip
        size[length] = 0
    if walk_type == CYCLE:
        return n_used
    return _use_walks(
        length, -1, first, codes, shift, 0 if walk_type == TARGET else want, indptr, indices,
        entry_ptr, entry_edges, stride, size, near, seen, live, clock, stamp, used, n_used,
    )  # fmt: skip


@kernel
def _ask(
    g, node, vertex_ptr, x_ptr, lane_ptr, lane_features, x, indptr, indices, weights, divisor,
    middle_ptr, in_indptr, in_indices, beside, diagonal, feature, operator, length, walk_type,
    aggregator, sign, codes, shift, z, spare, sums, errors,
):  # fmt: skip
    """z of a split-node's question to one graph; returns the value of the graph, if asked for."""
    first = vertex_ptr[g]
    n = vertex_ptr[g + 1] - first
    o = operator[node]
    has_middle = middle_ptr.shape[0] > 1
    want = np.int64(sign[node])
    _values_of(lane_features, lane_ptr[g], lane_ptr[g + 1], feature[node], n, x_ptr[g], x, z)
    _walk(
        n, first, length[node], walk_type[node], codes, shift, want, indptr[o], indices, weights,
        divisor[o], middle_ptr[g + 1] - middle_ptr[g] if has_middle else 0,
        middle_ptr[g] if has_middle else 0, in_indptr[o], in_indices, beside,
        diagonal[o, max(length[node] - 1, 0)], z, spare, sums, errors,
    )  # fmt: skip
    if aggregator[node] < 0:
        return np.float32(0.0)
    return _aggregate(n, z, walk_type[node], aggregator[node], codes, shift, want)


@kernel
def _part(
    node, phi, z, aggregator, threshold, missing_left, example_vertex, order, start, stop, aside
):
    """Move the examples order[start:stop] that go left to the front; returns how far they reach."""
    middle = start
    n_aside = 0
    for k in range(start, stop):
        value = phi if aggregator[node] >= 0 else z[example_vertex[order[k]]]
        if missing_left[node] if value != value else value <= threshold[node]:
            order[middle] = order[k]
            middle += 1
        else:
            aside[n_aside] = order[k]
            n_aside += 1
    for k in range(n_aside):
        order[middle + k] = aside[k]
    return middle


@kernel
def _shares(histogram, share):
    """share[c] = 2^-rank of count c; equal counts share the smaller rank."""
    above = 0
    for c in range(histogram.shape[0] - 1, -1, -1):
        share[c] = 0.5 ** (1 + above)
        above += histogram[c]


@kernel
def _rank_vertices(n, n_asked, asked, sign, pointer_depth, codes, stride, count, share):
    """count[v] = in how many used subsets v is; share[c] = what such a count earns."""
    histogram = np.zeros(n_asked + 1, np.int64)
    count[:n] = 0
    for k in range(n_asked):
        want = np.int64(sign[asked[k]])
        shift = np.int64(pointer_depth[asked[k]]) * stride
        for v in range(n):
            count[v] += want == 0 or codes[shift + v] == want
    for v in range(n):
        histogram[count[v]] += 1
    _shares(histogram, share)


@kernel
def _rank_edges(
    n, first, n_edges, vertex, n_asked, asked, operator, length, walk_type, sign, pointer_depth,
    codes, indptr, indices, entry_ptr, entry_edges, stride, size, near, seen, live, clock, stamp,
    used, count, touched, share,
):  # fmt: skip
    """The same for edges: how many questions used each of those in touched[:the number returned].

    Whoever reads the counts sets them back to 0.
    """
    n_touched = 0
    for k in range(n_asked):
        node = asked[k]
        n_used = _use_edges(
            n, first, vertex, length[node], walk_type[node], codes,
            np.int64(pointer_depth[node]) * stride, np.int64(sign[node]), indptr[operator[node]],
            indices, entry_ptr, entry_edges, stride, size, near, seen, live, clock, stamp, used,
        )  # fmt: skip
        for q in range(n_used):
            edge = used[q]
            if count[edge] == 0:
                touched[n_touched] = edge
                n_touched += 1
            count[edge] += 1
    histogram = np.zeros(n_asked + 1, np.int64)
    histogram[0] = n_edges - n_touched
    for q in range(n_touched):
        histogram[count[touched[q]]] += 1
    _shares(histogram, share)
    return n_touched


@kernel
def importance(
    job_graph, job_start, job_stop, example_vertex, example_output,
    vertex_ptr, edge_ptr, x_ptr, lane_ptr, lane_features, x,
    indptr, indices, weights, divisor, middle_ptr, in_indptr, in_indices, beside, diagonal,
    entry_ptr, entry_edges,
    tree_ptr, feature, operator, length, walk_type, aggregator, pointer_depth, sign, threshold,
    missing_left, left, right, depth, speaks, said, deepest, longest, with_edges,
    vertex_start, vertex_sum, edge_start, edge_sum, edge_base, leaf_of,
):  # fmt: skip
    """Add |y| 2^-rank of every vertex and edge, tree by tree, for the examples of some jobs.

    A job is a stretch of examples of one graph. speaks[tree, output] tells whether a tree adds to
    an output at all, said[node, output] how much. Example e owns vertex_sum[vertex_start[e]:] and
    edge_sum[edge_start[e]:]; what an edge gets for never being used is the same for all edges of
    the example and waits in edge_base[e]. leaf_of[e, tree] is the leaf, -1 where the tree is mute.
    """
    most = 1
    crowd = 1
    most_edges = 1
    for job in range(job_graph.shape[0]):
        g = job_graph[job]
        most = max(most, vertex_ptr[g + 1] - vertex_ptr[g])
        most_edges = max(most_edges, edge_ptr[g + 1] - edge_ptr[g])
        crowd = max(crowd, job_stop[job] - job_start[job])
    most_middle = 1
    for job in range(job_graph.shape[0] if middle_ptr.shape[0] > 1 else 0):
        g = job_graph[job]
        most_middle = max(most_middle, middle_ptr[g + 1] - middle_ptr[g])
    sums = np.empty(most_middle, np.float64)
    errors = np.empty(most_middle, np.float64)
    z = np.empty(most, np.float32)
    spare = np.empty(most, np.float32)
    codes = np.zeros((deepest + 1) * most, np.uint8)
    order = np.empty(crowd, np.int64)
    aside = np.empty(crowd, np.int64)
    stack_node = np.empty(deepest + 2, np.int64)
    stack_start = np.empty(deepest + 2, np.int64)
    stack_stop = np.empty(deepest + 2, np.int64)
    asked = np.empty(deepest + 1, np.int64)
    count = np.empty(most, np.int64)
    share = np.empty(deepest + 1)
    size = np.zeros(longest + 1, np.int64)
    near = np.empty((longest + 1) * most, np.int64)
    seen = np.zeros((longest + 1) * most, np.int64)
    live = np.zeros((longest + 1) * most, np.int64)
    clock = np.zeros(2, np.int64)
    stamp = np.zeros(most_edges, np.int64)
    used = np.empty(most_edges, np.int64)
    touched = np.empty(most_edges, np.int64)
    edge_count = np.zeros(most_edges, np.int64)
    for job in range(job_graph.shape[0]):
        g = job_graph[job]
        first = vertex_ptr[g]
        n = vertex_ptr[g + 1] - first
        n_edges = edge_ptr[g + 1] - edge_ptr[g]
        for t in range(tree_ptr.shape[0] - 1):
            heard = 0
            for e in range(job_start[job], job_stop[job]):
                leaf_of[e, t] = -1
                if speaks[t, example_output[e]]:
                    order[heard] = e
                    heard += 1
            # Depth first: codes[k] always holds the subsets made by the node asked[k] above.
            top = 1 if heard > 0 else 0
            stack_node[0] = tree_ptr[t]
            stack_start[0] = 0
            stack_stop[0] = heard
            while top > 0:
                top -= 1
                node = stack_node[top]
                start = stack_start[top]
                stop = stack_stop[top]
                at = np.int64(depth[node])
                if left[node] >= 0:
                    asked[at] = node
                    shift = np.int64(pointer_depth[node]) * most
                    phi = _ask(
                        g, node, vertex_ptr, x_ptr, lane_ptr, lane_features, x, indptr, indices,
                        weights, divisor, middle_ptr, in_indptr, in_indices, beside, diagonal,
                        feature, operator, length, walk_type, aggregator, sign, codes, shift, z,
                        spare, sums, errors,
                    )  # fmt: skip
                    _make_subsets(
                        n, z, aggregator[node], threshold[node], missing_left[node], codes, shift,
                        np.int64(sign[node]), at * most,
                    )  # fmt: skip
                    middle = _part(
                        node, phi, z, aggregator, threshold, missing_left, example_vertex, order,
                        start, stop, aside,
                    )  # fmt: skip
                    if middle < stop:
                        stack_node[top] = tree_ptr[t] + right[node]
                        stack_start[top] = middle
                        stack_stop[top] = stop
                        top += 1
                    if start < middle:
                        stack_node[top] = tree_ptr[t] + left[node]
                        stack_start[top] = start
                        stack_stop[top] = middle
                        top += 1
                    continue
                _rank_vertices(n, at, asked, sign, pointer_depth, codes, most, count, share)
                for k in range(start, stop):
                    e = order[k]
                    leaf_of[e, t] = node - tree_ptr[t]
                    weight = said[node, example_output[e]]
                    for v in range(n):
                        vertex_sum[vertex_start[e] + v] += weight * share[count[v]]
                for k in range(start, stop if with_edges else start):
                    e = order[k]
                    weight = said[node, example_output[e]]
                    n_touched = _rank_edges(
                        n, first, n_edges, example_vertex[e], at, asked, operator, length,
                        walk_type, sign, pointer_depth, codes, indptr, indices, entry_ptr,
                        entry_edges, most, size, near, seen, live, clock, stamp, used, edge_count,
                        touched, share,
                    )  # fmt: skip
                    edge_base[e] += weight * share[0]
                    for q in range(n_touched):
                        edge = touched[q]
                        extra = share[edge_count[edge]] - share[0]
                        edge_sum[edge_start[e] + edge] += weight * extra
                        edge_count[edge] = 0


@kernel
def trace(
    g, vertex, vertex_ptr, edge_ptr, x_ptr, lane_ptr, lane_features, x,
    indptr, indices, weights, divisor, middle_ptr, in_indptr, in_indices, beside, diagonal,
    entry_ptr, entry_edges,
    root, feature, operator, length, walk_type, aggregator, pointer_depth, sign, threshold,
    missing_left, left, right, longest, nodes, values, z, codes, used_ptr, used,
):  # fmt: skip
    """Lead one example down one tree, writing down what each split-node saw and made.

    Step k: nodes[k] and its value, z[k] at the vertices, the subsets it made at codes[k * n:], and
    the edges it used in used[used_ptr[k]:used_ptr[k + 1]]. Returns the number of steps; the leaf
    is nodes[that].
    """
    first = vertex_ptr[g]
    n = vertex_ptr[g + 1] - first
    size = np.zeros(longest + 1, np.int64)
    near = np.empty((longest + 1) * n, np.int64)
    seen = np.zeros((longest + 1) * n, np.int64)
    live = np.zeros((longest + 1) * n, np.int64)
    clock = np.zeros(2, np.int64)
    stamp = np.zeros(edge_ptr[g + 1] - edge_ptr[g], np.int64)
    spare = np.empty(n, np.float32)
    n_middle = middle_ptr[g + 1] - middle_ptr[g] if middle_ptr.shape[0] > 1 else 0
    sums = np.empty(n_middle, np.float64)
    errors = np.empty(n_middle, np.float64)
    node = root
    step = 0
    used_ptr[0] = 0
    while left[node] >= 0:
        want = np.int64(sign[node])
        shift = np.int64(pointer_depth[node]) * n
        phi = _ask(
            g, node, vertex_ptr, x_ptr, lane_ptr, lane_features, x, indptr, indices, weights,
            divisor, middle_ptr, in_indptr, in_indices, beside, diagonal, feature, operator,
            length, walk_type, aggregator, sign, codes, shift, z[step], spare, sums, errors,
        )  # fmt: skip
        if vertex >= 0:
            phi = z[step, vertex]
        _make_subsets(
            n, z[step], aggregator[node], threshold[node], missing_left[node], codes, shift, want,
            step * n,
        )  # fmt: skip
        n_used = _use_edges(
            n, first, vertex, length[node], walk_type[node], codes, shift, want,
            indptr[operator[node]], indices, entry_ptr, entry_edges, n, size, near, seen, live,
            clock, stamp, used[used_ptr[step] :],
        )  # fmt: skip
        used_ptr[step + 1] = used_ptr[step] + n_used
        nodes[step] = node - root
        values[step] = phi
        goes_left = missing_left[node] if phi != phi else phi <= threshold[node]
        node = root + (left[node] if goes_left else right[node])
        step += 1
    nodes[step] = node - root
    return step
