# SPDX-License-Identifier: Apache-2.0
"""Summary operators: eager, compiled, in a backward pass, in an optimizer; what is kept and for how long."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mindscope

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402

from mindscope.torch.summary import (  # noqa: E402
    operators,
    step_value,
    summary_buffer,
)
from mindscope.torch.summary.host_copy import HostCopy  # noqa: E402

# Inductor's own import of torch.jit warns
pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

take_values = summary_buffer.take_values


@pytest.fixture(autouse=True)
def _collecting() -> Iterator[None]:
    torch._dynamo.reset()
    with summary_buffer.collecting():
        yield
    assert not summary_buffer.is_collecting()


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = torch.nn.Linear(4, 4), torch.nn.Linear(4, 1)
        self.scalar, self.histogram = operators.ScalarSummary(), operators.HistogramSummary()
        self.tensor, self.image = operators.TensorSummary(), operators.ImageSummary()

    def forward(self, x: Any) -> Any:
        self.image("input", x.reshape(-1, 1, 2, 2))
        hidden = torch.relu(self.first(x))
        self.histogram("hidden", hidden)
        self.tensor("hidden", hidden)
        if hidden.requires_grad:
            hidden.register_hook(lambda grad: self.tensor("hidden.gradient", grad))
        loss = self.last(hidden).mean()
        self.scalar("loss", loss)
        return loss


NAMES = [("image", "input"), ("histogram", "hidden"), ("tensor", "hidden"), ("scalar", "loss")]


@pytest.mark.parametrize("backend", [None, "eager", "aot_eager", "inductor"])
def test_values_of_forward_and_backward_are_kept_without_a_graph_break(backend: str | None) -> None:
    torch.manual_seed(1)
    net, x = Net(), torch.randn(3, 4)
    step = net if backend is None else torch.compile(net, backend=backend, fullgraph=True)
    for _ in range(2):
        loss = step(x)
        loss.backward()
        values = take_values()
        assert [(plugin, name) for plugin, name, _ in values] == [*NAMES, ("tensor", "hidden.gradient")]
        got = {(plugin, name): tensor for plugin, name, tensor in values}
        want = torch.relu(net.first(x))
        torch.testing.assert_close(got["tensor", "hidden"], want.detach())
        torch.testing.assert_close(got["scalar", "loss"], loss.detach())
        torch.testing.assert_close(got["image", "input"], x.reshape(3, 1, 2, 2))
        torch.testing.assert_close(got["tensor", "hidden.gradient"], (net.last.weight / 3).expand(3, 4).detach())
        assert not any(tensor.requires_grad for tensor in got.values())


def test_a_value_changed_in_place_afterwards_stays_as_it_was() -> None:
    value = torch.ones(2)
    operators.TensorSummary()("value", value)
    value.zero_()
    assert take_values()[0][2].tolist() == [1, 1]


def test_under_autocast_values_keep_their_type() -> None:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        operators.TensorSummary()("product", torch.ones(2, 2) @ torch.ones(2, 2))
        operators.TensorSummary()("wide", torch.ones(2))
    assert [tensor.dtype for _, _, tensor in take_values()] == [torch.bfloat16, torch.float32]


class RecordingSgd(torch.optim.SGD):
    """The documented gradient trick."""

    histogram = operators.HistogramSummary()

    def step(self, closure: Any = None) -> Any:
        for number, parameter in enumerate(self.param_groups[0]["params"]):
            self.histogram(f"{number}.gradient", parameter.grad)
        return super().step(closure)


def test_gradients_are_recorded_in_an_optimizer_subclass() -> None:
    net = torch.nn.Linear(2, 1)
    net(torch.ones(1, 2)).sum().backward()
    RecordingSgd(net.parameters(), lr=0.1).step()
    assert [(name, tensor.tolist()) for _, name, tensor in take_values()] == [
        ("0.gradient", [[1, 1]]),
        ("1.gradient", [1]),
    ]


@pytest.mark.parametrize("backend", [None, "eager", "inductor"])
@pytest.mark.parametrize(
    ("reduce", "want"),
    [
        (None, [("loss", 5.0)]),
        ("last", [("loss", 5.0)]),
        ("mean", [("loss", 3.0)]),
        ("each", [("loss/0", 1.0), ("loss/1", 3.0), ("loss/2", 5.0)]),
    ],
)
def test_several_values_of_a_name_in_a_step_are_reduced(reduce: Any, want: Any, backend: str | None) -> None:
    scalar = operators.ScalarSummary(reduce)

    def double(x: Any) -> Any:
        scalar("loss", x.sum())
        return x * 2

    step = double if backend is None else torch.compile(double, backend=backend, fullgraph=True)
    for value in (1.0, 3.0, 5.0):
        step(torch.tensor([value]))
    assert [(name, float(tensor)) for _, name, tensor in take_values()] == want
    step(torch.tensor([7.0]))
    assert [float(tensor) for _, _, tensor in take_values()] == [7.0]


def test_a_shared_module_is_called_twice_in_a_compiled_network() -> None:
    net, x = Net(), torch.rand(3, 4)
    twice = torch.compile(lambda x: net(x) + net(x + 1), backend="aot_eager", fullgraph=True)
    twice(x).backward()
    values = {(plugin, name): tensor for plugin, name, tensor in take_values()}
    torch.testing.assert_close(values["image", "input"], (x + 1).reshape(3, 1, 2, 2))
    assert ("tensor", "hidden.gradient") in values


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.int64, torch.float64, torch.complex64])
def test_means_are_exact_in_narrow_types(dtype: Any) -> None:
    tensor = operators.TensorSummary(reduce="mean")
    for value in (1, 2, 4, 256):
        tensor("x", torch.full((2, 2), value, dtype=dtype))
    ((_, _, kept),) = take_values()
    assert kept.tolist() == [[65.75] * 2] * 2


def test_a_mean_of_different_shapes_and_too_many_values_are_counted() -> None:
    mean, each = operators.TensorSummary("mean"), operators.ScalarSummary("each")
    mean("x", torch.ones(2))
    mean("x", torch.ones(3))
    for number in range(step_value.MOST_EACH + 5):
        each("y", number)
    values, problems = summary_buffer.BUFFER.take()
    assert values["tensor", "x"].tolist() == [1, 1]
    assert len(values) == 1 + step_value.MOST_EACH
    assert {key: (problem.lost, problem.is_drop) for key, problem in problems.items()} == {
        ("tensor", "x"): (1, True),
        ("scalar", "y"): (5, True),
    }


def test_gradients_of_several_backward_passes_are_reduced() -> None:
    tensor = operators.TensorSummary("each")
    weight = torch.ones(1, requires_grad=True)
    for factor in (2.0, 3.0):
        product = weight * factor
        product.register_hook(lambda grad: tensor("gradient", grad))
        (product * factor).sum().backward()
    assert [(name, value.tolist()) for _, name, value in take_values()] == [
        ("gradient/0", [2.0]),
        ("gradient/1", [3.0]),
    ]


def test_another_reduction_is_refused_where_the_operator_is_made() -> None:
    bad: Any = "sum"
    with pytest.raises(ValueError, match="reduce is 'sum', want one of 'last', 'mean', 'each'"):
        operators.ScalarSummary(bad)


def test_the_second_forward_of_activation_checkpointing_is_no_second_value() -> None:
    net, x = Net(), torch.randn(3, 4, requires_grad=True)
    torch.utils.checkpoint.checkpoint(net, x, use_reentrant=False).backward()
    assert [(plugin, name) for plugin, name, _ in take_values()][:4] == NAMES


def test_nothing_is_kept_while_nobody_collects() -> None:
    summary_buffer.stop_collecting()
    try:
        for _ in range(3):
            operators.ScalarSummary()("loss", torch.tensor(1.0))
    finally:
        summary_buffer.start_collecting()
    assert take_values() == []


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize(
    ("plugin", "name", "value", "text"),
    [
        ("Scalar", "x", torch.ones(2), r"scalar 'x' has shape \(2,\), want exactly one element"),
        ("Image", "x", torch.ones(2, 2, 5, 5), r"image 'x' has shape \(2, 2, 5, 5\)"),
        ("Image", "x", torch.ones(0, 3, 5, 5), r"image 'x' has shape \(0, 3, 5, 5\)"),
        ("Histogram", "x", torch.ones(2, dtype=torch.complex64), "complex64, want real numbers"),
        ("Tensor", "", torch.ones(2), "name of a tensor is empty"),
        ("Tensor", torch.ones(2), "x", r"name of a tensor is Tensor.*op\(name, value\)"),
        ("Tensor", "x", "text", "tensor 'x' is str, want a tensor or number"),
        ("Tensor", "x", [[1], [1, 2]], "tensor 'x' is list, want a tensor or number"),
        ("Tensor", "x", None, "tensor 'x' is NoneType, want a tensor or number"),
    ],
)
def test_bad_names_and_values_never_raise_and_are_counted(
    plugin: str, name: Any, value: Any, text: str, is_compiled: bool
) -> None:
    operator = getattr(operators, f"{plugin}Summary")()

    def forward(x: Any) -> Any:
        operator(name, value)
        return x + 1

    run = torch.compile(forward, backend="eager", fullgraph=True) if is_compiled else forward
    assert run(torch.ones(1)).tolist() == [2]
    assert run(torch.ones(1)).tolist() == [2]
    values, problems = summary_buffer.BUFFER.take()
    ((_, problem),) = problems.items()
    assert values == {}
    assert (problem.lost, problem.is_drop) == (2, True)
    assert re.search(text, problem.text)


def test_what_is_taken_can_be_recorded_and_read(tmp_path: Path) -> None:
    with mindscope.SummaryRecord(tmp_path, raise_exception=True) as record:
        Net()(torch.rand(3, 4))
        for plugin, name, value in take_values():
            record.add_value(plugin, name, value)
        record.record(1)
    run = mindscope.open_run(tmp_path)
    tags = {kind: run.tags(kind) for kind in ("image", "histogram", "tensor", "scalar")}
    assert tags == {"image": ("input",), "histogram": ("hidden",), "tensor": ("hidden",), "scalar": ("loss",)}


def test_compiling_breaks_no_graph() -> None:
    explained = torch._dynamo.explain(Net())(torch.rand(3, 4))
    assert (explained.graph_count, explained.graph_break_count) == (1, 0)


@pytest.mark.parametrize("in_dims", [0, 1])
@pytest.mark.parametrize("is_compiled", [False, True])
def test_under_vmap_all_samples_are_one_value(in_dims: int, is_compiled: bool) -> None:
    tensor, x = operators.TensorSummary(), torch.randn(3, 4)

    def square(row: Any) -> Any:
        tensor("row", row)
        return (row * row).sum()

    mapped = torch.vmap(torch.func.grad(square), in_dims)
    (torch.compile(mapped, backend="eager", fullgraph=True) if is_compiled else mapped)(x)
    ((_, _, kept),) = take_values()
    torch.testing.assert_close(kept, x if in_dims == 0 else x.T)


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize(
    ("reduce", "want"),
    [
        ("last", [("total", 11.0)]),
        ("mean", [("total", 7.0)]),
        ("each", [("total/0", 3.0), ("total/1", 7.0), ("total/2", 11.0)]),
    ],
)
def test_a_scalar_under_vmap_has_a_value_a_sample(reduce: Any, want: Any, is_compiled: bool) -> None:
    scalar = operators.ScalarSummary(reduce)

    def total(row: Any) -> Any:
        scalar("total", row.sum())
        return row

    mapped = torch.vmap(total)
    run = torch.compile(mapped, backend="eager", fullgraph=True) if is_compiled else mapped
    run(torch.arange(6.0).reshape(3, 2) + 1)
    assert [(name, float(value)) for _, name, value in take_values()] == want


@pytest.mark.gpu
@pytest.mark.filterwarnings("ignore:Synchronization debug mode is a prototype")
def test_values_of_a_gpu_are_brought_over_without_waiting_at_the_call() -> None:
    value = torch.arange(4.0, device="cuda")
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    try:
        operators.TensorSummary()("value", value)
        operators.ScalarSummary()("sum", value.sum())
        copy = HostCopy(summary_buffer.BUFFER.take().values)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert [tensor.tolist() for _, _, tensor in copy.values()] == [[0, 1, 2, 3], 6]
    assert copy.is_ready


class WithSummaries(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scalar, self.linear, self.calls = operators.ScalarSummary(), nn.Linear(2, 2), 0

    def forward(self, x: Any) -> Any:
        self.scalar("mean", x.mean())
        self.scalar("calls", self.calls)
        return self.linear(x)


def test_traces_keep_and_drop_no_values() -> None:
    network, x = WithSummaries(), torch.ones(3, 2)
    traced = torch.fx.symbolic_trace(network)
    with FakeTensorMode(allow_non_fake_inputs=True):
        network(torch.empty(3, 2))
    torch.export.export(network, (x,), strict=False)
    make_fx(network, tracing_mode="fake", _allow_non_fake_inputs=True)(x)
    assert not summary_buffer.BUFFER.holds_values
    traced(x)
    assert [(name, float(value)) for _, name, value in take_values()] == [("mean", 1.0)]
