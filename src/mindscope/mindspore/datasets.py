# SPDX-License-Identifier: Apache-2.0
"""Facts about a MindSpore data set: its stages, its path, its number of samples."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import mindspore.dataset

from mindscope.graph.data.dataset import DatasetNode, DatasetOperation

_PATHS = ("dataset_dir", "dataset_file", "dataset_files")


def dataset_node(dataset: Any) -> DatasetNode:
    """Return the pipeline with every operation, sampler and what is inside of them."""
    return _node(cast("dict[str, Any]", mindspore.dataset.serialize(dataset)))


def _node(stage: Mapping[str, Any]) -> DatasetNode:
    special = ("op_type", "children", "operations", "sampler")
    sampler = stage.get("sampler")
    return DatasetNode(
        op_type=str(stage.get("op_type", "")),
        parameters=_given({name: value for name, value in stage.items() if name not in special}),
        operations=tuple(_operation(each) for each in stage.get("operations") or () if each),
        sampler=_sampler(sampler) if sampler else None,
        children=tuple(_node(each) for each in stage.get("children") or () if each),
    )


def _operation(operation: Mapping[str, Any]) -> DatasetOperation:
    """Return a transform; nested transforms are in its parameters."""
    others = {name: value for name, value in operation.items() if not name.startswith("tensor_op_")}
    return DatasetOperation(
        str(operation.get("tensor_op_name", "")), others | dict(operation.get("tensor_op_params") or {})
    )


def _sampler(sampler: Mapping[str, Any]) -> DatasetOperation:
    """Return a sampler; indices are its sizes, as MindSpore writes them, samplers before it are a parameter."""
    special = ("sampler_name", "indices", "weights")
    return DatasetOperation(
        name=str(sampler.get("sampler_name", "")),
        parameters=_given({name: value for name, value in sampler.items() if name not in special}),
        size=tuple(sampler.get("indices") or ()),
        weights=tuple(sampler.get("weights") or ()),
    )


def _given(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters without empty lists."""
    return {name: value for name, value in parameters.items() if value != []}


def dataset_path(dataset: Any) -> str | None:
    """Return the directory of the files that the first source reads; None where it reads none."""
    stage = dataset
    while stage is not None:
        for name in _PATHS:
            path = _first(getattr(stage, name, None))
            if path is not None:
                return str(Path(path).parent) if Path(path).is_file() else path
        stage = next(iter(getattr(stage, "children", ())), None)
    return None


def _first(path: Any) -> str | None:
    if isinstance(path, (list, tuple)) and path:
        path = cast("list[Any]", path)[0]
    return str(cast(Any, path)) if isinstance(path, (str, os.PathLike)) and path else None


def sample_count(dataset: Any) -> int:
    """Samples of an epoch: batches times their size."""
    return int(dataset.get_dataset_size() * dataset.get_batch_size())
