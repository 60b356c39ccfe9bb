# SPDX-License-Identifier: Apache-2.0
"""Scalars: a number for each step."""

from __future__ import annotations

import numpy as np

from mindscope.errors import FormatError
from mindscope.formats.kinds.descriptor import KindDescriptor, mindspore_value, tensorboard_value
from mindscope.formats.tensorboard_tensors import decode_tensor
from mindscope.reasons import Reason
from mindscope.types import Kind, Message


def _from_tensorboard(value: Message) -> float:
    if "simple_value" in value:
        return value["simple_value"]
    array = decode_tensor(value["tensor"])
    if array.size != 1 or array.dtype == object:
        raise FormatError(Reason("scalar_shape", tag=value.get("tag", ""), shape=str(array.shape)))
    return float(array.reshape(-1)[0])


def _from_mindspore(value: Message) -> float:
    return exact_scalar(value["scalar_value"], value.get("exact_scalar_value", value["scalar_value"]))


def exact_scalar(scalar: float, exact: float) -> float:
    """Return ``exact`` if it rounds to ``scalar``, else ``scalar``: another program may use the field for something
    else.
    """
    with np.errstate(over="ignore"):
        return exact if np.float32(exact) == np.float32(scalar) else scalar


SCALAR = KindDescriptor(
    Kind.SCALAR,
    tensorboard=tensorboard_value(Kind.SCALAR, _from_tensorboard, 2),
    mindspore=mindspore_value(Kind.SCALAR, _from_mindspore, 3),
    plugins=("scalars",),
    has_progress=True,
)
