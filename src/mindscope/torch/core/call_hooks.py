# SPDX-License-Identifier: Apache-2.0
"""Functions that are called before and after each call of a module, also of one that ``module.compile()`` compiled."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch
from torch import nn
from torch.utils.hooks import RemovableHandle

Begin = Callable[[nn.Module, tuple[Any, ...], dict[str, Any]], object]
"""Gets the module and its arguments."""
End = Callable[[nn.Module, Any], object]
"""Gets the module and its outputs; None if it raised an error."""
_IMPLEMENTATION = "_compiled_call_impl"
_log = logging.getLogger(__name__)


def takes_hooks(module: nn.Module) -> bool:
    """Return whether functions can be called around a module; a module of TorchScript refuses them."""
    return not isinstance(module, torch.jit.ScriptModule)


class Hook:
    """A hook of a module; it does nothing where torch traces the module, and in copies of it, pickled or not.

    Args:
        call: gets what the hook gets; its result is left out.
        is_compiled: whether the function is compiled with the module, instead of not being called where that is.
    """

    def __init__(self, call: Callable[..., object], *, is_compiled: bool = False) -> None:
        self._call, self._is_compiled = call, is_compiled

    def __call__(self, *args: Any) -> None:
        """Call the function."""
        if torch.compiler.is_compiling():
            if self._is_compiled:
                self._call(*args)
        elif not torch.jit.is_tracing():  # pyright: ignore[reportPrivateImportUsage]
            self._call(*args)

    def __reduce__(self) -> Any:
        """Return a method that does nothing and that every Python has, so that a copy needs no mindscope."""
        return getattr, (nullcontext(), "__exit__")


class CallHooks:
    """Hooks of modules until ``remove``. They do nothing where ``torch.compile`` traces a module."""

    def __init__(self) -> None:
        self._handles: list[RemovableHandle] = []
        self._compiled: list[tuple[nn.Module, _CompiledCall]] = []
        self._is_warned = False
        self.was_called = False
        """Whether one of the modules was called; a reader sets it back."""
        self.before_first: Callable[[], object] = lambda: None
        """Runs before the first call after ``was_called`` was set back; it must not raise."""

    def add(self, module: nn.Module, begin: Begin, end: End) -> None:
        """Have functions called at each call of a module; neither may raise.

        A module of TorchScript refuses hooks. The first one is told in the log.
        """
        if not takes_hooks(module):
            if not self._is_warned:
                self._is_warned = True
                _log.warning(
                    "%s is a module of TorchScript, which takes no hooks: what the module around it gets and returns "
                    "is recorded, and its operators where operators are", getattr(module, "original_name", "a part"),
                )  # fmt: skip
            return

        def begin_call(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            if not self.was_called:
                self.was_called = True
                self.before_first()
            begin(module, args, kwargs)

        called = getattr(module, _IMPLEMENTATION, None)
        if called is not None:  # compiled together with its hooks, so that these see nothing
            call = _CompiledCall(module, called, begin_call, end)
            setattr(module, _IMPLEMENTATION, call)
            self._compiled.append((module, call))
            return

        def end_call(module: nn.Module, args: Any, outputs: Any) -> None:
            end(module, outputs)

        self._handles.append(module.register_forward_pre_hook(Hook(begin_call), prepend=True, with_kwargs=True))
        self._handles.append(module.register_forward_hook(Hook(end_call), always_call=True))

    def remove(self) -> None:
        """Remove all hooks."""
        for handle in self._handles:
            handle.remove()
        for module, call in self._compiled:
            call.is_followed = False  # it stays where another one wraps it
            if getattr(module, _IMPLEMENTATION, None) is call:
                setattr(module, _IMPLEMENTATION, call.called)
        self._handles.clear()
        self._compiled.clear()


class _CompiledCall:
    """The function that a compiled module calls in place of its compiled code."""

    def __init__(self, module: nn.Module, called: Any, begin: Begin, end: End) -> None:
        self._module, self.called, self._begin, self._end = module, called, begin, end
        self.is_followed = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if torch.compiler.is_compiling() or not self.is_followed:
            return self.called(*args, **kwargs)
        self._begin(self._module, args, kwargs)
        outputs = None
        try:
            outputs = self.called(*args, **kwargs)
        finally:
            self._end(self._module, outputs)
        return outputs
