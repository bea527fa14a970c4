"""Twins of the kernels of `middle` and `closed_edges`; see `reference`."""

from __future__ import annotations

from math import fsum

import numpy as np

from graphtrees.kernels.reference import Operator, operator_of, vertices_of


def touched(rows, graph_of, column_ptr, indptr, indices, mark, stamp, n, out):
    for v in rows:
        for u in column_ptr[graph_of[v]] + indices[indptr[v] : indptr[v + 1]]:
            if mark[u] != stamp:
                mark[u] = stamp
                out[n] = u
                n += 1
    return n


def _two_parts(numbers) -> tuple[float, float]:
    """Their sum, and what rounding takes from it."""
    whole = fsum(numbers)
    return whole, fsum([*numbers, -whole])


def _lanes_apart(row: np.ndarray, code: int) -> np.ndarray:
    """A row twice as wide, the values in the stretch of the edge's subset."""
    return np.concatenate([row * (code == 1), row * (code == 2)])


def _rows_of(g, n, row_ptr, n_lanes, from_lane, width, values, codes) -> np.ndarray:
    """What the n edges of one graph carry; `codes` are theirs, or none."""
    lanes = slice(from_lane, n_lanes[g] if width < 0 else from_lane + width)
    rows = values[row_ptr[g] : row_ptr[g] + n * n_lanes[g]].reshape(n, n_lanes[g])[:, lanes]
    with np.errstate(invalid="ignore"):  # rows that nobody reads hold anything
        rows = rows.astype(np.float64)
    if not len(codes):
        return rows
    apart = [_lanes_apart(row, code) for row, code in zip(rows, codes, strict=True)]
    return np.array(apart).reshape(n, 2 * rows.shape[1])


def step_in(
    middles, graph_of, middle_ptr, in_indptr, in_indices, row_ptr, n_lanes, from_lane, width,
    values, vertex_ptr, codes, plain, sum_ptr, hi, lo,
):  # fmt: skip
    for m in middles:
        g = graph_of[m]
        edges = vertices_of(g, vertex_ptr)
        n = edges.stop - edges.start
        own = codes[edges] if len(codes) else codes
        rows = _rows_of(g, n, row_ptr, n_lanes, from_lane, width, values, own)
        at = sum_ptr[g] + (m - middle_ptr[g]) * rows.shape[1]
        entering = rows[in_indices[in_indptr[m] : in_indptr[m + 1]]]
        for lane, numbers in enumerate(entering.T):
            hi[at + lane], lo[at + lane] = _two_parts(numbers)


def step_out(
    ends, graph_of, vertex_ptr, indptr, indices, divisor, beside, row_ptr, n_lanes, from_lane,
    width, values, codes, plain, sum_ptr, hi, lo, out_ptr, out,
):  # fmt: skip
    for v in ends:
        g = graph_of[v]
        edges = vertices_of(g, vertex_ptr)
        own = codes[edges] if len(codes) else codes
        n = edges.stop - edges.start
        row = _rows_of(g, n, row_ptr, n_lanes, from_lane, width, values, own)[v - edges.start]
        left = indices[indptr[v] : indptr[v + 1]]
        at = out_ptr[g] + (v - edges.start) * len(row)
        for lane, value in enumerate(row):
            places = sum_ptr[g] + left * len(row) + lane
            taken = [-value] * (len(left) if beside else 0)
            total = fsum([*hi[places], *lo[places], *taken])
            out[at + lane] = np.float32(total / (divisor[v] if len(divisor) else 1.0))


def _listed(v, lanes, row_start, row_stop, row_lane, row_value, codes, n_signs, first_step):
    """The (lane, value) pairs that one edge carries, in the lanes of its subset."""
    sign = int(codes[v]) if first_step and n_signs > 1 else 1
    for k in range(row_start[v], row_stop[v] if sign else row_start[v]):
        if not np.isnan(row_value[k]):
            yield int(row_lane[k]) + (sign - 1) * lanes, np.float64(row_value[k])


def list_in(
    middles, graph_of, vertex_ptr, lane_ptr, in_indptr, in_indices, row_start, row_stop, row_lane,
    row_value, codes, n_signs, first_step, room_at, out_start, out_stop, out_lane, out_hi, out_lo,
):  # fmt: skip
    for i, m in enumerate(middles):
        g = graph_of[m]
        terms: dict[int, list[float]] = {}
        for u in vertex_ptr[g] + in_indices[in_indptr[m] : in_indptr[m + 1]]:
            for lane, value in _listed(
                u, lane_ptr[g + 1] - lane_ptr[g], row_start, row_stop, row_lane, row_value, codes,
                n_signs, first_step,
            ):  # fmt: skip
                terms.setdefault(lane, []).append(value)
        out_start[m], out_stop[m] = room_at[i], room_at[i] + len(terms)
        for k, (lane, numbers) in enumerate(terms.items(), start=room_at[i]):
            out_lane[k] = lane
            out_hi[k], out_lo[k] = _two_parts(numbers)


def list_out(
    ends, graph_of, middle_ptr, lane_ptr, indptr, indices, divisor, beside,
    sum_start, sum_stop, sum_lane, sum_hi, sum_lo, row_start, row_stop, row_lane, row_value,
    codes, n_signs, first_step, room_at, out_start, out_stop, out_lane, out_value,
):  # fmt: skip
    for i, v in enumerate(ends):
        g = graph_of[v]
        terms: dict[int, list[float]] = {}
        own = list(_listed(
            v, lane_ptr[g + 1] - lane_ptr[g], row_start, row_stop, row_lane, row_value, codes,
            n_signs, first_step,
        ))  # fmt: skip
        for m in middle_ptr[g] + indices[indptr[v] : indptr[v + 1]]:
            for k in range(sum_start[m], sum_stop[m]):
                terms.setdefault(int(sum_lane[k]), []).extend([sum_hi[k], sum_lo[k]])
            for lane, value in own if beside else ():
                terms[lane].append(-value)
        out_start[v] = out_stop[v] = room_at[i]
        for lane, numbers in terms.items():
            value = np.float32(fsum(numbers) / (divisor[v] if len(divisor) else 1.0))
            if value != 0.0:
                out_lane[out_stop[v]], out_value[out_stop[v]] = lane, value
                out_stop[v] += 1


def closed_walks_of_edges(
    edges, graph_of, vertex_ptr, middle_ptr, indptr, indices, in_indptr, in_indices,
    t_indptr, t_indices, t_in_indptr, t_in_indices, beside, divisor, length, out,
):  # fmt: skip
    weights = np.ones(len(indices))
    for g in np.unique(graph_of[edges]):
        operator: Operator = operator_of(
            g, vertex_ptr, indptr, indices, weights, divisor, middle_ptr, in_indptr, in_indices,
            beside,
        )  # fmt: skip
        power = np.linalg.matrix_power(operator.matrix / operator.over[:, None], length)
        mine = edges[graph_of[edges] == g]
        out[mine] = power.diagonal()[mine - vertex_ptr[g]]
