# SPDX-License-Identifier: Apache-2.0
"""Loss landscapes: losses over a plane of the weight space, and the path of the training."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.formats.kinds.descriptor import KindDescriptor, mindspore_value
from mindscope.formats.mindspore_tensors import decode_tensor
from mindscope.reasons import Reason
from mindscope.types import Kind, Landscape, LandscapeFacts, Message


def _from_mindspore(value: Message) -> Landscape:
    message = value["loss_landscape"]
    plane, path = message["landscape"], message.get("loss_path", {})
    points, metadata = path.get("points", {}), message.get("metadata", {})
    convergence = message.get("convergence_point")
    x, y, z = (decode_tensor(plane[axis]).value for axis in "xyz")
    if z.size != x.size * y.size or any(each.dtype.kind not in "biuf" for each in (x, y, z)):
        raise FormatError(Reason("landscape_shape", x=x.size, y=y.size, z=z.size))
    return Landscape(
        x=x,
        y=y,
        z=z,
        path_intervals=tuple(path.get("intervals", ())),
        path_x=_optional_array(points, "x"),
        path_y=_optional_array(points, "y"),
        path_z=_optional_array(points, "z"),
        convergence_point=_read_point(convergence) if convergence else None,
        decomposition=metadata.get("decomposition", ""),
        unit=metadata.get("unit", ""),
        step_per_epoch=metadata.get("step_per_epoch", 0),
        facts=_read_facts(message["facts"], z.shape, len(path.get("intervals", ()))) if "facts" in message else None,
    )


def _optional_array(points: Message, axis: str) -> NDArray[Any] | None:
    return decode_tensor(points[axis]).value if axis in points else None


def _read_point(point: Message) -> tuple[float, float, float] | None:
    """Return the point; None if a coordinate is an empty tensor. The point is optional."""
    x, y, z = (decode_tensor(point[axis]).value.reshape(-1) for axis in "xyz")
    return (float(x[0]), float(y[0]), float(z[0])) if x.size and y.size and z.size else None


def _read_facts(facts: Message, shape: tuple[int, ...], path: int) -> LandscapeFacts:
    """Return the facts; those that do not fit the landscape count as not known."""
    known: dict[str, Any] = dict(facts)
    for name in ("path_distances", "path_lengths"):
        if name in known:
            known[name] = np.array(known[name]) if len(known[name]) == path else None
    for name in ("explained_variance", "direction_products"):
        known[name] = tuple(map(float, known.get(name, ())))
    known["evaluated"] = _read_mask(known.get("evaluated", b""), shape)
    return LandscapeFacts(**known)


def _read_mask(packed: bytes, shape: tuple[int, ...]) -> NDArray[np.bool_] | None:
    count = math.prod(shape)
    if len(packed) != -(-count // 8) or not packed:
        return None
    return np.unpackbits(np.frombuffer(packed, np.uint8), count=count).astype(np.bool_).reshape(shape)


LANDSCAPE = KindDescriptor(Kind.LANDSCAPE, mindspore=mindspore_value(Kind.LANDSCAPE, _from_mindspore, 10))
