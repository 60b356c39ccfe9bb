# SPDX-License-Identifier: Apache-2.0
"""Kinds that TensorBoard stores as plain tensors: PR curves and meshes."""

from __future__ import annotations

from mindscope.formats.kinds.descriptor import KindDescriptor, tensorboard_value
from mindscope.formats.kinds.tensor import tensor_from_tensorboard
from mindscope.types import Kind

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
