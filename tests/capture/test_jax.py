# SPDX-License-Identifier: Apache-2.0
"""Arrays of JAX that have no numbers."""

from __future__ import annotations

import pytest

from mindscope.capture.array_conversion import to_array, to_scalar
from mindscope.errors import ValueRejectedError

pytestmark = pytest.mark.framework


def test_a_traced_array_has_no_numbers() -> None:
    jax = pytest.importorskip("jax")
    refusals: list[str] = []

    def loss(weights: object) -> object:
        for convert in (to_scalar, to_array):
            with pytest.raises(ValueRejectedError) as caught:
                convert(jax.numpy.sum(weights))
            refusals.append(str(caught.value))
        return jax.numpy.sum(weights)

    for transform in (jax.jit, jax.vmap):
        transform(loss)(jax.numpy.ones(3))
    assert len(refusals) >= 4
    assert all("of JAX, which has no numbers while jit or vmap traces a function" in said for said in refusals)


@pytest.mark.parametrize("convert", [to_scalar, to_array])
def test_a_deleted_array_has_no_numbers(convert: object) -> None:
    jax = pytest.importorskip("jax")
    kept, deleted = jax.numpy.ones(1), jax.numpy.ones(1)
    assert convert(kept) == 1.0
    deleted.delete()
    with pytest.raises(ValueRejectedError, match="an array of JAX that was deleted or donated to a jitted function"):
        convert(deleted)


def test_a_scalar_of_several_elements_is_no_deleted_one() -> None:
    jax = pytest.importorskip("jax")
    with pytest.raises(ValueRejectedError, match="want exactly one element"):
        to_scalar(jax.numpy.ones(2))
