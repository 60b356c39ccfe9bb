# SPDX-License-Identifier: Apache-2.0
"""Encodes loss landscapes as messages."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from mindscope.capture.messages import message_bytes
from mindscope.capture.tensors import tensor_message
from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import SCHEMAS
from mindscope.types import Landscape, LandscapeFacts, Message

LOSS_LANDSCAPE = SCHEMAS["LossLandscape"]
_LISTS = ("path_distances", "path_lengths", "explained_variance", "direction_products")


def landscape_bytes(value: Any) -> bytes:
    """Return the encoded ``LossLandscape`` of a Landscape, or of a message in any form that ``message_bytes``
    accepts.
    """
    if isinstance(value, Landscape):
        return wire.encode(LOSS_LANDSCAPE, landscape_message(value))
    return message_bytes(LOSS_LANDSCAPE, value)


def landscape_message(value: Landscape) -> Message:
    """Return the message of ``value``, without parts that it does not have."""
    message: Message = {
        "landscape": _point(value.x, value.y, value.z),
        "metadata": {
            "decomposition": value.decomposition,
            "unit": value.unit,
            "step_per_epoch": value.step_per_epoch,
        },
    }
    if value.path_x is not None and value.path_y is not None and value.path_z is not None:
        points = _point(value.path_x, value.path_y, value.path_z)
        message["loss_path"] = {"intervals": list(value.path_intervals), "points": points}
    if value.convergence_point is not None:
        message["convergence_point"] = _point(*(np.array([number]) for number in value.convergence_point))
    if value.facts is not None:
        message["facts"] = _facts(value.facts)
    return message


def _facts(facts: LandscapeFacts) -> Message:
    """Return the known facts. The mask is one bit a point, the first point in the highest bit of the first byte."""
    known = {field.name: getattr(facts, field.name) for field in fields(facts)}
    arrays = {name: list(map(float, known[name])) for name in _LISTS if known[name] is not None}
    mask = {} if facts.evaluated is None else {"evaluated": np.packbits(facts.evaluated).tobytes()}
    return {name: value for name, value in (known | arrays | mask).items() if value not in ("", None, ())}


def _point(x: Any, y: Any, z: Any) -> Message:
    return {axis: tensor_message(np.asarray(numbers)) for axis, numbers in zip("xyz", (x, y, z), strict=True)}
