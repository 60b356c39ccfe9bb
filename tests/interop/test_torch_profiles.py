# SPDX-License-Identifier: Apache-2.0
"""Tables of real traces of torch, against torch's own tables, and against what the programs do."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from mindscope.profile.advice import advise
from mindscope.profile.model.profile_data import Part
from mindscope.profile.open import read_profile
from mindscope.profile.profile import Profile
from mindscope.profile.tables.steps import PARTS
from mindscope.profile.texts import Missing
from mindscope.table.rows import Condition, merged_rows
from tests.interop import profiled_programs as programs
from tests.interop.profiled_programs import STEPS, Profiled, Step, is_shown, plain, profiled

pytestmark = pytest.mark.framework


@dataclass(frozen=True)
class Case:
    theirs: Profiled
    ours: Profile


PROGRAMS: dict[str, tuple[Callable[[], Step], bool]] = {
    "cnn": (programs.convolutional, False),
    "cnn with stacks": (programs.convolutional, True),
    "transformer": (programs.transformer, True),
    "data bound": (programs.data_bound, False),
    "leaking": (programs.leaking, False),
    "nested": (programs.nested, False),
    "nested with stacks": (programs.nested, True),
}


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Case]:
    """Each program is profiled once, when a test asks for it."""
    known: dict[str, Case] = {}
    directory = tmp_path_factory.mktemp("profiles")

    def case(name: str) -> Case:
        if name not in known:
            program, with_stack = PROGRAMS[name]
            path = directory / f"{name}.pt.trace.json"
            theirs = profiled(path, program(), with_stack=with_stack)
            known[name] = Case(theirs, read_profile(path))
        return known[name]

    return case


def check_tables(ours: Profile, want: dict[tuple[str, ...], Any], *columns: str) -> None:
    got = {
        tuple(row[column] for column in columns): row
        for row in ours.operators.group_by(*columns).rows()
    }  # fmt: skip
    assert set(got) == set(want)
    for key, (count, total, own, flops, memory) in want.items():
        row = got[key]
        assert (key, row["count"], row["flops"], row["memory_self"]) == (key, count, flops, memory)
        assert (row["host_total"] / 1000, row["host_self"] / 1000) == pytest.approx((total, own), abs=0.01)


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_operators_by_name_are_those_of_torch(cases: Callable[[str], Case], name: str) -> None:
    case = cases(name)
    check_tables(case.ours, case.theirs.by_name, "name")


@pytest.mark.parametrize("name", ["cnn", "cnn with stacks", "transformer", "leaking"])
def test_operators_by_shapes_are_those_of_torch(cases: Callable[[str], Case], name: str) -> None:
    """torch writes no shapes of lists of tensors into its table, and ``[]`` for an operator without inputs."""
    case = cases(name)
    got = {
        (row["name"], row["shapes"]): (row["count"], row["host_self"] / 1000)
        for row in case.ours.operators.group_by("name", "shapes").rows()
        if "[[[" not in row["shapes"]
    }
    for (operator, shapes), (count, own, *_) in ((key, (row[0], row[2])) for key, row in case.theirs.by_shapes.items()):
        if (operator, shapes) in got:
            assert got[operator, shapes] == (count, pytest.approx(own, abs=0.01))
    assert len(set(got) & set(case.theirs.by_shapes)) > 0.8 * len(got)


@pytest.mark.parametrize("name", ["cnn", "transformer"])
def test_operators_by_input_types_are_those_of_the_file(cases: Callable[[str], Case], name: str) -> None:
    """torch has no table by input types; the sums by name and types equal its table by name."""
    case = cases(name)
    merged = merged_rows(case.ours.operators, "dtypes")
    written: dict[str, int] = {}
    for event in json.loads(case.theirs.path.read_text())["traceEvents"]:
        if event.get("cat") == "cpu_op":
            types = json.dumps(event["args"].get("Input type", ""), separators=(",", ":")).strip('"').replace(" ", "")
            written[types] = written.get(types, 0) + 1
    got = {row["dtypes"].replace(" ", ""): row["count"] for row in merged.table.rows()}
    # An operator that only calls one of its own name is one operator here.
    assert all(count <= written[types] for types, count in got.items())
    assert sum(got.values()) == sum(row[0] for row in case.theirs.by_name.values())
    assert merged.whole / 1000 == pytest.approx(sum(row[2] for row in case.theirs.by_name.values()), abs=0.5)
    for row in merged.table.rows():
        names = merged_rows(case.ours.operators, "name", [Condition("dtypes", row["dtypes"])])
        assert int(names.table.count.sum()) == row["count"]


@pytest.mark.parametrize("name", ["cnn with stacks", "transformer"])
def test_operators_by_stack_are_those_of_torch(cases: Callable[[str], Case], name: str) -> None:
    """But those of the backward pass: torch gives them the stack of the first operator of a sequence number.

    That is a read of the data set for the backward pass of a convolution; the last one of that number is its forward
    pass.
    """
    case = cases(name)
    operators = case.ours.operators
    backward = {row["name"] for row in operators.rows() if row["phase"] == "backward"}
    got: dict[tuple[str, ...], list[float]] = {}
    for row in operators.group_by("name", "stack").rows():
        if row["name"] not in backward:
            frames = [each for each in row["stack"].split(";") if is_shown(each)]
            found = got.setdefault((row["name"], ";".join(frames[:4])), [0, 0.0])
            found[0] += row["count"]
            found[1] += row["host_self"] / 1000
    want = {key: [row[0], row[2]] for key, row in case.theirs.by_stack.items() if key[0] not in backward}
    assert set(got) == set(want)
    for key, (count, own) in want.items():
        assert got[key] == [count, pytest.approx(own, abs=0.01)]


def test_stacks_of_the_backward_pass_are_those_of_the_forward_pass(cases: Callable[[str], Case]) -> None:
    rows = list(cases("cnn with stacks").ours.operators.rows())
    for row in rows:
        if row["name"] in ("aten::convolution_backward", "aten::conv2d"):
            assert "conv.py" in row["stack"]


@pytest.mark.parametrize("name", ["cnn", "cnn with stacks", "data bound"])
def test_annotations_are_those_of_torch(cases: Callable[[str], Case], name: str) -> None:
    case = cases(name)
    got = {row["name"]: row for row in case.ours.annotations.rows()}
    assert set(got) == set(case.theirs.annotations)
    for key, (count, total, own) in case.theirs.annotations.items():
        assert got[key]["count"] == count
        assert (got[key]["host_total"] / 1000, got[key]["host_self"] / 1000) == pytest.approx((total, own), abs=0.01)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_parts_of_a_step_sum_to_its_duration(cases: Callable[[str], Case], name: str) -> None:
    steps = cases(name).ours.steps
    assert steps.number.tolist() == list(range(1, STEPS + 1))
    assert (np.sum([steps.part(each) for each in PARTS], axis=0) == steps.duration).all()
    assert all((steps.part(each) >= 0).all() for each in PARTS)
    assert (steps.start[1:] >= (steps.start + steps.duration)[:-1]).all()


def test_operators_have_the_modules_that_call_them(cases: Callable[[str], Case]) -> None:
    operators = cases("cnn with stacks").ours.operators
    modules = {row["module"] for row in operators.rows() if row["name"] == "aten::conv2d"}
    assert modules == {"Convolutions_0/Sequential_0/Conv2d_0", "Convolutions_0/Sequential_0/Conv2d_1"}
    backward = {row["module"]: row["phase"] for row in operators.rows() if row["name"] == "aten::convolution_backward"}
    assert backward == dict.fromkeys(modules, "backward")
    phases = {row["name"]: row["phase"] for row in operators.rows() if row["name"] in ("aten::addcdiv_", "aten::stack")}
    assert phases["aten::stack"] == "data"
    assert phases.get("aten::addcdiv_", "optimizer") == "optimizer"


def test_times_of_modules_contain_those_of_their_children(cases: Callable[[str], Case]) -> None:
    modules = cases("transformer").ours.modules
    paths = list(modules.path)
    root = "TransformerEncoder_0"
    assert paths[0] == root
    assert f"{root}/TransformerEncoderLayer_1/MultiheadAttention_1" in paths
    assert (modules.count == STEPS).all()
    assert modules.host_total is not None
    assert modules.host_self is not None
    assert modules.host_self.sum() == modules.host_total[0]
    assert (modules.host_self >= 0).all()
    assert modules.flops is not None
    assert modules.backward is not None
    assert modules.flops[0] == modules.flops[modules.parent == 0].sum() > 0
    assert modules.backward[0] > 0


def test_the_backward_pass_lies_within_forward_and_backward(cases: Callable[[str], Case]) -> None:
    steps = cases("cnn").ours.steps
    assert steps.interval is not None
    assert steps.forward_backward is not None
    assert steps.tail is not None
    assert (steps.interval + steps.forward_backward + steps.tail == steps.duration).all()
    assert steps.data_waiting is not None
    assert (steps.interval >= steps.data_waiting).all()


def test_waiting_for_data_is_what_a_slow_dataset_takes(cases: Callable[[str], Case]) -> None:
    ours = cases("data bound").ours
    assert ours.steps.data_waiting is not None
    assert (ours.steps.data_waiting >= 20_000_000).all()
    batches = ours.data_pipeline.batches
    assert batches is not None
    assert batches.step is not None
    assert batches.step.tolist() == ours.steps.number.tolist()
    assert (batches.wait == ours.steps.data_waiting).all()


def test_memory_is_what_torch_counts(cases: Callable[[str], Case]) -> None:
    memory = cases("leaking").ours.memory
    assert memory.blocks is not None
    mebibyte = memory.blocks.size == 512 * 512 * 4
    kept = memory.blocks.select(mebibyte & (memory.blocks.freed_at == np.iinfo(np.int64).min))
    by_operator = {each: list(kept.operator or []).count(each) for each in ("aten::addmm", "aten::clamp_min")}
    assert by_operator["aten::clamp_min"] == STEPS
    assert memory.curve.allocated[-1] - memory.curve.allocated[0] >= (STEPS - 1) * 512 * 512 * 4
    grown = sum(size for size in (memory.blocks.select(memory.blocks.freed_at < 0).size).tolist())
    assert grown > 0


def test_what_a_trace_lacks_says_how_to_record_it(cases: Callable[[str], Case]) -> None:
    ours = cases("cnn").ours
    missing = {part: found for part in Part if isinstance(found := ours.part(part), Missing)}
    assert missing[Part.MODULES].remedy == "with_stack=True, with_modules=True"
    assert "CUDA" in missing[Part.KERNELS].remedy
    assert Part.OPERATORS not in missing


def test_stacks_have_no_addresses(cases: Callable[[str], Case]) -> None:
    stacks = cases("transformer").ours.operators.stack
    assert stacks is not None
    assert all(each == plain(each) for each in stacks.values)


def test_each_program_gets_the_advice_that_it_needs(cases: Callable[[str], Case]) -> None:
    codes = {
        name: {each.code for each in advise(cases(name).ours)} for name in ("data bound", "leaking", "transformer")
    }
    assert "no_workers" in codes["data bound"]
    assert "leak" in codes["leaking"]
    assert not {"data_waiting", "no_workers", "leak"} & codes["transformer"]
    assert "leak" not in codes["data bound"]
    leak = next(each for each in advise(cases("leaking").ours) if each.code == "leak")
    assert leak.values["operator"] == "aten::clamp_min"
    assert int(leak.values["growth"]) >= 512 * 512 * 4


@pytest.mark.gpu
@pytest.mark.filterwarnings("ignore:Warning. Profiler clears events")
def test_times_on_a_device_are_those_of_torch(tmp_path: Path) -> None:
    """Needs a CUDA device."""
    path = tmp_path / "cuda.pt.trace.json"
    theirs = profiled(path, programs.on_cuda(), cuda=True)
    ours = read_profile(path)
    rows = {row["name"]: row for row in ours.operators.group_by("name").rows()}
    for name, (total, own) in theirs.device.items():
        if name in rows:
            assert (rows[name]["device_total"] / 1000, rows[name]["device_self"] / 1000) == pytest.approx(
                (total, own), abs=0.01
            )
    check_tables(ours, {key: row for key, row in theirs.by_name.items() if key[0] in rows}, "name")
    assert ours.steps.device_busy is not None
    assert (ours.steps.device_busy > 0).all()
    assert ours.kernels.count.sum() > 0
