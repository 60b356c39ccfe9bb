# SPDX-License-Identifier: Apache-2.0
"""All parts of a profile as one file of a cache, so that its tables are there again without reading the profile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_type_hints

from numpy.typing import NDArray

from mindscope.profile.model.profile_data import Device, Part, ProfileFacts
from mindscope.profile.profile import Profile
from mindscope.profile.tables.annotations import Annotations
from mindscope.profile.tables.call_tree import CallTree
from mindscope.profile.tables.communication import Communication, Links
from mindscope.profile.tables.data_pipeline import DataPipeline
from mindscope.profile.tables.functions import Functions
from mindscope.profile.tables.further_tables import FurtherTables
from mindscope.profile.tables.kernels import Kernels
from mindscope.profile.tables.memory import Memory
from mindscope.profile.tables.modules import Modules
from mindscope.profile.tables.operators import Operators
from mindscope.profile.tables.step_rows import StepRows
from mindscope.profile.tables.steps import Steps
from mindscope.profile.tables.stored_texts import StoredTexts
from mindscope.profile.tables.streams import StreamGaps, Streams
from mindscope.profile.texts import MISSING, Missing
from mindscope.reasons import reason_from_json, reason_to_json
from mindscope.store.column_file import ColumnFileKind, open_columns, save_columns
from mindscope.table.columns import Column, TextColumn
from mindscope.table.schema import ColumnField, Merge, Unit, schema_version
from mindscope.table.table import Table

_CLASSES: Mapping[Part, type] = {
    Part.STEPS: Steps,
    Part.OPERATORS: Operators,
    Part.KERNELS: Kernels,
    Part.MODULES: Modules,
    Part.MEMORY: Memory,
    Part.DATA_PIPELINE: DataPipeline,
    Part.COMMUNICATION: Communication,
    Part.LINKS: Links,
    Part.STREAMS: Streams,
    Part.STREAM_GAPS: StreamGaps,
    Part.STEP_ROWS: StepRows,
    Part.ANNOTATIONS: Annotations,
    Part.CALL_TREE: CallTree,
    Part.FUNCTIONS: Functions,
    Part.FURTHER_TABLES: FurtherTables,
}
"""A part is a table, a dataclass whose fields are tables, or tables by their names."""


@cache
def _kind() -> ColumnFileKind:
    return ColumnFileKind(b"MSPP", schema_version(ProfileFacts, *_CLASSES.values()))


class SavedParts(NamedTuple):
    """A profile without its trace, and when its timeline begins: nanoseconds since its origin."""

    profile: Profile
    zero: int


class PartColumns(NamedTuple):
    """The parts of a profile that a file has."""

    header: Mapping[str, Any]
    columns: Mapping[str, NDArray[Any]]

    @property
    def nbytes(self) -> int:
        """Bytes of the columns."""
        return sum(column.nbytes for column in self.columns.values())


def columns_of(profile: Profile, zero: int) -> PartColumns:
    """Return all parts of a profile, which are computed for that; its timeline begins at ``zero`` nanoseconds."""
    columns: dict[str, NDArray[Any]] = {}
    parts: dict[str, Any] = {}
    for part in Part:
        found = profile.part(part)
        if isinstance(found, Missing):
            parts[part.value] = {"missing": [found.code, dict(found.values)]}
        else:
            parts[part.value] = {name: _add(table, f"{part.value}.{name}", columns) for name, table in _tables(found)}
            if isinstance(found, Memory):
                parts[part.value]["notes"] = [[note.code, dict(note.values)] for note in found.notes]
    facts = asdict(profile.facts)
    facts["properties"] = _with_problems(profile.facts.properties, reason_to_json)
    return PartColumns({"facts": facts, "zero": zero, "parts": parts}, columns)


def bytes_of_parts(profile: Profile) -> int:
    """Return the bytes of the columns of all parts, which are computed for that; without texts."""
    parts = (part for part in map(profile.part, Part) if not isinstance(part, Missing))
    columns = (column for part in parts for _, table in _tables(part) for column in table.columns().values())
    return sum(column.codes.nbytes if isinstance(column, TextColumn) else column.nbytes for column in columns)


def save_parts(parts: PartColumns, path: Path, key: str) -> None:
    """Write the parts of a profile; ``key`` says what they were made of. Replaces the file at once. Raises OSError."""
    save_columns(path, _kind(), key, parts.header, parts.columns)


def open_parts(path: Path, key: str) -> SavedParts | None:
    """Return the profile of a file, mapped into memory; None if there is none, or if it was made of something else."""
    try:
        opened = open_columns(path, _kind(), key, is_checked=True)
        if opened is None:
            return None
        facts = {name: value for name, value in opened.header["facts"].items() if name != "devices"}
        devices = [Device(**each) for each in opened.header["facts"]["devices"]]
        facts["properties"] = _with_problems(facts["properties"], reason_from_json)
        saved: dict[str, Any] = opened.header["parts"]
        parts = {part: _part(part, saved[part.value], opened.columns) for part in Part}
        return SavedParts(Profile(ProfileFacts(**facts, devices=devices), None, parts), opened.header["zero"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _with_problems(properties: Mapping[str, Any], convert: Callable[[Any], Any]) -> dict[str, Any]:
    """Return a copy of properties whose reasons are converted."""
    problems: Mapping[str, Any] | None = properties.get("problems")
    return (
        dict(properties)
        if problems is None
        else {**properties, "problems": {name: convert(problem) for name, problem in problems.items()}}
    )


def _tables(part: Any) -> Iterator[tuple[str, Table]]:
    if isinstance(part, Table):
        yield "", part
        return
    if isinstance(part, FurtherTables):
        yield from part.items()
        return
    for field in fields(part):
        table = getattr(part, field.name)
        if isinstance(table, Table):
            yield field.name, table


def _add(table: Table, name: str, columns: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """Adds the columns of a table; returns their names, those of texts, and those that only its format has."""
    texts: list[str] = []
    schema = table.schema()
    for column_name, column in table.columns().items():
        key = f"{name}.{column_name}"
        if isinstance(column, TextColumn):
            texts.append(column_name)
            column = column.compact()
            values = StoredTexts.of(column.values)
            columns |= {key: column.codes, f"{key}.offsets": values.offsets, f"{key}.data": values.data}
        else:
            columns[key] = column
    return {"columns": list(table.columns()), "texts": texts, "extra": {each: schema[each] for each in table.extra}}


def _part(part: Part, saved: Mapping[str, Any], columns: Mapping[str, NDArray[Any]]) -> Missing | Callable[[], Any]:
    if "missing" in saved:
        return _missing(saved["missing"])
    made = _CLASSES[part]
    if made is FurtherTables:
        further = FurtherTables(
            {name: _table(Table, entry, f"{part.value}.{name}", columns) for name, entry in saved.items()}
        )
        return lambda: further
    tables = {
        name: _table(_table_class(made, name), entry, f"{part.value}.{name}", columns)
        for name, entry in saved.items()
        if name != "notes"
    }
    table = tables[""] if "" in tables else made(**tables)
    if isinstance(table, Memory):
        table = replace(table, notes=tuple(_missing(entry) for entry in saved["notes"]))
    return lambda: table


def _missing(entry: Sequence[Any]) -> Missing:
    code, values = entry
    if code not in MISSING:
        raise ValueError(f"unknown code {code!r}")
    return Missing(code, values)


def _table_class(part: type, name: str) -> type[Table]:
    """Return the class of a part that is a table, or of a field of one that has tables."""
    if name == "":
        return part
    hint = get_type_hints(part)[name]
    return next(
        get_argument
        for get_argument in (hint, *get_args(hint))
        if isinstance(get_argument, type) and issubclass(get_argument, Table)
    )


def _table(made: type[Table], entry: Mapping[str, Any], name: str, columns: Mapping[str, NDArray[Any]]) -> Table:
    found: dict[str, Column] = {}
    for column in entry["columns"]:
        key = f"{name}.{column}"
        found[column] = columns[key]
        if column in entry["texts"]:
            values = StoredTexts(columns[f"{key}.offsets"], columns[f"{key}.data"])
            found[column] = TextColumn(columns[key], values)
    extra = {column: found.pop(column) for column in entry["extra"]}
    declared = {
        column: ColumnField(Unit(unit), Merge(*merge), title) for column, (unit, merge, title) in entry["extra"].items()
    }
    return made(**found, extra=extra, extra_fields=declared)
