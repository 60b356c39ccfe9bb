# SPDX-License-Identifier: Apache-2.0
"""Settings of TensorBoard's plugins: hyperparameters and the layout of custom scalars."""

from __future__ import annotations

from mindscope.formats import wire
from mindscope.formats.kinds.descriptor import KindDescriptor, tensorboard_value
from mindscope.formats.tensorboard_schemas import HPARAMS as HPARAMS_MESSAGE
from mindscope.formats.tensorboard_schemas import LAYOUT
from mindscope.formats.tensorboard_tensors import decode_strings
from mindscope.types import Kind, Message


def _decode_hparams(value: Message) -> Message:
    return wire.decode(HPARAMS_MESSAGE, value["metadata"]["plugin_data"].get("content", b""))


def _decode_layout(value: Message) -> Message:
    return wire.decode(LAYOUT, decode_strings(value["tensor"])[0])


HPARAMS = KindDescriptor(
    Kind.HPARAMS, tensorboard=tensorboard_value(Kind.HPARAMS, _decode_hparams), plugins=("hparams",)
)
CUSTOM_SCALARS = KindDescriptor(
    Kind.CUSTOM_SCALARS,
    tensorboard=tensorboard_value(Kind.CUSTOM_SCALARS, _decode_layout),
    plugins=("custom_scalars",),
)
