# SPDX-License-Identifier: Apache-2.0
"""Schema tables, and messages as dicts: field name -> value, absent fields absent.

A table is one text, a message a line::

    Event: 1 double! wall_time, 2 int64 step, 5 Summary summary
    Summary: 1 repeated Value value
    Tensor: 1 repeated int64 dims, 3 packed float float_data, 9 map<string,int32> sizes

A field is ``NUMBER [repeated|packed] TYPE NAME``; a type is a scalar type of the encoding or a message of the same
table. ``!`` after the type makes the field required when written. Enumerations have type ``enum`` and decode to int.
"""

from __future__ import annotations

import re

from mindscope.formats._decoding import decode, split
from mindscope.formats._encoding import encode
from mindscope.formats._schema import Field, Schema

__all__ = ["Field", "Schema", "decode", "encode", "parse_schemas", "split"]

_FIELD = re.compile(r"(\d+) +(?:map<(\w+), *(\w+)>|(?:(repeated|packed) +)?(\w+)(!?)) +(\w+)")


def parse_schemas(table: str) -> dict[str, Schema]:
    """Return the schemas of a table by message name, with the references between them (also circular ones) resolved."""
    lines = [line.split(":", 1) for line in table.strip().splitlines() if line.strip()]
    schemas = {name.strip(): Schema(name.strip(), _parse_fields(body)) for name, body in lines}
    for schema in schemas.values():
        for field in schema.fields:
            _resolve(field, schemas)
            if field.is_map and field.schema is not None:
                _resolve(field.schema.fields[1], schemas)
    return schemas


def _parse_fields(body: str) -> list[Field]:
    # a comma inside map<,> does not end a field
    return [_parse_field(text.strip()) for text in re.split(r",(?![^<]*>)", body) if text.strip()]


def _parse_field(text: str) -> Field:
    match = _FIELD.fullmatch(text)
    if match is None:
        raise ValueError(f"schema field {text!r} is not of the form: number [repeated|packed] type name")
    number, key_type, value_type, label, type_name, mark, name = match.groups()
    if key_type:
        field = Field(name, int(number), f"{name}Entry", is_map=True)
        field.schema = Schema(f"{name}Entry", [Field("key", 1, key_type), Field("value", 2, value_type)])
        return field
    return Field(
        name,
        int(number),
        type_name,
        is_repeated=label is not None,
        is_packed=label == "packed",
        is_required=mark == "!",
    )


_NUMBERS_AND_TEXT = set("double float int32 int64 uint32 uint64 bool fixed32 fixed64 string bytes enum".split())


def _resolve(field: Field, schemas: dict[str, Schema]) -> None:
    if field.schema is None and field.type_name not in _NUMBERS_AND_TEXT:
        field.schema = schemas[field.type_name]
