# SPDX-License-Identifier: Apache-2.0
"""Parses YAML to plain values, with limits: no Python objects, no exponential aliases, no deep nesting.

Values are those of PyYAML's safe loader, but with the numbers of YAML 1.2: ``1e-3`` is a number, ``1:30`` is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

from mindscope.errors import FormatError

MAX_NESTING = 50
MOST_VALUES = 20_000
"""Limit of values in a file, including those that aliases repeat."""
_FLOAT = re.compile(r"[-+]?(?:[0-9]+|[0-9]*\.[0-9]+|[0-9]+\.)[eE][-+]?[0-9]+$")
_TAG = "tag:yaml.org,2002:"
_PYTHON = re.compile(re.escape(_TAG) + r"python/[a-z/]+:?")
_MERGE = _TAG + "merge"


def parse_yaml(text: str) -> Any:
    """Return the value of a single-document text; None for an empty one. Raises FormatError."""
    yaml: Any = import_module("yaml")  # PyYAML has no type hints
    loader: Any = None
    try:
        loader = _loader()(text)
        node = _Composer(yaml, loader).document()
        return None if node is None else _Reader(loader).value(node, 0)
    except yaml.YAMLError as error:
        raise FormatError(_what(error)) from None
    finally:
        if loader is not None:
            loader.dispose()


def key_lines(text: str) -> dict[tuple[str, ...], int]:
    """Return the line, from 1, of each key of nested mappings by its path, for a text that ``parse_yaml`` accepted."""
    yaml: Any = import_module("yaml")
    lines: dict[tuple[str, ...], int] = {}
    open_nodes: list[_OpenNode] = []
    for event in yaml.parse(text, Loader=_loader()):
        if isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            open_nodes.pop()
        elif isinstance(event, yaml.NodeEvent):
            parent = open_nodes[-1] if open_nodes else _OpenNode((), is_mapping=False)
            path = parent.path_of(getattr(event, "value", None))
            if parent.has_key:
                lines.setdefault(path, event.start_mark.line + 1)
            if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                open_nodes.append(_OpenNode(path, isinstance(event, yaml.MappingStartEvent)))
    return lines


class _OpenNode:
    """A mapping or a sequence whose end did not come."""

    def __init__(self, path: tuple[str, ...], is_mapping: bool) -> None:
        self._path = self._child = path
        self._is_mapping = is_mapping
        self.has_key = False
        """Whether the newest node is a key of this mapping."""

    def path_of(self, text: str | None) -> tuple[str, ...]:
        """Return the path of the next node, whose key it is itself or came before."""
        if not self._is_mapping:
            return self._path
        self.has_key = not self.has_key
        if self.has_key:
            self._child = (*self._path, str(text))
        return self._child


@cache
def _loader() -> Any:
    """Return the safe loader, the C version if PyYAML has it, with the numbers of YAML 1.2."""
    yaml: Any = import_module("yaml")
    made: Any = type("_Loader", (getattr(yaml, "CSafeLoader", yaml.SafeLoader),), {})
    made.add_implicit_resolver(f"{_TAG}float", _FLOAT, list("-+.0123456789"))
    return made


def _what(error: Any) -> str:
    mark = getattr(error, "problem_mark", None)
    location = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    return f"{location}{getattr(error, 'problem', None) or error}"


class _Composer:
    """Composes events to nodes. PyYAML's own composer overflows the stack on a deeply nested file."""

    def __init__(self, yaml: Any, loader: Any) -> None:
        self._yaml = yaml
        self._loader = loader
        self._anchors: dict[str, Any] = {}
        self._count = 0

    def document(self) -> Any:
        """Return the root node of the document; None for an empty stream."""
        yaml = self._yaml
        self._next(yaml.StreamStartEvent)
        if isinstance(self._loader.peek_event(), yaml.StreamEndEvent):
            return None
        self._next(yaml.DocumentStartEvent)
        node = self._node(0)
        self._next(yaml.DocumentEndEvent)
        if not isinstance(self._loader.peek_event(), yaml.StreamEndEvent):
            raise FormatError("it holds several documents, want one")
        return node

    def _next(self, kind: Any) -> Any:
        event = self._loader.get_event()
        assert isinstance(event, kind)
        return event

    def _node(self, depth: int) -> Any:
        yaml, event = self._yaml, self._loader.get_event()
        self._count += 1
        if self._count > MOST_VALUES:
            raise FormatError(f"it holds more than {MOST_VALUES} values")
        if depth > MAX_NESTING:
            raise FormatError(f"it is nested deeper than {MAX_NESTING}")
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise FormatError(f"line {event.start_mark.line + 1}: alias {event.anchor!r} has no anchor")
            return self._anchors[event.anchor]
        if isinstance(event, yaml.ScalarEvent):
            node = yaml.ScalarNode(self._tag(yaml.ScalarNode, event, event.value), event.value)
        elif isinstance(event, yaml.SequenceStartEvent):
            node = yaml.SequenceNode(event.tag, [])
        else:
            node = yaml.MappingNode(event.tag, [])
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        if node.id == "sequence":
            while not isinstance(self._loader.peek_event(), yaml.SequenceEndEvent):
                node.value.append(self._node(depth + 1))
            self._loader.get_event()
        elif node.id == "mapping":
            while not isinstance(self._loader.peek_event(), yaml.MappingEndEvent):
                node.value.append((self._node(depth + 1), self._node(depth + 1)))
            self._loader.get_event()
        return node

    def _tag(self, kind: Any, event: Any, value: str) -> str:
        return self._loader.resolve(kind, value, event.implicit) if event.tag in (None, "!") else event.tag


class _Reader:
    """Converts the nodes of one document to values."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader
        self._count = 0

    def value(self, node: Any, depth: int) -> Any:
        self._count += 1
        if self._count > MOST_VALUES:
            raise FormatError(f"it has more than {MOST_VALUES} values, aliases included")
        if depth > MAX_NESTING:
            raise FormatError(f"it is nested deeper than {MAX_NESTING}, or refers to itself")
        if node.id == "mapping":
            return dict(self._items(node, depth))
        if node.id == "sequence":
            return [self.value(each, depth + 1) for each in node.value]
        return self._scalar(node)

    def _items(self, node: Any, depth: int) -> Iterator[tuple[str, Any]]:
        """Yield the items of a mapping. Its own keys override those that ``<<`` merges, in any order."""
        merged = [value for key, value in node.value if key.tag == _MERGE]
        for value in merged:
            for each in reversed(value.value) if value.id == "sequence" else [value]:
                inner = self.value(each, depth + 1)
                if isinstance(inner, dict):
                    yield from inner.items()
        for key, value in node.value:
            if key.tag != _MERGE:
                yield self._key(key, depth), self.value(value, depth + 1)

    def _key(self, node: Any, depth: int) -> str:
        if node.id == "scalar":
            return str(node.value)
        return str(self.value(node, depth + 1))

    def _scalar(self, node: Any) -> Any:
        kind = node.tag.removeprefix(_TAG)
        if match := _PYTHON.match(node.tag):  # !!python/name:torch.nn.ReLU has no value
            return str(node.value) or node.tag[match.end() :]
        is_number = kind == "float" or (kind == "int" and ":" not in node.value)
        if kind in ("null", "bool") or (is_number and ":" not in node.value):
            try:
                return self._loader.construct_object(node)
            except ValueError:  # the text does not match its tag, such as !!int x
                return str(node.value)
        return str(node.value)
