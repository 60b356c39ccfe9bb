# SPDX-License-Identifier: Apache-2.0
"""Converts the data pipeline of a run to stages that can be aligned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mindscope.graph import DatasetNode, read_dataset_graph
from mindscope.graph.data.dataset import DatasetOperation
from mindscope.lineage.cell import Cell, flatten
from mindscope.lineage.pipeline import Branches, Operation, Pipeline
from mindscope.reading.whole_values import WholeValues
from mindscope.store import RunStore
from mindscope.types import Kind


def pipeline_of(node: DatasetNode | None) -> Pipeline:
    """Return the stages from the source to the last one; empty if there is no pipeline."""
    if node is None:
        return ()
    flows = tuple(pipeline_of(child) for child in node.children)
    before: Pipeline = flows[0] if len(flows) == 1 else (Branches(flows),) if flows else ()
    return (*before, Operation(node.op_type, tuple(sorted(_parameters(node)))))


class PipelineReader:
    """Data pipelines of runs, read again only after a change. For any thread; two may read the same one at once."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[RunStore, int, Pipeline]] = {}  # by run, with the version of the pipelines

    def read(self, store: RunStore) -> Pipeline:
        """Return the newest data pipeline of a run; empty if it has none."""
        version = _version(store)  # before the values, so that a concurrent append is not missed
        known = self._known.get(store.id)
        if known is not None and known[:2] == (store, version):
            return known[2]
        written = WholeValues(store).all_of(Kind.DATASET_GRAPH, read_dataset_graph)
        pipeline = pipeline_of(written[-1] if written else None)
        self._known[store.id] = store, version, pipeline
        return pipeline


def _version(store: RunStore) -> int:
    return sum(1 + series.version for (kind, _), series in store.series.items() if kind is Kind.DATASET_GRAPH)


def _parameters(node: DatasetNode) -> Iterator[tuple[str, Cell]]:
    yield from flatten(node.parameters)
    if node.operations:
        yield "operations", tuple(operation.name for operation in node.operations)
    for number, each in enumerate(node.operations):
        is_repeated = sum(other.name == each.name for other in node.operations) > 1
        yield from flatten(_settings(each), f"{each.name}[{number}]." if is_repeated else f"{each.name}.")
    if node.sampler is not None:
        yield "sampler", node.sampler.name
        yield from flatten(_settings(node.sampler), f"{node.sampler.name}.")


def _settings(operation: DatasetOperation) -> Mapping[str, Any]:
    more = {"size": operation.size, "weights": operation.weights}
    return {**operation.parameters, **{name: value for name, value in more.items() if value}}
