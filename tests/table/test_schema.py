# SPDX-License-Identifier: Apache-2.0
"""Each column of a table declares its unit and how its values merge."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import mindscope.debug
import mindscope.profile
import mindscope.reading
from mindscope.debug.model.fields import Field
from mindscope.debug.watchpoints.hits import Hits
from mindscope.profile.formats.ascend.kernels import UNIT_RATIOS
from mindscope.profile.model.profile_data import ProfileFacts
from mindscope.profile.profile import Profile
from mindscope.profile.tables.kernels import Kernels
from mindscope.profile.tables.modules import Modules
from mindscope.profile.tables.operators import Operators
from mindscope.reading.scalars import Scalars
from mindscope.table.columns import Counts, Durations, Figures, Ids, TextColumn, Texts
from mindscope.table.schema import EQUAL, SUM, ColumnField, Unit, fields_of, mean_by, schema_version
from mindscope.table.table import Table

PAGE = Path(__file__).parents[2] / "ui/src"
OF_ONE_FORMAT = {"shard_strategy", "cube_flops", "vector_flops"}


def tables() -> Iterator[type[Table]]:
    for package in (mindscope.debug, mindscope.profile, mindscope.reading):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    found = [Table]
    for table in found:
        found += [each for each in table.__subclasses__() if each.__module__.startswith("mindscope.")]
    return iter(dict.fromkeys(found[1:]))


def test_each_column_of_each_table_declares_its_unit_and_its_merge_rule() -> None:
    walked = {table: fields_of(table) for table in tables()}
    assert {Operators, Kernels, Modules, Scalars, Hits} < set(walked)
    assert len(walked) > 25
    for table, declared in walked.items():
        for name, field in declared.items():
            weight = field.merge.weight
            assert (field.merge.rule == "mean") == bool(weight), (table, name)
            assert not weight or weight in declared or isinstance(getattr(table, weight), property), (table, name)


def test_shares_ids_and_bandwidths_are_never_added() -> None:
    """But a part of one whole: the changes of a step over its time."""
    for table in tables():
        for name, field in fields_of(table).items():
            if field.unit in (Unit.SHARE, Unit.PERCENT, Unit.ID, Unit.GB_PER_SECOND, Unit.GFLOPS, Unit.STEP):
                assert field.merge != SUM or (name, "Change" in table.__name__) == ("share", True), (table, name)


def test_a_column_without_a_declaration_is_refused() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Undeclared(Table):
        median: NDArray[np.float64]

    with pytest.raises(TypeError, match="column 'median' declares no unit or no merge rule"):
        fields_of(Undeclared)


def kernels(extra: Mapping[str, Any] | None = None, declared: Mapping[str, ColumnField] | None = None) -> Kernels:
    return Kernels(
        name=TextColumn.of(["gemm", "gemm", "copy"]),
        kind=TextColumn.constant("compute", 3),
        device=TextColumn.constant("NPU 0", 3),
        count=np.ones(3, np.int64),
        total=np.array([100, 300, 50]),
        extra=extra or {},
        extra_fields=declared or {},
    )


def merged(extra: Mapping[str, Any], declared: Mapping[str, ColumnField] | None = None) -> list[dict[str, Any]]:
    return list(kernels(extra, declared).group_by("name").rows())


def test_an_unknown_column_is_not_added() -> None:
    """A median of 10 and one of 20 are no 30."""
    gemm, copy = merged({"median": np.array([10, 20, 7]), "occupancy_percent": np.array([80.0, 90.0, 5.0])})
    assert np.isnan(gemm["median"])
    assert np.isnan(gemm["occupancy_percent"])
    assert (copy["median"], copy["occupancy_percent"]) == (7, 5)


def test_an_unknown_column_that_agrees_stays_as_it_is() -> None:
    found = kernels({"version": np.array([3, 3, 4]), "rate": np.array([np.nan, np.nan, 1.0])}).group_by("name")
    assert np.asarray(found.extra["version"]).tolist() == [3, 4]
    assert np.asarray(found.extra["version"]).dtype == np.int64
    np.testing.assert_array_equal(np.asarray(found.extra["rate"]), [np.nan, 1])


def test_a_declared_percentage_merges_to_the_mean_weighted_by_time() -> None:
    percent = np.array([80.0, 90.0, 5.0])
    gemm, copy = merged(
        {"occupancy_percent": percent}, {"occupancy_percent": ColumnField(Unit.PERCENT, mean_by("total"))}
    )
    assert gemm["occupancy_percent"] == pytest.approx((80 * 100 + 90 * 300) / 400)
    assert copy["occupancy_percent"] == 5


def test_a_mean_is_that_of_the_known_values() -> None:
    found = replace(kernels(), occupancy=np.array([0.5, np.nan, np.nan])).group_by("name")
    assert found.occupancy is not None
    np.testing.assert_array_equal(found.occupancy, [0.5, np.nan])


def test_a_mean_of_rows_without_weight_is_that_of_their_values() -> None:
    found = replace(kernels(), total=np.array([0, 0, 9]), occupancy=np.array([0.25, 0.75, 1.0])).group_by("name")
    assert found.occupancy is not None
    assert dict(zip(found.name, found.occupancy.tolist(), strict=True)) == {"copy": 1.0, "gemm": 0.5}


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 1000)), min_size=1, max_size=9))
def test_a_row_that_is_merged_with_no_other_keeps_its_digits(values: list[tuple[float, int]]) -> None:
    table = Kernels(
        name=TextColumn.of(str(place) for place in range(len(values))),
        kind=TextColumn.constant("compute", len(values)),
        device=TextColumn.constant("GPU 0", len(values)),
        count=np.ones(len(values), np.int64),
        total=np.array([total for _, total in values]),
        occupancy=np.array([occupancy for occupancy, _ in values]),
    )
    found = table.group_by("name")
    assert found.occupancy is not None
    assert {int(name): value for name, value in zip(found.name, found.occupancy.tolist(), strict=True)} == {
        place: occupancy for place, (occupancy, _) in enumerate(values)
    }


def test_columns_are_merged_by_what_they_declare_whatever_their_names() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Measurements(Table):
        name: Texts
        min: Durations
        rank: Ids
        median: Annotated[Figures, Unit.NS, EQUAL]
        usage: Annotated[NDArray[np.int64], Unit.PERCENT, mean_by("runs")]
        runs: Counts

        @property
        def weight(self) -> Counts:
            return self.runs

    table = Measurements(
        name=TextColumn.of("aab"), min=np.array([3, 4, 5]), rank=np.array([0, 1, 1]), median=np.array([1.0, 1.0, 2.0]),
        usage=np.array([80, 91, 7]), runs=np.array([1, 2, 1]),
    )  # fmt: skip
    found = table.group_by("name")
    assert found.min.tolist() == [7, 5]
    np.testing.assert_array_equal(found.rank, [np.nan, 1])
    assert found.median.tolist() == [1, 2]
    assert found.usage.tolist() == [87, 7]
    assert found.usage.dtype == np.int64


rows = st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 1000), st.floats(0, 1)), min_size=1, max_size=20)


@given(rows, st.lists(st.sampled_from("xyz"), min_size=20, max_size=20))
def test_merging_in_two_steps_gives_what_one_gives(rows: list[tuple[str, int, float]], operators: list[str]) -> None:
    table = Kernels(
        name=TextColumn.of(name for name, _, _ in rows),
        operator=TextColumn.of(operators[: len(rows)]),
        kind=TextColumn.constant("compute", len(rows)),
        device=TextColumn.constant("GPU 0", len(rows)),
        count=np.ones(len(rows), np.int64),
        total=np.array([total for _, total, _ in rows]),
        occupancy=np.array([occupancy for _, _, occupancy in rows]),
    )
    once, twice = table.group_by("name"), table.group_by("name", "operator").group_by("name")
    assert list(once.name) == list(twice.name)
    assert once.occupancy is not None
    assert twice.occupancy is not None
    np.testing.assert_allclose(once.occupancy, twice.occupancy)
    assert once.total.tolist() == twice.total.tolist()


def test_a_foreign_column_called_step_is_no_number_of_a_step() -> None:
    table = Table(extra={"step": TextColumn.of(["warm up", "train"])})
    assert [row["step"] for row in table.rows()] == ["warm up", "train"]
    assert table.to_pandas()["step"].tolist() == ["warm up", "train"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_title_of_a_column_in_the_page_is_that_of_a_column(language: str) -> None:
    """A column without a title is called by its name."""
    texts = (PAGE / "i18n" / language / "profileRows.ts").read_text("utf-8")
    declared = [UNIT_RATIOS, *map(fields_of, (Operators, Kernels, Modules))]
    titles = {field.title or name for fields in declared for name, field in fields.items()} | OF_ONE_FORMAT
    assert set(re.findall(r'"rows\.column_(\w+)"', texts)) <= titles


def test_the_page_writes_figures_of_tensors_in_the_units_of_their_columns() -> None:
    text = (PAGE / "core/debugger/figureText.ts").read_text("utf-8")
    counts = set(re.findall(r'"(\w+)"', text.partition("COUNTS = ")[2].partition(";")[0]))
    assert counts == {str(field) for field in Field if field.column.unit is Unit.COUNT} | {"non_finite"}


def test_a_cache_has_another_version_after_a_change_of_a_column() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Measurements(Table):
        figure: Durations

    versions = [schema_version(Measurements)]
    Measurements.__annotations__["figure"] = "Counts"
    versions.append(schema_version(Measurements))
    Measurements.__annotations__["other"] = "Counts"
    versions.append(schema_version(Measurements))
    assert len(set(versions)) == 3
    assert schema_version(Measurements) == versions[-1]
    assert schema_version(ProfileFacts) != schema_version(Profile)
