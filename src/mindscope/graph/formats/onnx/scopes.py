# SPDX-License-Identifier: Apache-2.0
"""Scopes of the nodes of an ONNX model: those that PyTorch notes, else the parts of names."""

from __future__ import annotations

import numpy as np

from mindscope.formats.message_columns import ByteRanges, Indices, Messages, Texts, distinct_runs, number_runs


def scopes_in_names(names: ByteRanges, outputs: ByteRanges) -> ByteRanges:
    """Return the part of each name before the last ``/`` without the first one.

    A node without a name has the name of its first output.
    """
    has_name = names.stop > names.start
    names = ByteRanges(
        names.data, np.where(has_name, names.start, outputs.start), np.where(has_name, names.stop, outputs.stop)
    )
    start = names.start + (names.find(b"/") == names.start) * (names.stop > names.start)
    return ByteRanges(names.data, start, np.maximum(names.find(b"/", last=True), start))


def noted_scopes(nodes: Messages, scope: Indices, texts: Texts) -> tuple[Indices, Texts]:
    """Return the scopes with those that PyTorch's exporter noted in place of others, and the texts with theirs."""
    row, entries = nodes.each_message("metadata_props")
    if not len(row):
        return scope, texts
    (key,), keys = number_runs(entries.field_runs("key"))
    is_namespace = np.array([text == "namespace" for text in keys.all], bool)[key]
    number, values = distinct_runs(entries.field_runs("value").take(is_namespace))
    paths = [_path_of_namespace(each.decode("utf-8", "backslashreplace")) for each in values]
    known = {text: number for number, text in enumerate(texts.all)}
    size = len(known)
    numbers = np.array([known.setdefault(path, len(known)) for path in paths], np.int32)
    scope = np.array(scope, np.int32)
    scope[row[is_namespace]] = numbers[number]
    return scope, texts.and_more(list(known)[size:])


def _path_of_namespace(namespace: str) -> str:
    """``: Net/layers: Sequential/layers.1: ReLU/relu: aten.relu`` is ``layers/1``; the last part is the node."""
    path, labels = "", list[str]()
    for part in namespace.split("/")[:-1]:
        name = part.partition(":")[0].strip()
        if name:
            labels.append(name.removeprefix(f"{path}.") if path else name)
            path = name
    return "/".join(labels)
