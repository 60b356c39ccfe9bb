# SPDX-License-Identifier: Apache-2.0
"""Tensors: an array of any shape for each step."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np

from mindscope.formats import mindspore_tensors, tensorboard_tensors
from mindscope.formats.kinds.descriptor import KindDescriptor, NamedBytes, mindspore_value, tensorboard_value
from mindscope.formats.portable_array import portable_array
from mindscope.types import Kind, Message, Tensor


def tensor_from_tensorboard(value: Message) -> Tensor:
    return Tensor(tensorboard_tensors.decode_tensor(value["tensor"]))


def _from_mindspore(value: Message) -> Tensor:
    return mindspore_tensors.decode_tensor(value["tensor"])


def _to_files(tensor: Tensor) -> Iterator[NamedBytes]:
    buffer = io.BytesIO()
    np.save(buffer, portable_array(tensor.value), allow_pickle=False)
    yield ".npy", buffer.getvalue()


TENSOR = KindDescriptor(
    Kind.TENSOR,
    tensorboard=tensorboard_value(Kind.TENSOR, tensor_from_tensorboard, 8),
    mindspore=mindspore_value(Kind.TENSOR, _from_mindspore, 8),
    has_progress=True,
    export_directory="tensors",
    to_files=_to_files,
)
