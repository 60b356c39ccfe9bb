# SPDX-License-Identifier: Apache-2.0
"""Alignments of pipelines whose best alignment is known."""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mindscope.lineage.pipeline import Branches, Operation, Pipeline, stage_score
from mindscope.lineage.pipeline_alignment import Alignment, align, align_runs


def op(name: str, **parameters: Any) -> Operation:
    return Operation(name, tuple(sorted(parameters.items())))


MNIST, CIFAR = op("MnistDataset", usage="train"), op("Cifar10Dataset", usage="train")
RESIZE, CROP = op("Map", operations=("Resize",), size=32), op("Map", operations=("RandomCrop",), size=28)
CAST = op("Map", operations=("TypeCast",), input_columns=("label",))
SHUFFLE, BATCH = op("Shuffle", buffer_size=100), op("Batch", batch_size=32)
LARGE_BATCH = op("Batch", batch_size=64)


def names(alignment: Alignment) -> list[str]:
    """A line a row: operations by their first letter, ``.`` for a gap, ``<`` for branches."""

    def letter(stage: object) -> str:
        return "." if stage is None else stage.name[0] if isinstance(stage, Operation) else "<"

    return ["".join(letter(column.stages[row]) for column in alignment.columns) for row in range(alignment.height)]


def test_an_inserted_operation_shifts_nothing() -> None:
    got = align([(MNIST, RESIZE, BATCH), (MNIST, SHUFFLE, RESIZE, BATCH)])
    assert names(got) == ["M.MB", "MSMB"]
    assert [column.differs for column in got.columns] == [False, True, False, False]


def test_a_changed_parameter_is_named() -> None:
    got = align([(MNIST, RESIZE, BATCH), (MNIST, RESIZE, LARGE_BATCH)])
    assert names(got) == ["MMB", "MMB"]
    assert [column.differing for column in got.columns] == [(), (), ("batch_size",)]


def test_of_equal_names_the_one_with_equal_parameters_is_met() -> None:
    got = align([(MNIST, RESIZE, CROP, CAST, BATCH), (MNIST, CAST, BATCH), (MNIST, CROP, BATCH)])
    assert names(got) == ["MMMMB", "M..MB", "M.M.B"]
    assert not any(column.differing for column in got.columns)


def test_different_sources_share_a_column_and_other_operations_never() -> None:
    assert names(align([(MNIST, BATCH), (CIFAR, BATCH)])) == ["MB", "CB"]
    assert names(align([(MNIST, SHUFFLE), (MNIST, BATCH)])) == ["MS.", "M.B"]


def test_many_runs_are_aligned_one_after_the_other() -> None:
    full = (MNIST, SHUFFLE, RESIZE, CAST, BATCH)
    got = align([full, (MNIST, RESIZE, BATCH), (MNIST, SHUFFLE, BATCH), (MNIST, CAST, BATCH), (BATCH,)])
    assert names(got) == ["MSMMB", "M.M.B", "MS..B", "M..MB", "....B"]


def test_branches_stay_branches() -> None:
    one = (Branches(((MNIST, RESIZE), (CIFAR,))), op("Zip"), BATCH)
    other = (Branches(((CIFAR, SHUFFLE), (MNIST, RESIZE))), op("Zip"), SHUFFLE, LARGE_BATCH)
    got = align([one, other])
    assert names(got) == ["<Z.B", "<ZSB"]
    first, second = got.columns[0].branches
    assert names(first) == ["MM", "MM"]
    assert names(second) == ["C.", "CS"]
    assert got.columns[0].differs
    assert names(align([one, (MNIST, BATCH)])) == ["<Z.B", "..MB"]


def test_a_flow_more_is_a_branch_more() -> None:
    two = (Branches(((MNIST,), (CIFAR,))), op("Concat"))
    three = (Branches(((MNIST,), (op("TextDataset"),), (CIFAR,))), op("Concat"))
    got = align([two, three])
    assert names(got) == ["<C", "<C"]
    assert [names(each) for each in got.columns[0].branches] == [["M", "M"], ["C", "C"], [".", "T"]]


def test_equal_pipelines_share_a_mark() -> None:
    rare, common = (MNIST, BATCH), (MNIST, RESIZE, BATCH)
    got = align_runs({"a": rare, "b": common, "c": common})
    assert dict(got.marks) == {"a": 1, "b": 0, "c": 0}
    assert got.runs(0) == ("b", "c")
    assert (got.alignment.row(0), got.alignment.row(1)) == (common, rare)


def test_no_pipelines() -> None:
    assert align([]) == Alignment((), 0)
    assert align_runs({}).alignment.columns == ()


OPERATIONS = st.sampled_from([MNIST, CIFAR, RESIZE, CROP, CAST, SHUFFLE, BATCH, LARGE_BATCH])
FLOWS = st.lists(OPERATIONS, max_size=5).map(tuple)
PIPELINES = FLOWS | st.tuples(st.lists(FLOWS, min_size=2, max_size=3).map(tuple).map(Branches), OPERATIONS)


@given(st.lists(PIPELINES, max_size=5))
def test_rows_without_gaps_are_the_pipelines(pipelines: list[Pipeline]) -> None:
    got = align(pipelines)
    assert [got.row(number) for number in range(got.height)] == pipelines
    for column in got.columns:
        met = {stage.name for stage in column.stages if isinstance(stage, Operation)}
        assert len(met) <= 1 or all(name.endswith("Dataset") for name in met)


@given(FLOWS, FLOWS)
def test_two_flows_are_aligned_as_well_as_they_can_be(one: Pipeline, other: Pipeline) -> None:
    @cache
    def best(left: int, right: int) -> float:
        """Every alignment is tried."""
        if left == len(one) or right == len(other):
            return 0.0
        return max(
            best(left + 1, right),
            best(left, right + 1),
            stage_score(one[left], other[right]) + best(left + 1, right + 1),
        )

    pairs = [column.stages for column in align([one, other]).columns]
    assert sum(stage_score(*pair) for pair in pairs if None not in pair) == best(0, 0)  # type: ignore[arg-type]


def test_many_pipelines_that_differ_in_a_seed_have_the_columns_of_one() -> None:
    def pipeline(seed: int) -> Pipeline:
        inner = (Operation("Shuffle", (("seed", seed),)), Operation("Map"))
        return Branches((inner, (Operation("GeneratorDataset"),))), Operation("Zip"), *inner

    got = align([pipeline(seed) for seed in range(300)])
    assert [column.differing for column in got.columns] == [(), (), ("seed",), ()]
    assert [len(each.columns) for each in got.columns[0].branches] == [2, 1]
    assert all(got.row(seed) == pipeline(seed) for seed in range(300))
