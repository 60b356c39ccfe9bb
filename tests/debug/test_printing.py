# SPDX-License-Identifier: Apache-2.0
"""Values as text, beside what MindSpore's Print shows in graph mode."""

from __future__ import annotations

import numpy as np
import pytest

from mindscope.debug import value_text


@pytest.mark.parametrize(("array", "name", "want"), [
    (np.ones([2, 1], np.int32), "Int32", "Tensor(shape=[2, 1], dtype=Int32, value=\n[[1]\n [1]])"),
    (np.array([True, False]), "Bool", "Tensor(shape=[2], dtype=Bool, value=[ True False])"),
    (np.array([[0, 3 / 7]], np.float32), "Float32",
     "Tensor(shape=[1, 2], dtype=Float32, value=\n[[ 0.00000000e+00  4.28571433e-01]])"),
    (np.ones(2, np.float16), "Float16", "Tensor(shape=[2], dtype=Float16, value=[ 1.0000e+00  1.0000e+00])"),
    (np.ones((2, 2, 2), np.uint8), "UInt8",
     "Tensor(shape=[2, 2, 2], dtype=UInt8, value=\n[[[1 1]\n  [1 1]]\n [[1 1]\n  [1 1]]])"),
    (np.array(3), "Int64", "Tensor(shape=[], dtype=Int64, value=3)"),
])  # fmt: skip
def test_shape_type_and_elements_are_shown(array: np.ndarray, name: str, want: str) -> None:
    assert value_text(array, name) == want


def test_of_many_elements_the_ends_are_shown() -> None:
    text = value_text(np.arange(2000, dtype=np.float32), "Float32")
    assert text.startswith("Tensor(shape=[2000], dtype=Float32, value=[ 0.00000000e+00  1.00000000e+00")
    assert " ... " in text
    assert text.endswith("1.99900000e+03])")
