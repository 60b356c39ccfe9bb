# SPDX-License-Identifier: Apache-2.0
"""Weights that one training has as one tensor and the other as several."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from mindscope.debug.compare.names import plain_path
from mindscope.debug.model.tensors import DebugTensor, Role

_MOST_PARTS = 8


@dataclass(frozen=True, slots=True)
class Fused:
    """Tensors of the left source that together are those of the right one; one side has a single tensor."""

    left: tuple[int, ...]
    right: tuple[int, ...]


def match_fused(
    left: Sequence[int], left_tensors: Sequence[DebugTensor], right: Sequence[int], right_tensors: Sequence[DebugTensor]
) -> tuple[Fused, ...]:
    """Matches parameters and gradients by sums of their first dimensions.

    The parts, such as the weights of ``q``, ``k`` and ``v``, follow each other. They have the role and the further
    dimensions of the whole, and are in the scope around it.

    Args:
        left: indexes of tensors without a match, in the order of execution.
        left_tensors: all tensors of the left source.
        right: as ``left``, of the right source.
        right_tensors: all tensors of the right source.
    """
    splits = _splits(left, left_tensors, right, right_tensors)
    used = {part for _, parts in splits for part in parts}
    wholes = {whole for whole, _ in splits}
    fusions = _splits(
        [each for each in right if each not in used], right_tensors,
        [each for each in left if each not in wholes], left_tensors,
    )  # fmt: skip
    return tuple(
        [Fused((whole,), parts) for whole, parts in splits] + [Fused(parts, (whole,)) for whole, parts in fusions]
    )


def _splits(
    wholes: Sequence[int],
    whole_tensors: Sequence[DebugTensor],
    parts: Sequence[int],
    part_tensors: Sequence[DebugTensor],
) -> list[tuple[int, tuple[int, ...]]]:
    """Pair each whole with the parts that have its shape together."""
    groups: dict[tuple[Role, tuple[int, ...], bool], list[int]] = defaultdict(list)
    for index in parts:
        tensor = part_tensors[index]
        if tensor.shape:
            groups[tensor.role, tensor.shape[1:], "bias" in tensor.slot].append(index)
    used: set[int] = set()
    found: list[tuple[int, tuple[int, ...]]] = []
    for whole in wholes:
        tensor = whole_tensors[whole]
        if not tensor.shape:
            continue
        group = groups.get((tensor.role, tensor.shape[1:], "bias" in tensor.slot), [])
        free = [each for each in group if each not in used and _is_near(tensor, part_tensors[each])]
        run = _run_of_sum([(part_tensors[each].shape or (0,))[0] for each in free], tensor.shape[0])
        if run is not None:
            taken = tuple(free[run[0] : run[1]])
            used.update(taken)
            found.append((whole, taken))
    return found


def _is_near(whole: DebugTensor, part: DebugTensor) -> bool:
    """Return whether a part is below the scope of the whole, ``attention.in_proj`` beside ``attention.q_proj``."""
    scope = plain_path(whole.module)
    outer = scope.rpartition(".")[0]
    path = plain_path(part.module)
    return path == scope or path.startswith(scope + ".") or (path.rpartition(".")[0] == outer)


def _run_of_sum(sizes: Sequence[int], total: int) -> tuple[int, int] | None:
    """Return the first 2 to 8 sizes in a row that add up to a total."""
    for start in range(len(sizes)):
        reached = 0
        for end in range(start, min(start + _MOST_PARTS, len(sizes))):
            reached += sizes[end]
            if reached == total and end > start:
                return start, end + 1
    return None
