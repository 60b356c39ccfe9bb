# SPDX-License-Identifier: Apache-2.0
"""Kinds that TensorBoard stores as plain tensors: PR curves and meshes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.formats import tensorboard_schemas, wire
from mindscope.formats.kinds.descriptor import KindDescriptor, tensorboard_value
from mindscope.formats.kinds.tensor import tensor_from_tensorboard
from mindscope.formats.tensorboard_values import number_tensor, plugin_metadata
from mindscope.types import Kind, Message

_CURVE_CONTENT = wire.parse_schemas("PrCurvePluginData: 1 int32 version, 2 uint32 num_thresholds")["PrCurvePluginData"]
_MESH_CONTENT = wire.parse_schemas(
    "MeshPluginData: 1 int32 version, 2 string name, 3 enum content_type, 5 string json_config, "
    "6 packed int32 shape, 7 uint32 components"
)["MeshPluginData"]
_MESH_PARTS = {"VERTEX": 1, "FACE": 2, "COLOR": 3}


@dataclass(frozen=True, slots=True)
class MeshPart:
    """One part of a batch of meshes: an array, what the part is, and what the plugin says of the mesh.

    ``components`` are the parts that were recorded together. ``config`` is JSON for Three.js.
    """

    array: NDArray[Any]
    name: str
    components: tuple[str, ...]
    config: str


def pr_curve_to_tensorboard(tag: str, curve: NDArray[np.float32], num_thresholds: int) -> Message:
    """Return the Summary.Value of a PR curve.

    ``curve`` has shape (6, thresholds): true positives, false positives, true negatives, false negatives, precision and
    recall.
    """
    content = wire.encode(_CURVE_CONTENT, {"num_thresholds": num_thresholds})
    return {"tag": tag, "tensor": number_tensor(curve), "metadata": plugin_metadata("pr_curves", content)}


def mesh_to_tensorboard(tag: str, parts: dict[str, NDArray[np.float32]], config: str) -> list[Message]:
    """Return the Summary.Values of a batch of meshes, one for each part.

    ``parts`` are VERTEX and perhaps FACE and COLOR, each of shape (batch, points, 3). ``config`` is JSON for Three.js.
    """
    components = sum(1 << _MESH_PARTS[name] for name in parts)
    return [
        {
            "tag": f"{tag}_{name}",
            "tensor": number_tensor(array),
            "metadata": plugin_metadata("mesh", _mesh_content(tag, name, array.shape, config, components)),
        }
        for name, array in parts.items()
    ]


def mesh_part(encoded: bytes | memoryview) -> MeshPart:
    """Return the part of a mesh in an encoded Summary.Value. Raises FormatError."""
    value = wire.decode(tensorboard_schemas.VALUE, encoded)
    plugin_data = value.get("metadata", {}).get("plugin_data", {})
    content = wire.decode(_MESH_CONTENT, plugin_data.get("content", b""))
    names = {number: name for name, number in _MESH_PARTS.items()}
    components = content.get("components", 0)
    return MeshPart(
        tensor_from_tensorboard(value).value,
        names.get(content.get("content_type", 0), ""),
        tuple(name for number, name in names.items() if components >> number & 1),
        content.get("json_config", ""),
    )


def _mesh_content(tag: str, part: str, shape: tuple[int, ...], config: str, components: int) -> bytes:
    content: Message = {
        "name": tag,
        "content_type": _MESH_PARTS[part],
        "json_config": config,
        "shape": list(shape),
        "components": components,
    }
    return wire.encode(_MESH_CONTENT, content)


PR_CURVE = KindDescriptor(
    Kind.PR_CURVE,
    tensorboard=tensorboard_value(Kind.PR_CURVE, tensor_from_tensorboard),
    plugins=("pr_curves",),
    has_progress=True,
)
MESH = KindDescriptor(
    Kind.MESH,
    tensorboard=tensorboard_value(Kind.MESH, tensor_from_tensorboard),
    plugins=("mesh",),
    has_progress=True,
)
