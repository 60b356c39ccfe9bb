# SPDX-License-Identifier: Apache-2.0
"""Texts: one or several texts for each step."""

from __future__ import annotations

from collections.abc import Iterator

from mindscope.formats.kinds.descriptor import KindDescriptor, NamedBytes, mindspore_value, position, tensorboard_value
from mindscope.formats.tensorboard_tensors import decode_strings, dimensions
from mindscope.formats.tensorboard_values import plugin_metadata, text_tensor
from mindscope.types import Kind, Message


def _from_tensorboard(value: Message) -> tuple[str, ...]:
    texts = tuple(str(text, "utf-8", "backslashreplace") for text in decode_strings(value["tensor"]))
    shape = dimensions(value["tensor"])
    is_table = len(shape) == 2 and shape[0] > 0 and shape[1] > 0 and shape[0] * shape[1] == len(texts)
    return (_table(texts, shape[1]),) if is_table else texts


def _table(cells: tuple[str, ...], columns: int) -> str:
    """Return cells, row by row, as a Markdown table; replaces line breaks in cells and adds an empty header."""
    plain = [" ".join(cell.replace("|", "\\|").split()) for cell in cells]
    rows = [plain[start : start + columns] for start in range(0, len(plain), columns)]
    return "\n".join(f"| {' | '.join(row)} |" for row in ([""] * columns, ["---"] * columns, *rows))


def _from_mindspore(value: Message) -> tuple[str, ...]:
    return (value["text"],)


def text_to_tensorboard(tag: str, text: str) -> Message:
    """Return the Summary.Value of a text."""
    encoded = text.encode("utf-8", "backslashreplace")
    return {"tag": tag, "tensor": text_tensor([encoded]), "metadata": plugin_metadata("text")}


def _to_tensorboard(tag: str, texts: tuple[str, ...]) -> Message:
    (text,) = texts  # MindSpore's format has one for each value
    return text_to_tensorboard(tag, text)


def _to_files(texts: tuple[str, ...]) -> Iterator[NamedBytes]:
    for number, text in enumerate(texts, start=1):
        yield f"{position(number, len(texts))}.txt", text.encode("utf-8", "backslashreplace")


TEXT = KindDescriptor(
    Kind.TEXT,
    tensorboard=tensorboard_value(Kind.TEXT, _from_tensorboard),
    mindspore=mindspore_value(Kind.TEXT, _from_mindspore, 30),
    plugins=("text",),
    has_progress=True,
    export_directory="texts",
    to_files=_to_files,
    to_tensorboard=_to_tensorboard,
)
