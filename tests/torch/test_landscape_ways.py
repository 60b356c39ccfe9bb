# SPDX-License-Identifier: Apache-2.0
"""Every way gives the losses of a plain loop, or refuses."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np
import pytest
import torch
from landscape_networks import DecidesByValue, Diverges, LeNet, UnknownOperator, examples
from torch import nn

from mindscope.errors import LandscapeError
from mindscope.landscape.plane import Plane
from mindscope.landscape.planes import random_plane
from mindscope.torch.landscapes.batches import FixedBatches, fixed_batches
from mindscope.torch.landscapes.network_loss import NetworkLoss
from mindscope.torch.landscapes.plane_weights import flat_vector
from mindscope.torch.landscapes.problem import LOOP, LossProblem, Way
from mindscope.torch.landscapes.statistics import statistics_names
from mindscope.torch.landscapes.trial import choose_way, measure_dtype_error
from mindscope.torch.landscapes.ways import PlaneLosses

pytestmark = pytest.mark.framework

EXAMPLES = examples()
POINTS = np.random.default_rng(0).uniform(-0.6, 0.6, (6, 2))


def make_problem(
    network: Any, loss_fn: Any, batch: Any, re_estimated: bool = False, dtype: Any = None, plane: Plane | None = None
) -> LossProblem:
    loss = NetworkLoss(network, loss_fn, dtype)
    shapes = [tuple(each.shape) for each in loss.trainable.values()]
    random = random_plane(flat_vector(loss.trainable), shapes, 3)
    buffers = {name: loss.constants[name] for name in statistics_names(network)}
    return LossProblem(loss, plane or random, fixed_batches([batch, batch], None, 0), buffers, re_estimated)


def by_hand(problem: LossProblem) -> list[float]:
    """The losses of the network itself with the weights of each point in it."""
    losses = []
    element = problem.batches.elements[0]
    for a, b in POINTS.tolist():
        network = copy.deepcopy(problem.loss.network).eval()
        vector = torch.from_numpy(problem.plane.at(a, b))
        start = 0
        for parameter in (each for each in network.parameters() if each.requires_grad):
            parameter.data = vector[start : start + parameter.numel()].view_as(parameter).clone()
            start += parameter.numel()
        if problem.depends_on_batches:
            torch.optim.swa_utils.update_bn([(element[0],)], network)
            network.eval()
        with torch.no_grad():
            if isinstance(element, dict):
                losses.append(float(network(**element)[0]))
            else:
                losses.append(float(problem.loss.loss_fn(network(*element[:-1]), element[-1])))
    return losses


@pytest.mark.parametrize("kind", EXAMPLES)
@pytest.mark.parametrize("re_estimated", [False, True])
def test_every_way_gives_the_losses_of_the_network(kind: str, re_estimated: bool) -> None:
    problem = make_problem(*EXAMPLES[kind], re_estimated)
    tolerance = 1e-12 if kind == "float64" else 2e-5
    want = PlaneLosses(problem, LOOP)(POINTS)
    if not (re_estimated and kind == "other normalizations"):  # update_bn of PyTorch leaves instance normalization
        np.testing.assert_allclose(want, by_hand(problem), rtol=tolerance)
    assert len(set(want)) == len(POINTS)
    for way in (Way("channels_last"), Way("grouped", 4), Way("grouped", 8), Way("vmap", 4)):
        if way.name == "vmap" and kind in ("transformer with tied weights", "dict", "other normalizations"):
            continue  # PyTorch has no rule for one of their operators
        np.testing.assert_allclose(PlaneLosses(problem, way)(POINTS), want, rtol=tolerance, err_msg=str(way))


def test_other_batches_have_the_same_losses() -> None:
    problem = make_problem(*EXAMPLES["lenet"])
    want = PlaneLosses(problem, LOOP)(POINTS)
    for way in (Way("channels_last", 1, 5), Way("grouped", 4, 5), Way("grouped", 4, 24)):
        np.testing.assert_allclose(PlaneLosses(problem, way)(POINTS), want, rtol=1e-5)


def test_the_network_stays_as_it_is() -> None:
    network, loss_fn, batch = EXAMPLES["residual"]
    network.train()
    network.norms[0].eval()
    before = {name: each.clone() for name, each in network.state_dict().items()}
    problem = make_problem(network, loss_fn, batch, True)
    for way in (LOOP, Way("grouped", 4)):
        PlaneLosses(problem, way)(POINTS)
    assert network.training
    assert not network.norms[0].training
    assert all(each.momentum == 0.1 and each.track_running_stats for each in network.norms)
    assert all(torch.equal(before[name], each) for name, each in network.state_dict().items())


@pytest.mark.parametrize("network", [DecidesByValue(), UnknownOperator()], ids=lambda each: type(each).__name__)
def test_a_network_that_has_no_groups_falls_back(network: nn.Module) -> None:
    problem = make_problem(network, nn.MSELoss(), (torch.randn(8, 3), torch.randn(8, 3)))
    chosen = choose_way(problem, POINTS[:3])
    assert chosen.way.name in ("loop", "channels_last")
    with pytest.raises(LandscapeError, match="evaluation is 'grouped', but the network can't be computed so"):
        choose_way(problem, POINTS[:3], "grouped")


def test_the_trial_chooses_a_way_with_the_losses_of_the_loop() -> None:
    problem = make_problem(*EXAMPLES["lenet"])
    chosen = choose_way(problem, POINTS[:3])
    np.testing.assert_allclose(PlaneLosses(problem, chosen.way)(POINTS), PlaneLosses(problem, LOOP)(POINTS), rtol=1e-4)
    assert choose_way(problem, POINTS[:3], "grouped").way.name == "grouped"
    assert choose_way(problem, POINTS[:3], "vmap").way.name == "vmap"
    assert choose_way(problem, POINTS[:3], "loop").way == LOOP
    with pytest.raises(ValueError, match="evaluation is 'fast', want auto, loop, channels_last, vmap, grouped"):
        choose_way(problem, POINTS[:3], "fast")


class Approximate(nn.Module):
    """Rounds by groups otherwise than alone: an operator that depends on what else is in the tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x: Any) -> Any:
        y = self.layer(x)
        return y / y.detach().abs().amax()


