# SPDX-License-Identifier: Apache-2.0
"""Batches of a data set, epoch by epoch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from typing import Any, cast

from torch import Tensor, nn


def count_batches(dataset: Any) -> int | None:
    """Return the steps of an epoch, by ``get_dataset_size()`` or ``len()`` of the data set.

    It returns None if the data set has neither.
    """
    if hasattr(dataset, "get_dataset_size"):
        return int(dataset.get_dataset_size())
    if not isinstance(dataset, Sized):
        return None
    try:
        return len(dataset)
    except TypeError:  # a DataLoader over an iterable data set without a length
        return None


def check_dataset(name: str, dataset: Any) -> Iterable[Any]:
    """Return a data set that can be looped over. Raises TypeError."""
    if not isinstance(dataset, Iterable):
        raise TypeError(f"{name} is {type(dataset).__name__}, want a DataLoader or an iterable of batches")
    return cast("Iterable[Any]", dataset)


class Batches:
    """The elements of a data set, epoch by epoch.

    Args:
        dataset: any iterable of batches.
        sink_size: elements of an epoch, which may begin and end inside of the data set; -1 for all of it.
    """

    def __init__(self, dataset: Iterable[Any], sink_size: int = -1) -> None:
        self._dataset = dataset
        self._sink_size = sink_size
        self._running: Iterator[Any] = iter(())

    @property
    def batch_num(self) -> int | None:
        """Elements of an epoch; None where the data set doesn't say."""
        return self._sink_size if self._sink_size > 0 else count_batches(self._dataset)

    def epoch(self) -> Iterator[Any]:
        """Yield the elements of the next epoch. Raises ValueError if there are none."""
        if self._sink_size > 0:
            for _ in range(self._sink_size):
                yield self._next()
            return
        is_empty = True
        for element in self._dataset:
            is_empty = False
            yield element
        if is_empty:
            raise ValueError(self._text())

    def _next(self) -> Any:
        for element in self._running:
            return element
        self._running = iter(self._dataset)
        for element in self._running:
            return element
        raise ValueError(self._text())

    def _text(self) -> str:
        kind = type(self._dataset).__name__
        once = ", or is an iterator that is used up; hand over an iterable that can begin again"
        return f"data set {kind} gave no batch for this epoch: it is empty{once}"


def call(network: nn.Module | Callable[..., Any], element: Any) -> Any:
    """Call the network with an element: columns are its arguments, a dict its keyword arguments."""
    if isinstance(element, Mapping):
        return network(**cast("Mapping[str, Any]", element))
    if isinstance(element, (list, tuple)):
        return network(*cast("list[Any]", element))
    return network(element)


def split_label(element: Any) -> tuple[Any, Any]:
    """Return the inputs and label of an element: the last column is the label, in a dict ``label`` or ``labels``.

    Raises ValueError if there is no label.
    """
    if isinstance(element, (list, tuple)) and len(cast("list[Any]", element)) >= 2:
        columns = cast("list[Any]", element)
        return columns[0] if len(columns) == 2 else tuple(columns[:-1]), columns[-1]
    if isinstance(element, Mapping):
        entries = dict(cast("Mapping[str, Any]", element))
        for name in ("label", "labels"):
            if name in entries:
                label = entries.pop(name)
                return entries, label
        names = ", ".join(map(str, entries)) or "nothing"
        raise ValueError(f"batch is a dict of {names}, want an entry label or labels for loss_fn")
    kind = type(cast(Any, element)).__name__
    raise ValueError(
        f"batch is {kind}, want data and label for loss_fn; without a label give the Model a network "
        "that returns its loss, and no loss_fn"
    )


def first_output(outputs: Any, source: str = "network") -> Tensor:
    """Return the loss that a network gives by itself: its first output, or ``loss`` of a mapping as of Transformers.

    ``source`` returned them. Raises TypeError if that is no tensor.
    """
    first: Any = outputs
    if isinstance(outputs, Mapping):
        first = cast("Mapping[str, Any]", outputs).get("loss", outputs)
    elif isinstance(outputs, (list, tuple)) and outputs:
        first = cast("list[Any]", outputs)[0]
    if not isinstance(first, Tensor):
        remedy = ", or give a loss_fn" if source == "network" else ""
        raise TypeError(f"{source} returned {type(first).__name__}, want its loss as a tensor{remedy}")
    return first if first.ndim == 0 else first.mean()
