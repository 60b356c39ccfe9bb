# SPDX-License-Identifier: Apache-2.0
"""Meshes and point clouds: vertices, and perhaps faces and colors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from mindscope.capture.array_conversion import Array, to_array
from mindscope.errors import TypeRejectedError, ValueRejectedError
from mindscope.formats.kinds.tensor_plugins import mesh_to_tensorboard
from mindscope.formats.tensorboard_values import value_field

_FIELDS = {"vertices", "faces", "colors", "config"}


class MeshInput:
    """Copies of the parts of a batch of meshes."""

    def __init__(self, vertices: Any, faces: Any = None, colors: Any = None, config: Any = None) -> None:
        parts = {"VERTEX": vertices, "FACE": faces, "COLOR": colors}
        self._parts = {name: _part(name, part) for name, part in parts.items() if part is not None}
        try:
            self._config = "{}" if config is None else json.dumps(config, sort_keys=True)
        except (TypeError, ValueError) as error:
            raise ValueRejectedError(f"config of a mesh is no JSON: {error}") from error
        vertex, color = self._parts["VERTEX"], self._parts.get("COLOR")
        if color is not None and color.shape != vertex.shape:
            raise ValueRejectedError(f"colors of a mesh have shape {color.shape}, want {vertex.shape} as its vertices")

    @property
    def nbytes(self) -> int:
        """Size of the copies in bytes."""
        return sum(part.nbytes for part in self._parts.values())

    def encode(self, tag: str) -> bytes:
        """Return the ``Summary.value`` fields."""
        return b"".join(map(value_field, mesh_to_tensorboard(tag, self._parts, self._config)))


def _part(name: str, value: Any) -> Array:
    array = to_array(value)
    if array.dtype.kind == "c":
        raise TypeRejectedError(f"{name} of a mesh has dtype {array.dtype}, want real numbers")
    batch = array[np.newaxis] if array.ndim == 2 else array
    if batch.ndim != 3 or batch.shape[2] != 3:
        raise ValueRejectedError(f"{name} of a mesh has shape {array.shape}, want (N, 3) or (batch, N, 3)")
    return batch.astype(np.float32)


def mesh_input(value: Any) -> MeshInput:
    """Return the mesh in an array of vertices, or in ``{"vertices": ..., "faces": ..., "colors": ..., "config": ...}``.

    Raises ValueRejectedError.
    """
    if not isinstance(value, Mapping):
        return MeshInput(value)
    given = cast("Mapping[str, Any]", value)
    if "vertices" not in given or not set(given) <= _FIELDS:
        raise ValueRejectedError(
            f'mesh is a dict of {sorted(map(str, given))}, want "vertices", perhaps with "faces", "colors" and "config"'
        )
    return MeshInput(given["vertices"], given.get("faces"), given.get("colors"), given.get("config"))
