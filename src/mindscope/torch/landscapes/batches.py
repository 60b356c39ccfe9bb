# SPDX-License-Identifier: Apache-2.0
"""The part of a data set on which losses are computed: the same batches at every point."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

from mindscope.torch.core.batches import check_dataset
from mindscope.torch.core.devices import batch_length, to_device


@dataclass(frozen=True, slots=True)
class FixedBatches:
    """Batches, and how many samples each has."""

    elements: list[Any]
    """Tensors, or tuples, lists and dicts of them."""
    lengths: list[int]

    @property
    def num_samples(self) -> int:
        """Samples of all batches."""
        return sum(self.lengths)

    @property
    def can_be_split(self) -> bool:
        """Whether each tensor has a row for each sample, so that other batches can be made of them."""
        return all(
            is_table(tree_leaf, length)
            for element, length in zip(self.elements, self.lengths, strict=True)
            for tree_leaf in pytree.tree_leaves(element)
        ) and all(pytree.tree_structure(each) == pytree.tree_structure(self.elements[0]) for each in self.elements)

    def split(self, size: int, num_samples: int | None = None) -> FixedBatches:
        """Return the first samples in batches of this size, the last one of what is left. Wants ``can_be_split``."""
        leaves, structures = zip(*(pytree.tree_flatten(element) for element in self.elements), strict=True)
        count = min(num_samples or self.num_samples, self.num_samples)
        parts: list[list[Tensor]] = []
        for columns in zip(*leaves, strict=True):
            whole = columns[0] if len(columns) == 1 else torch.cat(list(columns))
            parts.append(list(cast(Any, whole[:count]).split(size)))
        elements = [pytree.tree_unflatten(list(row), structures[0]) for row in zip(*parts, strict=True)]
        return FixedBatches(elements, [min(size, count - start) for start in range(0, count, size)])

    def mapped(self, change: Callable[[Tensor], Tensor]) -> FixedBatches:
        """Return a copy with each tensor changed."""
        return FixedBatches([pytree.tree_map_only(Tensor, change, element) for element in self.elements], self.lengths)

    def to(self, device: torch.device) -> FixedBatches:
        """Return a copy on a device."""
        return FixedBatches([to_device(element, device) for element in self.elements], self.lengths)


def is_table(value: Any, length: int) -> bool:
    """Return whether this is a tensor with a row for each sample."""
    return isinstance(value, Tensor) and value.ndim > 0 and value.shape[0] == length


def fixed_batches(data: Iterable[Any], num_samples: int | None, seed: int) -> FixedBatches:
    """Return the first samples of a data set.

    Args:
        data: batches, such as a DataLoader. One that shuffles gives the order of ``seed``.
        num_samples: at most; the last batch is cut if each of its tensors has a row for each sample. None for all.
        seed: of PyTorch's random numbers while the data set is read; they continue as before afterwards.

    Raises:
        TypeError: no iterable of batches.
        ValueError: no batch, or one without tensors.
    """
    elements: list[Any] = []
    lengths: list[int] = []
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        for element in check_dataset("data", data):
            plain = _plain(to_device(element, torch.device("cpu")))
            length = batch_length(plain)
            if length is None:
                raise ValueError(
                    f"a batch of data is {type(element).__name__} without tensors, want tensors with samples"
                )
            left = None if num_samples is None else num_samples - sum(lengths)
            if left is not None and length > left:
                plain, length = _cut(plain, length, left)
            elements.append(plain)
            lengths.append(length)
            if num_samples is not None and sum(lengths) >= num_samples:
                break
    if not sum(lengths):
        raise ValueError(
            f"data is {type(data).__name__} and gave no samples: it is empty, or an iterator that is used up"
        )
    return FixedBatches(elements, lengths)


def _cut(element: Any, length: int, left: int) -> tuple[Any, int]:
    if not all(is_table(tree_leaf, length) for tree_leaf in pytree.tree_leaves(element)):
        return element, length
    return pytree.tree_map_only(Tensor, lambda each: each[:left], element), left


def _plain(element: Any) -> Any:
    """Return the batches of other classes of mappings as dicts, so that their tensors are found."""
    if isinstance(element, Mapping):
        return {key: _plain(value) for key, value in cast("Mapping[Any, Any]", element).items()}
    return element
