# SPDX-License-Identifier: Apache-2.0
"""Facts about a data set: its path, number of samples, and how they become batches."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sized
from pathlib import Path
from typing import Any, cast

from torch import nn
from torch.utils.data import BatchSampler, DataLoader

from mindscope.graph.data.dataset import DatasetNode, DatasetOperation
from mindscope.torch.core.batches import count_batches
from mindscope.torch.core.constructor_arguments import constructor_arguments
from mindscope.torch.core.devices import batch_length

_PATHS = tuple("root dataset_dir data_dir dataset_path path root_dir filename file".split())
_TRANSFORMS = tuple("transforms transform target_transform".split())
_DEEPEST = 16  # data sets inside data sets


def dataset_path(dataset: Any) -> str | None:
    """Return the directory that the data comes from, where a data set names one."""
    for inner in _walk(dataset):
        for name in _PATHS:
            named = getattr(inner, name, None)
            if isinstance(named, (str, os.PathLike)) and str(cast(Any, named)):
                path = Path(cast(Any, named)).absolute()
                return str(path.parent if path.is_file() else path)
    return None


def batch_size(dataset: Any, element: Any) -> int | None:
    """Samples of a batch: as the data set says, else as the last batch has."""
    sampler = getattr(dataset, "batch_sampler", None)
    size = getattr(dataset, "batch_size", None) or getattr(sampler, "batch_size", None)
    if size is None and hasattr(dataset, "get_batch_size"):
        size = dataset.get_batch_size()
    return int(size) if isinstance(size, int) else batch_length(element)


def sample_count(dataset: Any, element: Any) -> int | None:
    """Samples of an epoch; None if unknown."""
    sampler = getattr(dataset, "sampler", None)
    batches, size = count_batches(dataset), batch_size(dataset, element)
    whole = batches * size if batches is not None and size is not None else None
    if isinstance(sampler, Sized) and getattr(dataset, "batch_size", None) is not None:
        try:
            return whole if getattr(dataset, "drop_last", False) else len(sampler)
        except TypeError:  # an iterable data set without a length
            return whole
    return whole


def dataset_node(dataset: Any) -> DatasetNode:
    """Return the pipeline: batches of transformed samples of a data set, as far as a DataLoader describes it."""
    if not isinstance(dataset, DataLoader):
        return DatasetNode(type_name(dataset), _parameters(dataset))
    loader = cast("DataLoader[Any]", dataset)
    return DatasetNode("Batch", _loader_parameters(loader), children=(_source_node(loader.dataset, _sampler(loader)),))


def _loader_parameters(loader: DataLoader[Any]) -> dict[str, Any]:
    batch_sampler = cast(Any, loader.batch_sampler)
    parameters: dict[str, Any] = {
        "batch_size": batch_size(loader, None),
        "drop_remainder": bool(getattr(batch_sampler, "drop_last", loader.drop_last)),
        "num_parallel_workers": loader.num_workers,
        "collate_fn": type_name(loader.collate_fn),
        "pin_memory": bool(loader.pin_memory),
        "prefetch_factor": loader.prefetch_factor,
    }
    if batch_sampler is not None and type(batch_sampler) is not BatchSampler:
        own = {f"batch_sampler.{name}": value for name, value in _parameters(batch_sampler).items()}
        parameters |= {"batch_sampler": type_name(batch_sampler)} | own
    return {name: value for name, value in parameters.items() if value is not None}


def _sampler(loader: DataLoader[Any]) -> DatasetOperation | None:
    batch_sampler = cast(Any, loader.batch_sampler)
    sampler = getattr(batch_sampler, "sampler", None) or getattr(loader, "sampler", None)
    if sampler is None:
        return None
    parameters = _parameters(sampler)
    weights = parameters.pop("weights", None)
    if weights is not None:
        parameters["weight_count"] = len(weights)
    if isinstance(sampler, Sized):
        parameters.setdefault("num_samples", _length(sampler))
    return DatasetOperation(
        type_name(sampler), {name: value for name, value in parameters.items() if value is not None}
    )


def _source_node(dataset: Any, sampler: DatasetOperation | None) -> DatasetNode:
    """Return the data set; one stage above it for each of its pipelines of transforms, the first one on top."""
    children = tuple(_source_node(each, None) for each in _inner(dataset))
    parameters = _parameters(dataset)
    if isinstance(dataset, Sized):
        parameters.setdefault("num_samples", _length(dataset))
    node = DatasetNode(type_name(dataset), parameters, sampler=sampler, children=children)
    for name in reversed(_TRANSFORMS):
        operations = tuple(_operations(getattr(dataset, name, None)))
        if operations and not (name == "transforms" and hasattr(dataset, "transform")):
            node = DatasetNode("Map", {"input": name}, operations, children=(node,))
    return node


def _operations(transform: Any) -> Iterator[DatasetOperation]:
    """Yield the transforms one by one: of a ``Compose``, a ``Sequential``, a list, or a single one."""
    if transform is None:
        return
    is_many = isinstance(transform, (list, tuple, nn.Sequential))
    inner: Any = cast(Any, transform) if is_many else getattr(transform, "transforms", None)
    if isinstance(inner, (list, tuple, nn.Sequential, nn.ModuleList)):
        for each in cast("list[Any]", inner):
            yield from _operations(each)
        return
    yield DatasetOperation(type_name(transform), _parameters(transform))


def _parameters(thing: Any) -> dict[str, Any]:
    return constructor_arguments(thing, _TRANSFORMS)


def type_name(thing: Any) -> str:
    """Return the class of an object, or the name of a function."""
    return str(getattr(thing, "__name__", None) or type(thing).__name__)


def _length(sized: Sized) -> int | None:
    try:
        return len(sized)
    except TypeError:
        return None


def _inner(dataset: Any) -> list[Any]:
    """Return the data sets that a data set is made of."""
    many = getattr(dataset, "datasets", None)
    if isinstance(many, (list, tuple)):
        return list(cast("list[Any]", many))
    one = getattr(dataset, "dataset", None)
    return [] if one is None else [one]


def _walk(dataset: Any) -> Iterator[Any]:
    """Yield a data set and those inside, the outermost first."""
    layer, depth = [dataset], 0
    while layer and depth < _DEEPEST:
        yield from layer
        layer, depth = [inner for each in layer for inner in _inner(each)], depth + 1
