# SPDX-License-Identifier: Apache-2.0
"""Which arguments MindSpore's own classes accept or refuse, and where mindscope differs: as docs/mindspore.md says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

mindspore = pytest.importorskip("mindspore")
from mindscope.mindspore import SummaryCollector, SummaryRecord  # noqa: E402

pytestmark = pytest.mark.framework
DOCUMENT = Path(__file__).parents[2] / "docs" / "mindspore.md"
WIDE = 1 << 70
VALUES = (None, True, False, 0, 1, -1, 3, 10**9, WIDE, 1.5, float("nan"), "", " ", "2", "text", b"x", [], [1], (), {},
          {"a": 1}, np.int64(2), np.float32(0.5))  # fmt: skip
FEW = (None, True, 0, -1, WIDE, 1.5, "2", [1], np.int64(2))
"""For recorders: each of MindSpore's takes a process."""


class Case(NamedTuple):
    """One way to call a class of MindSpore and ours."""

    called: str
    """A class, or a method of the recorder."""
    argument: str
    """Within others after a dot; the key of a dict in brackets."""
    value: Any
    given: Mapping[str, Any]


class Row(NamedTuple):
    """A row of the table in the document: a part of its first cell, and the cases that it is about."""

    text: str
    is_about: Callable[[Case], bool]


def is_text_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.generic)) and value == value


LINEAGE = "custom_lineage_data['a']"
ROWS = (
    Row("`num_process`", lambda case: case.argument == "num_process" and not is_text_number(case.value)),
    Row("`max_file_size` of a recorder", lambda case: case.called == "SummaryRecord"
        and case.argument == "max_file_size" and isinstance(case.value, (bool, np.integer))),
    Row("`custom_lineage_data` with bools", lambda case: case.argument == LINEAGE
        and isinstance(case.value, (bool, np.generic, dict))),
    Row("`custom_lineage_data` with an empty key", lambda case: case.argument == "custom_lineage_data['']"
        and isinstance(case.value, (int, float, str)) and not isinstance(case.value, bool)),
    Row("`collect_specified_data` or `export_options` with a key", lambda case: case.argument == "key"
        and not isinstance(case.value, str)),
    Row("`collect_specified_data` or `export_options` with a key", lambda case: case.argument == "export_options"
        and isinstance(case.value, dict) and "a" in case.value),
    Row("`num_samples` of a landscape", lambda case: case.argument == "landscape.num_samples"
        and isinstance(case.value, int) and case.value < 1 and case.value is not False),
    Row("`intervals` of a landscape", lambda case: case.argument == "landscape.intervals"
        and isinstance(case.value, tuple)),
    Row("`file_suffix=\"_lineage\"`", lambda case: case.argument == "file_suffix" and case.value == "_lineage"),
    Row("`network` of a recorder", lambda case: case.called == "SummaryRecord" and case.argument == "network"
        and case.value is not None and not isinstance(case.value, mindspore.nn.Cell)),
    Row("`step` of `record`", lambda case: case.called == "record" and case.argument == "step"
        and (isinstance(case.value, np.integer) or case.value is WIDE)),
    Row("`plugin` in capitals", lambda case: case.argument == "plugin" and case.value == "SCALAR"),
    Row("`name` of `add_value`", lambda case: case.argument == "name" and (not isinstance(case.value, str)
        or not case.value)),
)  # fmt: skip


def same_call(called: str, argument: str, values: tuple[Any, ...]) -> Iterator[Case]:
    for value in values:
        yield Case(called, argument, value, {argument: value})


def of_collector() -> Iterator[Case]:
    called = "SummaryCollector"
    for name in ("summary_dir", "collect_freq", "num_process", "keep_default_action", "collect_tensor_freq",
                 "max_file_size", "collect_specified_data", "custom_lineage_data", "export_options"):  # fmt: skip
        yield from same_call(called, name, VALUES)
    for name in ("collect_metric", "collect_graph", "collect_train_lineage", "collect_eval_lineage",
                 "collect_input_data", "collect_dataset_graph", "histogram_regular", "collect_landscape"):  # fmt: skip
        for value in VALUES:
            yield Case(called, f"specified.{name}", value, {"collect_specified_data": {name: value}})
    for name in ("landscape_size", "unit", "num_samples", "create_landscape", "intervals"):
        for value in VALUES:
            landscape = {"landscape_size": 4, "intervals": [[1, 2, 3]], name: value}
            given = {"collect_specified_data": {"collect_landscape": landscape}}
            yield Case(called, f"landscape.{name}", value, given)
    for key in ("", "other", 1, None, True):
        yield Case(called, "key", key, {"collect_specified_data": {key: True}})
    for key in ("", 1, None, "a"):
        for value in VALUES:
            yield Case(called, f"custom_lineage_data[{key!r}]", value, {"custom_lineage_data": {key: value}})


