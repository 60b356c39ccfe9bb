# SPDX-License-Identifier: Apache-2.0
"""Scopes of nodes from the paths of modules, in MindSpore's form: ``Default/layers-Sequential/0-Linear``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from torch import fx, nn

from mindscope.collector.structure import ROOT, scope_of

_WRAPPING = re.compile(r"L\['\w+'\]\.?|L__self___?")
_ENTRY = re.compile(r"\.?_modules\['([^']*)'\]|\['([^']*)'\]|\[(\d+)\]")


class Scopes:
    """Scopes by module path; ``module`` gives the classes along a path."""

    def __init__(self, module: nn.Module | None) -> None:
        modules: list[tuple[str, nn.Module]] = [] if module is None else [*cast(Any, module.named_modules())]
        self._classes = {path: type(each).__name__ for path, each in modules}

    def of(self, node: fx.Node) -> str:
        """Return the scope of a node; nodes of a backward pass are below ``Gradients``."""
        stack = node.meta.get("nn_module_stack")
        if stack:
            return self._of_stack(stack)
        forward = node.meta.get("fwd_nn_module_stack")
        return f"Gradients/{self._of_stack(forward)}" if forward else ROOT

    def _of_stack(self, stack: Mapping[str, Any]) -> str:
        classes = {_clean(str(path)): _class_name(owner) for path, owner in stack.values()}
        return self.of_path(list(classes)[-1], classes)

    def of_path(self, path: str, classes: Mapping[str, str] | None = None) -> str:
        """Return the scope of a module path such as ``layers.0``."""
        return scope_of(path, {**self._classes, **(classes or {})})


def _clean(path: str) -> str:
    """Return a path as ``named_modules`` writes it, out of one that Dynamo made of source text."""
    return _ENTRY.sub(
        lambda match: "." + next(group for group in match.groups() if group), _WRAPPING.sub("", path)
    ).strip(".")


def _class_name(owner: Any) -> str:
    return owner.rsplit(".", 1)[-1] if isinstance(owner, str) else str(owner.__name__)
