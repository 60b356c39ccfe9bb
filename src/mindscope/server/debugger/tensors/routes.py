# SPDX-License-Identifier: Apache-2.0
"""Whole tensors of a step: descriptions, windows of slices, statistics, heat maps, and slices as files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Query
from fastapi.responses import Response

from mindscope.analysis.tensors import TensorSource
from mindscope.reasons import Reason
from mindscope.server.debugger.access import READABLE, answer_of
from mindscope.server.debugger.schema import MOST_NUMBER, MOST_STEP, OfAllRanks
from mindscope.server.debugger.sources import OpenSource
from mindscope.server.debugger.tensors.query import tensor_source
from mindscope.server.debugger.tensors.schema import DebugTensorFile
from mindscope.server.http.context import CurrentViewer, Viewer
from mindscope.server.http.errors import failure
from mindscope.server.tensors.slice_routes import tensor_routes


@dataclass(frozen=True, slots=True)
class StepTensor:
    """The tensor in a row of a step."""

    viewer: Viewer
    run: str
    source: str
    rank: int
    step: int
    row: int

    @property
    def name(self) -> str:
        """Step and row of the tensor."""
        return f"step {self.step} row {self.row}"

    @property
    def facts(self) -> dict[str, str | int]:
        """Origin of the tensor for a JSON file."""
        return {"run": self.run, "source": self.source, "rank": self.rank, "step": self.step}

    def answer(self, look: Callable[[TensorSource], Response]) -> Response:
        """The result of ``look``; 404 if the tensor or its elements were not recorded, 409 if they can't be read."""
        return answer_of(self.viewer, OfAllRanks(run=self.run, source=self.source), lambda each: self._look(each, look))

    def _look(self, opened: OpenSource, look: Callable[[TensorSource], Response]) -> Response:
        found = tensor_source(opened, self.step, self.rank, self.row)
        if found is None:
            problem = Reason("debug_statistics_only", step=self.step, row=self.row)
            return failure(404, problem, "record whole tensors with mindscope.torch.Dump or another dump")
        return look(found)


def requested_tensor(
    run: str,
    viewer: CurrentViewer,
    step: Annotated[int, Query(ge=-MOST_STEP, le=MOST_STEP)],
    tensor_row: Annotated[int, Query(ge=0, le=MOST_NUMBER)],
    source: Annotated[str, Query(max_length=4096)] = ".",
    rank: Annotated[int, Query(ge=0, le=MOST_NUMBER)] = 0,
) -> StepTensor:
    """The tensor that a request names."""
    return StepTensor(viewer, run, source, rank, step, tensor_row)


router = tensor_routes("/debugger/tensor", "debug_tensor", requested_tensor, DebugTensorFile, READABLE)
