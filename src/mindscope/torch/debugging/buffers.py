# SPDX-License-Identifier: Apache-2.0
"""Selects buffers and frozen parameters to read in a step, and to record: those that are, or were, not finite."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from torch import Tensor, nn

from mindscope.torch.core.naming import plain_path
from mindscope.torch.debugging._step_rows import sample_of
from mindscope.torch.debugging.step_vectors import PLAIN_TYPES

State = tuple[int, int, int]
"""Identity of a tensor, its number of changes, and a sample of its elements."""


class WatchedTensor:
    """A buffer or a parameter over all steps. What was read becomes known later, on another thread."""

    def __init__(self) -> None:
        self.reads = 0
        """The number of its reads."""
        self._state: State | None = None  # when it was last read; None where changes can't be seen
        self._is_finite = False  # what was last read; False until it is known
        self._was_bad = False  # in any step

    def needs_read(self, tensor: Tensor, *, is_forced: bool = False) -> bool:
        """Return whether to read it now: not if it was finite and did not change since, unless it ``is_forced``."""
        state = state_of(tensor)
        if not is_forced and self._is_finite and state is not None and state == self._state:
            return False
        self._state, self._is_finite = state, False
        self.reads += 1
        return True

    def end_read(self, read: int, *, is_finite: bool) -> bool:
        """Take in what the read of a number gave; return whether to record it."""
        self._was_bad |= not is_finite
        if read == self.reads:
            self._is_finite = not self._was_bad
        return self._was_bad


class WatchedBuffers:
    """The buffers of a network, by path of the module and name."""

    def __init__(self) -> None:
        self._buffers: defaultdict[tuple[str, str], WatchedTensor] = defaultdict(WatchedTensor)

    def to_read(
        self, path: str, module: nn.Module, *, is_compiled: bool
    ) -> Iterator[tuple[str, Tensor, WatchedTensor]]:
        """Name and buffer of those of a module that are read now; of a compiled one also those inside of it."""
        for name, tensor in module.named_buffers(recurse=is_compiled):
            if tensor.is_floating_point() or tensor.is_complex():
                buffer = self._buffers[path, name]
                if buffer.needs_read(tensor):
                    yield plain_path(name), tensor, buffer


def state_of(tensor: Tensor) -> State | None:
    """Return what changes with nearly every write; None where writes by aliases can't be seen."""
    sample = None if tensor.is_inference() else sample_of(tensor, PLAIN_TYPES)
    return None if sample is None else (id(tensor), tensor._version, sample)
