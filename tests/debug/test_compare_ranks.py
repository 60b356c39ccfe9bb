# SPDX-License-Identifier: Apache-2.0
"""Where the ranks of one training part, over hand-made statistics."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from mindscope.debug.compare import compare_ranks
from mindscope.debug.model.array_statistics import array_statistics
from mindscope.debug.model.loaded import LoadedSource
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensors import DebugTensor, Phase, Role

NAMES = ("fc1", "fc2", "fc3")
TENSORS = [
    DebugTensor(name, "Linear", phase, role, "weight", dtype="float32")
    for name in NAMES
    for phase, role in ((Phase.BACKWARD, Role.GRADIENT), (Phase.OPTIMIZER, Role.PARAMETER))
]


def source(shift: NDArray[np.float64], has_digests: bool = True, without: tuple[int, int] = (-1, -1)) -> LoadedSource:
    """Statistics of tensors to which ``shift`` was added, shape (steps, ranks, tensors).

    Args:
        without: a rank and a tensor that it does not have.
    """
    recorded: list[StepStatistics] = []
    for step, ranks in enumerate(shift, start=1):
        for rank, added in enumerate(ranks):
            own = [place for place in range(len(TENSORS)) if (rank, place) != without]
            arrays = [np.arange(6.0) + place + added[place] for place in own]
            digest = [abs(hash(each.tobytes())) if has_digests else 0 for each in arrays]
            recorded.append(
                StepStatistics(
                    step,
                    rank,
                    np.array(own, np.int32),
                    np.arange(len(own), dtype=np.int32),
                    np.stack([array_statistics(each, "float32") for each in arrays]),
                    np.array(digest, np.uint64),
                )
            )
    return LoadedSource(TENSORS, recorded)


def shifts(*places: tuple[int, int, int], ranks: int = 3, by: float = 0.5) -> NDArray[np.float64]:
    """Of 4 steps: ``by`` at each (step, rank, tensor)."""
    found = np.zeros((4, ranks, len(TENSORS)))
    for step, rank, tensor in places:
        found[step - 1, rank, tensor] = by
    return found


@pytest.mark.parametrize("has_digests", [True, False])
def test_the_step_the_parameter_and_the_odd_rank_are_found(has_digests: bool) -> None:
    found = compare_ranks(source(shifts((3, 1, 3), (3, 1, 2), (3, 1, 5), (4, 0, 1)), has_digests))
    assert found is not None
    assert (found.step, found.parameter, found.groups) == (3, "fc2.weight", ((0, 2), (1,)))
    assert (found.parameters, found.compared) == (("fc2.weight", "fc3.weight"), 3)
    assert (found.has_other_gradient, found.are_replicas) == (True, True)
    assert found.text == (
        f"After step 3, fc2.weight differs between ranks 0, 2 and rank 1, relative error {found.error:.3g}; so does "
        "fc3.weight. Its gradient differs too: a rank used it before it was reduced over all ranks."
    )


def test_gradients_that_differ_alone_are_no_difference() -> None:
    assert compare_ranks(source(shifts((2, 1, 2)))) is None


def test_equal_gradients_blame_the_optimizer() -> None:
    found = compare_ranks(source(shifts((2, 0, 1))))
    assert found is not None
    assert found.has_other_gradient is False
    assert found.text.endswith("the optimizers, or what changed the parameter after them, differ.")


def test_shards_are_no_replicas() -> None:
    found = compare_ranks(source(shifts(*((step, 1, tensor) for step in range(1, 5) for tensor in range(6)))))
    assert found is not None
    assert not found.are_replicas
    assert found.text.startswith("3 of 3 parameters differ between ranks from the first recorded step on: ")


def test_bytes_alone_are_a_difference_without_an_error() -> None:
    data = source(shifts())
    odd = data.at(2, 1)
    odd.digest[3] += 1
    found = compare_ranks(data)
    assert found is not None
    assert (found.step, found.parameter, found.error) == (2, "fc2.weight", 0.0)
    assert "differs between ranks 0, 2 and rank 1 in its bytes only" in found.text


def test_ranks_without_a_parameter_are_not_compared() -> None:
    found = compare_ranks(source(shifts((2, 2, 1)), without=(0, 1)))
    assert found is not None
    assert (found.parameter, found.groups) == ("fc1.weight", ((1,), (2,)))
    assert compare_ranks(source(shifts((2, 1, 1), ranks=2), without=(0, 1))) is None
    assert compare_ranks(source(shifts(ranks=1))) is None
