# SPDX-License-Identifier: Apache-2.0
"""Chains of calls around each call, such as its modules or its Python frames, each chain stored once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.store.mapped_columns import mapped


@dataclass(frozen=True, slots=True)
class Paths:
    """A tree of names."""

    of_call: NDArray[np.int32]
    """The path of each call: of its nearest chosen ancestor or itself; -1 for none."""
    parent: NDArray[np.int64]
    """Parent of each path; less than its own index, -1 for a root."""
    name: NDArray[np.int64]
    """Name of each path, one of those that the paths were made with."""

    def __len__(self) -> int:
        return len(self.parent)

    def chain(self, path: int) -> list[int]:
        """Return names from a path to its root."""
        found: list[int] = []
        while path >= 0:
            found.append(int(self.name[path]))
            path = int(self.parent[path])
        return found

    def select(self, calls: NDArray[Any]) -> Paths:
        """Return the same paths beside only these calls."""
        return Paths(mapped(self.of_call[calls]), self.parent, self.name)


def paths_of(
    levels: Sequence[NDArray[np.int32]],
    parent: NDArray[np.int32],
    chosen: NDArray[np.bool_],
    names: NDArray[np.uint32],
) -> Paths:
    """Return the chains of chosen calls.

    Args:
        levels: rows of the n calls; parents are in an earlier one than their children.
        parent: (n,) the row of the call around each; -1 for none.
        chosen: (n,) which calls are in the chains.
        names: (n,) codes.
    """
    of_call = np.full(len(parent), -1, np.int32)
    parents = [np.empty(0, np.int64)]
    labels = [np.empty(0, np.int64)]
    count = 0
    for calls in levels:
        outer = np.where(parent[calls] >= 0, of_call[parent[calls]], np.int32(-1))
        of_call[calls] = outer
        is_chosen = chosen[calls]
        here = calls[is_chosen]
        key = (outer[is_chosen].astype(np.int64) + 1) << 32 | names[here]
        unique, inverse = np.unique(key, return_inverse=True)
        of_call[here] = count + inverse.reshape(-1)
        parents.append((unique >> 32) - 1)
        labels.append(unique & 0xFFFFFFFF)
        count += len(unique)
    return Paths(mapped(of_call), np.concatenate(parents), np.concatenate(labels))
