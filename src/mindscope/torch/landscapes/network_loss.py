# SPDX-License-Identifier: Apache-2.0
"""The loss of a network over a batch as a function of its weights."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from mindscope.torch.core.batches import call, first_output, split_label
from mindscope.torch.core.devices import device_of
from mindscope.torch.core.evaluation_mode import evaluating
from mindscope.torch.core.naming import plain_network
from mindscope.torch.core.network_copy import network_copy
from mindscope.torch.core.random_state import kept_random_state
from mindscope.torch.landscapes.statistics import estimating, layers_with_statistics, normalization_names
from mindscope.torch.summary.operator_hooks import isolated_values

Tensors = dict[str, Tensor]
LossFunction = Callable[[Any, Any], Any]
_HALF = (torch.bfloat16, torch.float16)


class NetworkLoss:
    """A network with its loss function, as functions of weights and buffers; the network itself doesn't change.

    Args:
        network: computes predictions; without ``loss_fn`` its first output is its loss for a whole batch.
        loss_fn: called as ``loss_fn(prediction, label)``; the label is the last column of a batch.
        dtype: of the computation, None for that of the network. In half precision, normalization layers keep theirs,
            and predictions are float32 for ``loss_fn``.

    Raises:
        TypeError: no network, or one of TorchScript.
        ValueError: it has no trainable parameters, or complex ones.
    """

    def __init__(self, network: nn.Module, loss_fn: LossFunction | None, dtype: torch.dtype | None = None) -> None:
        if not isinstance(cast(Any, network), nn.Module):
            raise TypeError(
                f"network is {type(network).__name__}, want a torch.nn.Module or a function that returns one"
            )
        plain = plain_network(network)
        if isinstance(plain, torch.jit.ScriptModule):
            raise TypeError("network is a TorchScript module, whose weights can't be replaced; give its Python module")
        self.network = network_copy(plain)
        """A copy, which shares parameters and buffers."""
        self.loss_fn = network_copy(loss_fn) if isinstance(loss_fn, nn.Module) else loss_fn
        self.device = device_of(self.network)
        self.dtype = dtype
        kept = normalization_names(self.network) if dtype in _HALF else set[str]()
        parameters = dict(self.network.named_parameters())
        self._slots = _slots(self.network)
        self._buffers = {name: each.detach() for name, each in self.network.named_buffers()}
        """Buffers of the network itself, by name."""
        state = {
            name: each.detach() if name in kept else to_dtype(each.detach(), dtype)
            for name, each in [*parameters.items(), *((name, buffer.clone()) for name, buffer in self._buffers.items())]
        }
        self.trainable: Tensors = {
            name: state[name] for name, parameter in parameters.items() if parameter.requires_grad
        }
        """Trainable parameters by name; a shared parameter is there once."""
        self.constants: Tensors = {name: value for name, value in state.items() if name not in self.trainable}
        """Frozen parameters and buffers."""
        self._versions = {name: self.constants[name]._version for name in self._buffers}
        if not self.trainable:
            raise ValueError("network has no trainable parameters, want some with requires_grad=True")
        if any(each.is_complex() for each in self.trainable.values()):
            raise ValueError("network has complex parameters, want real ones")

    def loss(self, weights: Mapping[str, Tensor], buffers: Mapping[str, Tensor], element: Any) -> Tensor:
        """Return the loss of one batch, a tensor without dimensions. Wants ``evaluating``."""
        if self.loss_fn is None:
            return first_output(self._called_for_loss(weights, buffers, element))
        inputs, label = split_label(element)
        outputs = self._called(weights, buffers, (inputs,) if isinstance(inputs, Tensor) else inputs)
        loss = self.loss_fn(pytree.tree_map_only(Tensor, _whole_precision, outputs), label)
        return loss if isinstance(loss, Tensor) and loss.ndim == 0 else first_output(loss, "loss_fn")

    def _called_for_loss(self, weights: Mapping[str, Tensor], buffers: Mapping[str, Tensor], element: Any) -> Any:
        try:
            return self._called(weights, buffers, element)
        except TypeError as error:
            name = type(self.network).__name__
            raise TypeError(
                f"{name} can't be called with a whole batch: {error}; give a loss function, or a network that takes "
                "the batch and returns its loss"
            ) from error

    def batch_statistics(self, weights: Mapping[str, Tensor], element: Any) -> Tensors:
        """Return the running statistics that normalization layers would keep after this batch alone."""
        with estimating(self.statistics_layers()) as found:
            inputs = split_label(element)[0] if self.loss_fn is not None else element
            self._called(weights, {}, (inputs,) if isinstance(inputs, Tensor) else inputs)
        return found

    def statistics_layers(self) -> dict[str, Any]:
        """Return layers with running statistics, by name."""
        return layers_with_statistics(self.network)

    @property
    def computation_dtype(self) -> torch.dtype:
        """Dtype of the computation: the given one, else that of the largest weight."""
        return self.dtype or max(self.trainable.values(), key=Tensor.numel).dtype

    @contextmanager
    def evaluating(self) -> Generator[None]:
        """Yield evaluation mode without gradients.

        Summary operators record nothing, and random numbers are not used up.
        """
        with evaluating(self.network), torch.no_grad(), isolated_values(), kept_random_state(self.device):
            yield

    def _called(self, weights: Mapping[str, Tensor], buffers: Mapping[str, Tensor], inputs: Any) -> Any:
        values = {**self.constants, **weights, **buffers}
        state = {slot: values[name] for slot, name in self._slots.items()}
        inputs = pytree.tree_map_only(Tensor, self._input, inputs)

        def network(*args: Any, **kwargs: Any) -> Any:
            # with tie_weights, PyTorch doesn't restore the parameters of a module that has two names
            return torch.func.functional_call(self.network, state, args, kwargs, tie_weights=False)

        try:
            return call(network, inputs)
        finally:
            self._restore_buffers()

    def _restore_buffers(self) -> None:
        """Undo what a call changed, such as a counter of calls: the next loss must not depend on it."""
        for name, version in self._versions.items():
            buffer = self.constants[name]
            if buffer._version != version:
                buffer.copy_(self._buffers[name])
                self._versions[name] = buffer._version

    def _input(self, tensor: Tensor) -> Tensor:
        return to_dtype(tensor, self.dtype)


def _slots(network: nn.Module) -> dict[str, str]:
    """Return the name of the tensor in each attribute of the modules; a tied weight is in several attributes."""
    plain: Any = network
    names = {id(each): name for name, each in [*plain.named_parameters(), *plain.named_buffers()]}
    return {
        f"{module_name}.{key}" if module_name else key: names[id(tensor)]
        for module_name, module in plain.named_modules()
        for key, tensor in [*module._parameters.items(), *module._buffers.items()]
        if tensor is not None
    }


def to_dtype(tensor: Tensor, dtype: torch.dtype | None) -> Tensor:
    """Return floating numbers in this dtype."""
    return tensor.to(dtype) if dtype is not None and tensor.is_floating_point() else tensor


def _whole_precision(tensor: Tensor) -> Tensor:
    """Return a loss in whole precision: one in half precision would have three digits."""
    return tensor.float() if tensor.dtype in _HALF else tensor