def of_recorder() -> Iterator[Case]:
    called = "SummaryRecord"
    for name in ("log_dir", "num_process", "max_file_size", "raise_exception"):
        yield from same_call(called, name, FEW)
    for name in ("file_prefix", "file_suffix"):
        yield from same_call(called, name, (None, 3, "", " ", "a.b", "a/b", "a b", "a-b", "ä", "_lineage"))
    formats = ({"tensor_format": "npy"}, {"tensor_format": None}, {"tensor_format": "npz"}, {"tensor_format": 1})
    yield from same_call(called, "export_options", (*FEW, *formats))
    yield from same_call(called, "network", (*FEW, mindspore.nn.Dense(2, 2)))


def of_methods() -> Iterator[Case]:
    yield from same_call("set_mode", "mode", (*VALUES, "train", "eval"))
    yield from same_call("record", "step", VALUES)
    for value in (*VALUES, mindspore.nn.Dense(2, 2)):
        yield Case("record", "train_network", value, {"step": 1, "train_network": value})
    one = mindspore.Tensor(1.0)
    for value in (*VALUES, "scalar", "SCALAR", "images"):
        yield Case("add_value", "plugin", value, {"plugin": value, "name": "x", "value": one})
    for value in VALUES:
        yield Case("add_value", "name", value, {"plugin": "scalar", "name": value, "value": one})


def outcome(call: Callable[[], object]) -> type[Exception] | None:
    """The error of a call; None if it has none."""
    try:
        call()
    except Exception as error:
        return type(error)
    return None


def is_alike(own: type[Exception] | None, ours: type[Exception] | None) -> bool:
    """Whether both calls return, or what catches the error of MindSpore catches ours."""
    return ours is None if own is None else ours is not None and issubclass(ours, own)


def expected(case: Case) -> list[str]:
    return [row.text for row in ROWS if row.is_about(case)]


def check(case: Case, own: type[Exception] | None, ours: type[Exception] | None) -> None:
    """Both agree, unless a row of the table is about this case: then they do not."""
    rows = expected(case)
    said = f"{case}: MindSpore {own}, mindscope {ours}, in rows {rows} of {DOCUMENT.name}"
    assert is_alike(own, ours) == (not rows), said


@pytest.mark.parametrize("argument", list(dict.fromkeys(case.argument for case in of_collector())))
def test_collectors_differ_where_the_document_says(
    argument: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some values are names of directories
    for case in of_collector():
        if case.argument == argument:
            given = {name: {"summary_dir": str(tmp_path / name), **case.given} for name in ("own", "ours")}
            own = outcome(lambda: mindspore.SummaryCollector(**given["own"]))  # noqa: B023
            check(case, own, outcome(lambda: SummaryCollector(**given["ours"])))  # noqa: B023


def opened(made: Any, directory: Path, given: Mapping[str, Any]) -> None:
    made(**{"log_dir": str(directory), **given}).close()


def test_recorders_differ_where_the_document_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for case in of_recorder():
        own = outcome(lambda: opened(mindspore.SummaryRecord, tmp_path / "own", case.given))  # noqa: B023
        ours = outcome(lambda: opened(SummaryRecord, tmp_path / "ours", case.given))  # noqa: B023
        check(case, own, ours)


def test_methods_differ_where_the_document_says(tmp_path: Path) -> None:
    theirs = mindspore.SummaryRecord(str(tmp_path / "own"))
    try:
        with SummaryRecord(str(tmp_path / "ours"), raise_exception=True) as record:
            for case in of_methods():
                own = outcome(lambda: getattr(theirs, case.called)(**case.given))  # noqa: B023
                check(case, own, outcome(lambda: getattr(record, case.called)(**case.given)))  # noqa: B023
    finally:
        theirs.close()


def test_each_row_is_in_the_document_and_about_a_case() -> None:
    table = DOCUMENT.read_text("utf-8").split("### Arguments that differ")[1]
    first_cells = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("| `")]
    cases = [*of_collector(), *of_recorder(), *of_methods()]
    for row in ROWS:
        assert any(cell.startswith(row.text) for cell in first_cells), row.text
        assert any(row.is_about(case) for case in cases), row.text
