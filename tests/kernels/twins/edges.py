"""Twins of the kernels of `endpoints` and `closed_edges`; see `answers`."""

from __future__ import annotations

from math import fsum

import numpy as np

from kernels.twins.answers import Operator, operator_of


def step_through(
    values, indptr, endpoints, divisor, skips_itself, into_indptr, into_edges, high, low, out
):
    for e in range(len(indptr) - 1):
        near = [
            float(values[k])
            for m in endpoints[indptr[e] : indptr[e + 1]]
            for k in into_edges[into_indptr[m] : into_indptr[m + 1]]
        ]
        own = [-float(values[e])] * (indptr[e + 1] - indptr[e]) if skips_itself else []
        out[e] = np.float32(fsum([*near, *own]) / (divisor[e] if len(divisor) else 1.0))


def closed_walks_of_edges(
    edges, graph_of, vertex_ptr, endpoint_ptr, steps, turned, skips_itself, divisor, length, room,
    out,
):  # fmt: skip
    indptr, indices, into_indptr, into_sources = steps
    weights = np.ones(len(indices))
    for g in np.unique(graph_of[edges]):
        operator: Operator = operator_of(
            g, vertex_ptr, indptr, indices, weights, divisor, endpoint_ptr, into_indptr,
            into_sources, skips_itself,
        )  # fmt: skip
        power = np.linalg.matrix_power(operator.matrix / operator.over[:, None], length)
        mine = edges[graph_of[edges] == g]
        out[mine] = power.diagonal()[mine - vertex_ptr[g]]
