# SPDX-License-Identifier: Apache-2.0
"""Tables and HTML pages: kinds of mindscope in tensors of texts of TensorBoard's format.

A table is a JSON text, and one text of bytes for each image or sound in its cells:
``{"columns": [{"name": "loss", "type": "number", "values": [0.5]}], "media": ["image/png"]}``. The value of a cell of
type ``media`` is the number of its file, from 0. NaN and infinities are the texts NaN, Infinity and -Infinity.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator
from typing import Any, cast

from mindscope.errors import FormatError
from mindscope.formats.kinds.descriptor import KindDescriptor, NamedBytes, tensorboard_value
from mindscope.formats.tensorboard_tensors import decode_strings
from mindscope.formats.tensorboard_values import plugin_metadata, text_tensor
from mindscope.reasons import Reason
from mindscope.types import Kind, Message, RecordedTable, TableColumn

TYPES = ("number", "text", "bool", "media")
"""The types of columns."""
_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def table_to_tensorboard(tag: str, table: RecordedTable) -> Message:
    """Return the Summary.Value of a table."""
    columns = [
        {"name": column.name, "type": column.type, "values": [_to_json(value) for value in column.values]}
        for column in table.columns
    ]
    text = json.dumps({"columns": columns, "media": [kind for kind, _ in table.media]}, ensure_ascii=False)
    texts = [text.encode("utf-8", "backslashreplace"), *(file for _, file in table.media)]
    return {"tag": tag, "tensor": text_tensor(texts), "metadata": plugin_metadata("mindscope_table")}


def html_to_tensorboard(tag: str, html: str) -> Message:
    """Return the Summary.Value of an HTML page."""
    encoded = html.encode("utf-8", "backslashreplace")
    return {"tag": tag, "tensor": text_tensor([encoded]), "metadata": plugin_metadata("mindscope_html")}


def _to_json(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def _table_from_tensorboard(value: Message) -> RecordedTable:
    text, *files = decode_strings(value["tensor"])
    try:
        content: Any = json.loads(text)
        columns = tuple(_column(cast(Message, column), len(files)) for column in content["columns"])
        types = [str(each) for each in content["media"]]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _malformed(f"columns can't be read: {type(error).__name__} {error}") from error
    if len({len(column.values) for column in columns}) > 1 or len(types) != len(files):
        raise _malformed("columns have different lengths, or files are missing")
    return RecordedTable(columns, tuple(zip(types, files, strict=True)))


def _column(column: Message, files: int) -> TableColumn:
    kind, values = str(column["type"]), list(column["values"])
    if kind not in TYPES:
        raise ValueError(f"type {kind!r}")
    if kind == "number":
        values = [None if each is None else _number(each) for each in values]
    if kind == "media" and not all(each is None or (type(each) is int and 0 <= each < files) for each in values):
        raise ValueError("a cell names a file that is not there")
    return TableColumn(str(column["name"]), kind, tuple(values))


def _number(value: Any) -> float:
    return _NOT_FINITE[value] if isinstance(value, str) else value if isinstance(value, int) else float(value)


def _malformed(why: str) -> FormatError:
    return FormatError(Reason("value_malformed", kind="table", why=why))


def _table_files(table: RecordedTable) -> Iterator[NamedBytes]:
    """Yield the rows as CSV; a cell with an image or a sound holds the number of its file."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(column.name for column in table.columns)
    writer.writerows(zip(*(column.values for column in table.columns), strict=True))
    yield ".csv", file.getvalue().encode("utf-8", "backslashreplace")


def _html_from_tensorboard(value: Message) -> str:
    return str(decode_strings(value["tensor"])[0], "utf-8", "backslashreplace")


def _html_files(html: str) -> Iterator[NamedBytes]:
    yield ".html", html.encode("utf-8", "backslashreplace")


TABLE = KindDescriptor(
    Kind.TABLE,
    tensorboard=tensorboard_value(Kind.TABLE, _table_from_tensorboard),
    plugins=("mindscope_table",),
    has_progress=True,
    export_directory="tables",
    to_files=_table_files,
)
HTML = KindDescriptor(
    Kind.HTML,
    tensorboard=tensorboard_value(Kind.HTML, _html_from_tensorboard),
    plugins=("mindscope_html",),
    has_progress=True,
    export_directory="html",
    to_files=_html_files,
)