def test_statistics_of_a_batch_forbid_other_batches() -> None:
    rows = torch.randn(96, 3)
    problem = make_problem(Approximate(), nn.MSELoss(), (rows, torch.randn(96, 2)))
    chosen = choose_way(problem, POINTS[:3])
    assert chosen.way.batch_size is None
    np.testing.assert_allclose(PlaneLosses(problem, chosen.way)(POINTS), PlaneLosses(problem, LOOP)(POINTS), rtol=1e-5)


def test_losses_that_are_not_finite_are_kept() -> None:
    network = Diverges()
    with torch.no_grad():
        network.layer.weight.fill_(0.1)
        network.layer.bias.zero_()
    v = np.array([1, 0, 0, 0], np.float32)
    w = np.array([0, 0, 0, 1], np.float32)
    plane = Plane(np.array([0.1, 0.1, 0.1, 0], np.float32), v, w)
    problem = make_problem(network, lambda out, _: out, (torch.ones(4, 3), torch.zeros(4)), plane=plane)
    points = np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 0.125], [0.0, 0.5], [0.1, 0.05]])
    for way in (LOOP, Way("grouped", 4), Way("vmap", 4)):
        losses = PlaneLosses(problem, way)(points)
        assert np.isfinite(losses).tolist() == [True, False, False, False, True]
        assert np.isnan(losses).tolist() == [False, True, False, True, False]
    choose_way(problem, points[:3])


def test_half_precision_is_measured() -> None:
    network, loss_fn, batch = EXAMPLES["residual"]
    exact = make_problem(network, loss_fn, batch)
    half = make_problem(network, loss_fn, batch, dtype=torch.bfloat16, plane=exact.plane)
    error = measure_dtype_error(half, exact, POINTS)
    assert 1e-6 < error < 0.05
    got = PlaneLosses(half, Way("grouped", 4))(POINTS)
    np.testing.assert_allclose(got, PlaneLosses(exact, LOOP)(POINTS), rtol=0.05)
    assert measure_dtype_error(exact, exact, POINTS) == 0.0


def test_a_shuffling_loader_gives_the_same_samples_for_a_seed() -> None:
    rows = torch.arange(40.0).view(20, 2)
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(rows, rows), batch_size=8, shuffle=True)
    state = torch.random.get_rng_state()
    one, same, other = (fixed_batches(data, 13, seed) for seed in (1, 1, 2))
    assert one.lengths == [8, 5]
    assert torch.equal(one.elements[1][0], same.elements[1][0])
    assert not torch.equal(one.elements[0][0], other.elements[0][0])
    assert torch.equal(state, torch.random.get_rng_state())


def test_an_empty_loader_is_refused() -> None:
    with pytest.raises(ValueError, match="data is list and gave no samples: it is empty"):
        fixed_batches([], 8, 0)
    with pytest.raises(TypeError, match="data is int, want a DataLoader"):
        fixed_batches(3, 8, 0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a batch of data is list without tensors"):
        fixed_batches([["a"]], 8, 0)


def test_networks_without_trainable_parameters_are_refused() -> None:
    with pytest.raises(ValueError, match="network has no trainable parameters"):
        NetworkLoss(LeNet().requires_grad_(False), None)
    with pytest.raises(TypeError, match="network is str, want a torch"):
        NetworkLoss("lenet", None)  # type: ignore[arg-type]


def test_batches_that_can_not_be_cut_stay_whole() -> None:
    batches = fixed_batches([(torch.zeros(4, 2), torch.tensor(1.0))], 3, 0)
    assert batches.lengths == [4]
    assert not batches.can_be_split
    assert FixedBatches([(torch.zeros(4, 2),)], [4]).can_be_split


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("kind", ["lenet", "residual", "transformer with tied weights"])
@pytest.mark.parametrize("re_estimated", [False, True])
def test_a_device_gives_the_losses_of_the_processor(kind: str, re_estimated: bool) -> None:
    network, loss_fn, batch = EXAMPLES[kind]
    want = PlaneLosses(make_problem(network, loss_fn, batch, re_estimated), LOOP)(POINTS)
    moved = copy.deepcopy(network).cuda()
    problem = make_problem(moved, loss_fn, tuple(each.cuda() for each in batch), re_estimated)
    problem = dataclasses.replace(problem, batches=problem.batches.to(torch.device("cuda")))
    for way in (LOOP, Way("channels_last"), Way("grouped", 4), choose_way(problem, POINTS[:3]).way):
        np.testing.assert_allclose(PlaneLosses(problem, way)(POINTS), want, rtol=1e-3, err_msg=str(way))
