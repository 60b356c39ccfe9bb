# SPDX-License-Identifier: Apache-2.0
"""Selects the tensors of a source that a person wants to see, by their texts, phase and role."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope import search_regex
from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from mindscope.errors import DebugDataError


@dataclass(frozen=True, slots=True)
class TensorFilter:
    """Conditions of which all must hold; the empty one takes every tensor."""

    words: tuple[str, ...] = ()
    """Words, each of which occurs in one of the texts of the tensor, without regard to case."""
    regex: str = ""
    """Matches somewhere in operator, type, slot or dtype, without regard to case. In the syntax of RE2."""
    module: str = ""
    """A module: only its tensors and those of the modules in it."""
    phases: frozenset[Phase] = frozenset()
    """Phases of the tensors; empty for all."""
    roles: frozenset[Role] = frozenset()
    """Roles of the tensors; empty for all."""

    def mask(self, tensors: Sequence[DebugTensor]) -> NDArray[np.bool_]:
        """Return which tensors pass. Shape (tensors,). Raises DebugDataError for a wrong regular expression."""
        found = np.fromiter((self._has_kind(tensor) for tensor in tensors), np.bool_, len(tensors))
        words = [word.casefold() for word in self.words if word]
        if not words and not self.regex:
            return found
        texts = [text_of(tensor) for tensor in tensors]
        for word in words:
            found &= np.fromiter((word in text.casefold() for text in texts), np.bool_, len(texts))
        return found & _matches(self.regex, texts) if self.regex else found

    def _has_kind(self, tensor: DebugTensor) -> bool:
        return (
            (not self.phases or tensor.phase in self.phases)
            and (not self.roles or tensor.role in self.roles)
            and (not self.module or tensor.module == self.module or tensor.module.startswith(f"{self.module}."))
        )


def text_of(tensor: DebugTensor) -> str:
    """Return what is searched: operator, module, type, slot, dtype, each in a line of its own."""
    return "\n".join((tensor.operator, tensor.module, tensor.type, tensor.slot, tensor.dtype))


def _matches(regex: str, texts: Sequence[str]) -> NDArray[np.bool_]:
    valid = [text.encode("utf-8", "replace").decode() for text in texts]
    try:
        return search_regex.matches(regex, valid, ignores_case=True)
    except search_regex.RegexError as error:
        raise DebugDataError(f"regular expression {regex!r} is wrong: {error}") from error
