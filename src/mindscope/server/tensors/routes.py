# SPDX-License-Identifier: Apache-2.0
"""Tensors of logs: descriptions, windows of slices, statistics, heat maps, and slices as files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fastapi.responses import Response

from mindscope.analysis.tensors import TensorSource
from mindscope.server.http.context import CurrentViewer, Viewer
from mindscope.server.http.immutable import READABLE, Id, immutable, value_not_found
from mindscope.server.tensors.query import open_tensor
from mindscope.server.tensors.schema import TensorFile
from mindscope.server.tensors.slice_routes import tensor_routes


@dataclass(frozen=True, slots=True)
class ValueTensor:
    """The tensor that ``/api/values`` calls ``id``."""

    viewer: Viewer
    run: str
    name: str
    """Tag of the tensor."""
    id: str

    @property
    def facts(self) -> dict[str, str]:
        """Origin of the tensor for a JSON file."""
        return {"run": self.run, "tag": self.name}

    def answer(self, look: Callable[[TensorSource], Response]) -> Response:
        """The result of ``look``, which never changes; 404 without such a tensor."""
        source = open_tensor(self.viewer.catalog, self.run, self.name, self.id)
        if source is None:
            return value_not_found("tensor", self.run, self.name, self.id)
        response = look(source)
        return immutable(response) if response.status_code < 400 else response


def requested_tensor(run: str, tag: str, id: Id, viewer: CurrentViewer) -> ValueTensor:
    """The tensor that a request names."""
    return ValueTensor(viewer, run, tag, id)


router = tensor_routes("/tensor", "tensor", requested_tensor, TensorFile, READABLE)
