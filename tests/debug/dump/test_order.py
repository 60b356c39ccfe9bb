# SPDX-License-Identifier: Apache-2.0
"""The order of execution of several iterations."""

from __future__ import annotations

import pytest

from mindscope.debug.dump.dump_writer import merged_order


@pytest.mark.parametrize(
    ("known", "order", "want"),
    [
        ([], ["a", "b"], ["a", "b"]),
        (["a", "b"], ["a", "b"], ["a", "b"]),
        (["a", "b"], ["a", "x", "y", "b", "z"], ["a", "x", "y", "b", "z"]),
        (["a", "b"], ["x", "b"], ["x", "a", "b"]),
        (["a", "b", "c"], ["c", "x", "a", "y"], ["a", "y", "b", "c", "x"]),
    ],
)
def test_a_new_name_stands_after_the_one_before_it(known: list[str], order: list[str], want: list[str]) -> None:
    assert merged_order(known, order) == want
