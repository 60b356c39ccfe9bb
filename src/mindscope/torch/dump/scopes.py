# SPDX-License-Identifier: Apache-2.0
"""Full names of operators, with the scopes of MindSpore.

``Default/_backbone-Net/conv1-Conv2d/convolution-op0`` runs in the module ``conv1``, and
``Gradients/Default/_backbone-Net/conv1-Conv2d/Grad_convolution/convolution_backward-op0`` computes its gradient.
``Default/optimizer-SGD/...`` is of an optimizer.
"""

from __future__ import annotations

from collections.abc import Mapping

from mindscope.debug.model.tensors import Phase
from mindscope.torch.core.operator_calls import OperatorCall


class FullNames:
    """Numbers operators within an iteration: the second ``addmm`` of a scope is ``addmm-op1``.

    Args:
        classes: class of each module, by path; the network has the path "".
    """

    def __init__(self, classes: Mapping[str, str]) -> None:
        self._classes = classes
        self._scopes: dict[tuple[str, bool], str] = {}
        self._numbers: dict[str, int] = {}
        self.order: list[str] = []
        """The names of the iteration, in the order of execution."""

    def begin_iteration(self) -> None:
        """Number from 0."""
        self._numbers.clear()
        self.order = []

    def name(self, call: OperatorCall) -> str:
        """Return the name of an operator that runs now."""
        prefix = f"{self._scope(call)}/{call.type}"
        number = self._numbers.get(prefix, 0)
        self._numbers[prefix] = number + 1
        name = f"{prefix}-op{number}"
        self.order.append(name)
        return name

    def _scope(self, call: OperatorCall) -> str:
        if call.phase is Phase.OPTIMIZER:
            return f"Default/optimizer-{call.optimizer}"
        scope = self._module_scope(call.module, call.is_in_network)
        if call.phase is Phase.FORWARD:
            return scope
        if call.parameter:
            return f"Gradients/{scope}/AccumulateGrad_{call.parameter}"
        return f"Gradients/{scope}/Grad_{call.forward.type}" if call.forward is not None else f"Gradients/{scope}"

    def _module_scope(self, path: str, is_in_network: bool) -> str:
        scope = self._scopes.get((path, is_in_network))
        if scope is None:
            scope = self._scopes[path, is_in_network] = self._joined(path) if is_in_network else "Default"
        return scope

    def _joined(self, path: str) -> str:
        parts = path.split(".") if path else []
        scopes = [f"{part}-{self._classes.get('.'.join(parts[: end + 1]), 'Module')}" for end, part in enumerate(parts)]
        return "/".join(("Default", f"_backbone-{self._classes.get('', 'Module')}", *scopes))
