# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Hashes along the edges of a graph, and pairs of neighbors of nodes that are already paired."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

import numpy as np

cdef enum:
    MOST_NEIGHBORS = 64  # a node with more of them says little about any


cdef inline uint64_t _mix(uint64_t value) noexcept nogil:
    value ^= value >> 33
    value *= 0xFF51AFD7ED558CCDULL
    value ^= value >> 33
    value *= 0xC4CEB9FE1A85EC53ULL
    return value ^ value >> 33


def hash_along(const uint64_t[::1] own not None, const uint64_t[::1] cyclic not None, const int64_t[::1] edge not None,
               const int64_t[::1] first not None, const int32_t[::1] head not None, const uint64_t[::1] fact not None):
    """Hashes of nodes with all their predecessors.

    own, cyclic  (n,) hash of each node alone, and what counts for a node on or after a cycle
    edge, first  the edges that leave node i are ``edge[first[i]:first[i + 1]]``
    head, fact   (m,) where each edge ends, and its hash

    Returns ``(hashes, order)``: (n,) uint64, and the nodes (int32) so that predecessors come first; nodes on and after
    cycles come last.
    """
    cdef Py_ssize_t count = own.shape[0], row, at, done = 0, filled = 0
    hashes_array = np.array(own, np.uint64)
    order_array = np.empty(count, np.int32)
    sum_array = np.zeros(count, np.uint64)
    waiting_array = np.zeros(count, np.int32)
    cdef uint64_t[::1] hashes = hashes_array, total = sum_array
    cdef int32_t[::1] order = order_array, waiting = waiting_array
    cdef int32_t node, after
    cdef int64_t number
    with nogil:
        for row in range(head.shape[0]):
            waiting[head[row]] += 1
        for row in range(count):
            if waiting[row] == 0:
                order[filled] = <int32_t>row
                filled += 1
        while done < filled:
            node = order[done]
            done += 1
            hashes[node] = _mix(own[node] + total[node])
            for at in range(first[node], first[node + 1]):
                number = edge[at]
                after = head[number]
                total[after] += _mix(hashes[node] ^ fact[number])
                waiting[after] -= 1
                if waiting[after] == 0:
                    order[filled] = after
                    filled += 1
        for row in range(count):
            if waiting[row] > 0:
                hashes[row] = cyclic[row]
                order[filled] = <int32_t>row
                filled += 1
    return hashes_array, order_array


cdef int _unpaired(int32_t node, const int32_t[::1] pair, const int64_t[::1] edge, const int64_t[::1] first,
                   const int32_t[::1] end, const uint64_t[::1] fact, const uint64_t[::1] key, int32_t *nodes,
                   uint64_t *keys) noexcept nogil:
    """Collect neighbors without a pair, each once, with the key of node and edge; -1 if there are too many."""
    cdef int64_t at
    cdef int32_t other
    cdef int found = 0, index
    for at in range(first[node], first[node + 1]):
        other = end[edge[at]]
        if pair[other] >= 0 or other == node:
            continue
        for index in range(found):
            if nodes[index] == other:
                break
        else:
            if found == MOST_NEIGHBORS:
                return -1
            nodes[found] = other
            keys[found] = _mix(key[other] ^ fact[edge[at]])
            found += 1
    return found


cdef int _partner(uint64_t key, int nth, const uint64_t *keys, int count) noexcept nogil:
    """Return the index of the nth element with ``key``, -1 without one."""
    cdef int index
    for index in range(count):
        if keys[index] == key:
            if nth == 0:
                return index
            nth -= 1
    return -1


cdef int _count(uint64_t key, const uint64_t *keys, int count) noexcept nogil:
    cdef int index, found = 0
    for index in range(count):
        found += keys[index] == key
    return found


def pair_neighbors(int32_t[::1] left not None, int32_t[::1] right not None, tuple left_graph not None,
                   tuple right_graph not None, const uint64_t[::1] left_key not None,
                   const uint64_t[::1] right_key not None, *, bint is_ordered):
    """Pair neighbors of paired nodes, then their neighbors, as far as that leads. Changes ``left`` and ``right``.

    left, right  the paired node of the other graph, -1 without one
    ..._graph    ``(tail, head, fact, edge_in, first_in, edge_out, first_out)``: edges, and those of each node
    ..._key      (n,) only nodes with the same key are paired
    is_ordered   pair the nth neighbor with a key with the nth of the other side, else only single ones
    """
    cdef const int32_t[::1] left_tail = left_graph[0], left_head = left_graph[1]
    cdef const int32_t[::1] right_tail = right_graph[0], right_head = right_graph[1]
    cdef const uint64_t[::1] left_fact = left_graph[2], right_fact = right_graph[2]
    cdef const int64_t[::1] left_in = left_graph[3], left_first_in = left_graph[4]
    cdef const int64_t[::1] left_out = left_graph[5], left_first_out = left_graph[6]
    cdef const int64_t[::1] right_in = right_graph[3], right_first_in = right_graph[4]
    cdef const int64_t[::1] right_out = right_graph[5], right_first_out = right_graph[6]
    cdef int32_t left_nodes[MOST_NEIGHBORS]
    cdef int32_t right_nodes[MOST_NEIGHBORS]
    cdef uint64_t left_keys[MOST_NEIGHBORS]
    cdef uint64_t right_keys[MOST_NEIGHBORS]
    cdef Py_ssize_t count = left.shape[0], row, done = 0, filled = 0
    queue_array = np.empty(count, np.int32)
    cdef int32_t[::1] queue = queue_array
    cdef int32_t node, other
    cdef int way, lefts, rights, index, nth, found
    with nogil:
        for row in range(count):
            if left[row] >= 0:
                queue[filled] = <int32_t>row
                filled += 1
        while done < filled:
            node = queue[done]
            other = left[node]
            done += 1
            for way in range(2):
                if way == 0:
                    lefts = _unpaired(node, left, left_in, left_first_in, left_tail, left_fact, left_key,
                                      left_nodes, left_keys)
                    if lefts <= 0:
                        continue
                    rights = _unpaired(other, right, right_in, right_first_in, right_tail, right_fact, right_key,
                                       right_nodes, right_keys)
                else:
                    lefts = _unpaired(node, left, left_out, left_first_out, left_head, left_fact, left_key,
                                      left_nodes, left_keys)
                    if lefts <= 0:
                        continue
                    rights = _unpaired(other, right, right_out, right_first_out, right_head, right_fact, right_key,
                                       right_nodes, right_keys)
                for index in range(lefts):
                    nth = _count(left_keys[index], left_keys, index)
                    if not is_ordered and (
                        _count(left_keys[index], left_keys, lefts) != 1
                        or _count(left_keys[index], right_keys, rights) != 1
                    ):
                        continue
                    found = _partner(left_keys[index], nth, right_keys, rights)
                    if found < 0:
                        continue
                    left[left_nodes[index]] = right_nodes[found]
                    right[right_nodes[found]] = left_nodes[index]
                    queue[filled] = left_nodes[index]
                    filled += 1
