# SPDX-License-Identifier: Apache-2.0
"""Finds the scopes of a graph that are modules of a network, by their paths."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mindscope.debug.compare.names import plain_path

_CELL = re.compile(r"(?P<name>.+)-(?P<class>\w+)", re.ASCII)
_TRACED = re.compile(r"(?P<class>.+)\[(?P<name>.*)\]")
_CONTAINERS = ("ModuleList", "ModuleDict")
"""Types that never run, so a trace calls the scope of a module in them by its own name only."""
_NETWORKS = ("_backbone",)
"""Names of the network in a cell that computes a loss."""
_LOSS = "_loss_fn"
_GRADIENTS = "Gradients"
"""The outermost scope of the backward pass of MindSpore."""
_GRADIENT = "Grad_"
"""Begins the scope of what computes the gradient of one operator."""


@dataclass(slots=True)
class ModuleScopes:
    """The scopes of each module of a network.

    ``Default/conv1-Conv2d``, ``Net/Conv2d[conv1]`` and ``conv1`` are scopes of the module ``conv1``.
    """

    networks: list[int]
    """Scopes that are the network itself, or around it."""
    _by_path: dict[str, list[int]]
    _of_gradients: dict[str, list[int]]
    _containers: frozenset[str]

    @classmethod
    def of(cls, paths: Sequence[str], parents: Sequence[int], modules: Iterable[str]) -> ModuleScopes:
        """Reads the paths of scopes.

        Args:
            paths: (k,) of the scopes of a graph, the root first; each other one comes after its parent.
            parents: (k,) rows of the scopes around them.
            modules: paths of modules. An outermost scope without one of their first names is the network.
        """
        firsts = {path.partition(".")[0] for path in modules}
        names: list[tuple[str, ...]] = [()]
        found = cls([0], {}, {}, frozenset())
        containers: set[str] = set()
        for scope in range(1, len(paths)):
            label, above = paths[scope].rpartition("/")[2], names[parents[scope]]
            traced = _TRACED.fullmatch(label)
            match = traced or _CELL.fullmatch(label)
            is_network = match is None and parents[scope] == 0 and label.partition(".")[0] not in firsts
            own = match["name"] if match else "" if is_network else label
            names.append(above if own.startswith(_GRADIENT) or not own else _within(above, own))
            if not own.startswith(_GRADIENT):
                found._add(scope, ".".join(names[scope]), is_of_gradients=paths[scope].startswith(_GRADIENTS))
            if traced and traced["class"] in _CONTAINERS:
                containers.add(".".join(names[scope]))
        found._containers = frozenset(containers)
        return found

    def _add(self, scope: int, path: str, *, is_of_gradients: bool) -> None:
        if path:
            (self._of_gradients if is_of_gradients else self._by_path).setdefault(path, []).append(scope)
        elif not is_of_gradients:
            self.networks.append(scope)

    def find(self, module: str, *, is_backward: bool) -> list[int]:
        """Return the scopes of a module, or else of the nearest module around it that has scopes; none for the network.

        Of the backward pass: those of its own, where the graph has some.
        """
        while module:
            for path in (module, plain_path(module)):
                found = [*self._by_path.get(path, ()), *self._traced(path)]
                if is_backward:
                    found = self._of_gradients.get(path, found)
                if found:
                    return found
            module = module.rpartition(".")[0]
        return []

    def _traced(self, module: str) -> list[int]:
        """Return the scopes that a trace calls by the path without containers."""
        names = module.split(".")
        kept = [name for depth, name in enumerate(names, 1) if ".".join(names[:depth]) not in self._containers]
        return self._by_path.get(".".join(kept), []) if 0 < len(kept) < len(names) else []


def _within(above: tuple[str, ...], own: str) -> tuple[str, ...]:
    if own in _NETWORKS:
        return ()
    if own == _LOSS:
        return (own,)
    is_repeated = above and own.startswith(f"{above[-1]}.")  # as in blocks/blocks.0
    return (*above[:-1], own) if is_repeated else (*above, own)
