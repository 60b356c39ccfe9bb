# SPDX-License-Identifier: Apache-2.0
"""Landscapes and sharpness against closed forms, from checkpoints to event files."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from landscape_closed_forms import CURVATURES, Fit, Quadratic, labeled, make_model, rows
from torch import nn

import mindscope
from mindscope.errors import LandscapeError
from mindscope.landscape.flatness import loss_rise
from mindscope.landscape.planes import path_plane, random_plane
from mindscope.torch import Model, SummaryCollector, SummaryLandscape, save_checkpoint, sharpness
from mindscope.torch import landscape as typed_landscape
from mindscope.torch.landscapes.checkpoints import find_checkpoints

pytestmark = pytest.mark.framework

landscape: Any = typed_landscape  # its results have optional parts

START = np.linspace(-1.0, 1.0, 5)


def quadratic(weights: np.ndarray) -> np.ndarray:
    return 1.0 + np.sum(np.asarray(CURVATURES) * weights**2, axis=-1) / 2


def states(*weights: Any) -> list[dict[str, torch.Tensor]]:
    tensors = [torch.tensor(each, dtype=torch.float32) for each in weights]
    return [{"first": each[:2], "second": each[2:].view(1, -1)} for each in tensors]


def on_grid(found: mindscope.types.Landscape) -> Any:
    plain: Any = np
    return plain.stack(plain.meshgrid(found.x, found.y), axis=-1)


def test_a_line_between_two_checkpoints() -> None:
    first, last = np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([0.5, -1.0, 0.0, 2.0, 1.0])
    found = landscape(Quadratic, None, rows(), states(first, last), method="line", size=29, full=True)
    assert found.z.shape == (1, 29)
    assert (found.x[0], found.x[-1]) == pytest.approx((-0.2, 1.2))
    want = quadratic(first + found.x[:, None] * (last - first))
    np.testing.assert_allclose(found.z[0], want, rtol=1e-4)
    np.testing.assert_allclose(found.path_z, quadratic(np.stack([first, last])), rtol=1e-4)
    assert found.facts.method == "line"


def test_a_saddle_through_three_checkpoints() -> None:
    first, second, third = np.zeros(5), np.array([2.0, 0, 0, 0, 0]), np.array([1.0, 0, 0, 0, 3.0])
    found = landscape(Quadratic(), None, rows(), states(first, second, third), method="three", size=9, full=True)
    a, b = on_grid(found)[..., 0], on_grid(found)[..., 1]
    np.testing.assert_allclose(found.z, 1 + 5 * a**2 / 2 - 2 * b**2 / 2, rtol=1e-4)
    np.testing.assert_allclose(found.facts.path_distances, 0, atol=1e-4)
    np.testing.assert_allclose(found.facts.path_lengths, [0, 2, np.sqrt(10)], rtol=1e-4)


def test_the_plane_of_a_path() -> None:
    path = [np.array([4.0 - n, (n - 2.0) ** 2, 0.3, 0.2, 0.1], np.float32) for n in range(5)]
    found = landscape(Quadratic(), None, rows(), states(*path), size=12, full=True)
    plane = path_plane(path, [(2,), (1, 3)])
    assert plane.w is not None
    grid = on_grid(found)
    np.testing.assert_allclose(found.z, quadratic(plane.origin + grid @ np.stack([plane.v, plane.w])), rtol=1e-4)
    projection = plane.project(path)
    np.testing.assert_allclose(np.stack([found.path_x, found.path_y], 1), projection.coordinates, atol=1e-5)
    np.testing.assert_allclose(found.facts.path_distances, projection.distances, atol=1e-5)
    assert found.facts.explained_variance == pytest.approx(projection.explained_variance, abs=1e-4)
    x = found.path_x
    assert (found.x[0], found.x[-1]) == pytest.approx((x.min() - 0.2 * np.ptp(x), x.max() + 0.2 * np.ptp(x)), rel=1e-4)


def test_a_path_that_leaves_its_plane() -> None:
    path = [np.array([4.0 - n, (n - 2.0) ** 2 + 1, 0.3 + 0.1 * (-1) ** n, 0.2, 0.1]) for n in range(5)]
    found = landscape(Quadratic(), None, rows(), states(*path), size=5)
    assert found.facts.path_distances[-1] == pytest.approx(0, abs=1e-5)
    assert found.facts.path_distances[:-1].max() > 0.01
    assert found.facts.path_lengths[0] == pytest.approx(float(np.linalg.norm(path[0] - path[-1])), rel=1e-5)


def test_how_flat_the_end_of_a_training_is() -> None:
    """The mean rise at a distance R on a plane is R^2 / 4 times the trace of the curvatures along the plane."""
    end = np.array([0.4, -1.0, 0.7, 2.0, 1.0], np.float32)
    found = landscape(Quadratic(), None, rows(), states(end), method="random", size=9, seed=3, full=True)
    plane = random_plane(end, [(2,), (1, 3)], 3)
    assert plane.w is not None
    basis = np.stack([plane.v, plane.w]).astype(np.float64)
    assert found.facts.weight_norm == pytest.approx(np.linalg.norm(end))
    gram: Any = basis @ basis.T
    np.testing.assert_allclose(found.facts.direction_products, gram[np.triu_indices(2)], rtol=1e-6)
    rise = loss_rise(found)
    assert rise is not None
    curvature = np.trace(np.linalg.inv(gram) @ (basis * CURVATURES) @ basis.T)
    np.testing.assert_allclose(rise.mean, np.square(rise.radius * np.linalg.norm(end)) / 4 * curvature, rtol=2e-3)


def test_directions_of_the_hessian() -> None:
    network = Quadratic()
    found = landscape(network, None, rows(), method="hessian", size=7, full=True)
    a, b = on_grid(found)[..., 0], on_grid(found)[..., 1]
    along = [sign * np.eye(5)[place] for place, sign in ((0, 1), (1, 1))]
    candidates = [
        quadratic(START + a[..., None] * s * along[0] + b[..., None] * t * along[1]) for s in (1, -1) for t in (1, -1)
    ]
    assert min(float(np.abs(found.z - each).max()) for each in candidates) < 1e-3


def test_random_directions_are_those_of_the_seed() -> None:
    one, same, other = (landscape(Quadratic(), None, rows(), method="random", size=5, seed=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(one.z, same.z)
    assert not np.allclose(one.z, other.z)
    assert one.convergence_point == pytest.approx((0, 0, float(quadratic(START))), rel=1e-5)


@pytest.mark.parametrize("dtype", [None, "float64"])
def test_sharpness_of_a_quadratic(dtype: str | None, tmp_path: Path) -> None:
    found = sharpness(
        Quadratic(), None, rows(), step=7, dtype=dtype, eigenvalues=3, rho=0.25, output=tmp_path, trace_probes=4
    )
    assert found.top_eigenvalues == pytest.approx((5.0, 3.0, 1.0), abs=1e-4)
    assert found.trace.value == pytest.approx(sum(CURVATURES), abs=1e-4)  # exact for a diagonal matrix and signs
    assert max(found.residuals) < 5e-3
    density: Any = found.spectral_density
    assert np.sort(np.unique(density.nodes.round(3)))[[0, -1]] == pytest.approx([-2, 5], abs=1e-3)
    assert float(np.sum(density.nodes * density.weights)) == pytest.approx(sum(CURVATURES) / 5, abs=1e-4)
    gradient = np.asarray(CURVATURES) * START
    worst = quadratic(START + 0.25 * gradient / np.linalg.norm(gradient))
    assert found.worst_loss == pytest.approx(float(worst), abs=1e-4)
    assert found.loss == pytest.approx(float(quadratic(START)), abs=1e-4)
    run = mindscope.open_run(tmp_path)
    assert run.scalars("sharpness/top_eigenvalue_1").value == pytest.approx([5.0], abs=1e-4)
    assert run.scalars("sharpness/trace").step.tolist() == [7]
    assert run.scalars("sharpness/worst_loss").value == pytest.approx([float(worst)], abs=1e-4)
    assert len(run.histograms("sharpness/spectral_density")) == 1


def test_sharpness_of_a_network_equals_its_whole_hessian() -> None:
    torch.manual_seed(0)
    network = Fit().double().eval()
    data = [(x.double(), y) for x, y in labeled()]
    found = sharpness(network, nn.CrossEntropyLoss(), data, eigenvalues=2, trace_probes=400)
    names = [name for name, _ in network.named_parameters()]
    flat = torch.cat([each.detach().flatten() for each in network.parameters()])
    inputs, labels = (torch.cat(each) for each in zip(*data, strict=True))

    def loss(vector: Any) -> torch.Tensor:
        parts = vector.split([each.numel() for each in network.parameters()])
        state = {n: p.view_as(each) for n, p, each in zip(names, parts, network.parameters(), strict=True)}
        return nn.functional.cross_entropy(torch.func.functional_call(network, state, (inputs,)), labels)

    autograd: Any = torch.autograd
    hessian = autograd.functional.hessian(loss, flat).numpy()
    want = np.linalg.eigvalsh(hessian)[::-1]
    assert found.top_eigenvalues == pytest.approx(want[:2], abs=1e-4)
    assert found.trace.value == pytest.approx(np.trace(hessian), abs=5 * found.trace.standard_error)


def test_weights_that_diverged_have_no_sharpness() -> None:
    network = Quadratic()
    with torch.no_grad():
        network.first.fill_(float("nan"))
    with pytest.raises(ValueError, match="NaN or Infinity"):
        sharpness(network, None, rows())
    with torch.no_grad():
        network.first.fill_(1e30)
    network.curvatures *= float("inf")
    with pytest.raises(ValueError, match="NaN or Infinity"):
        sharpness(network, None, rows())


def test_a_run_is_recorded_as_mindspore_does(tmp_path: Path) -> None:
    """Train, keep weights, compute, and read the event file; partial surfaces are there too."""
    train(tmp_path)
    network = Fit()
    found = landscape(network, nn.CrossEntropyLoss(), labeled(), tmp_path, size=9, num_samples=40, full=True)
    assert found.path_intervals == (1, 2, 3, 4, 5, 6)
    assert (found.decomposition, found.unit, found.step_per_epoch) == ("PCA", "step", 3)
    assert found.facts.num_samples == 40
    assert found.facts.dtype == "float32"
    assert found.facts.evaluation in ("loop", "channels_last", "grouped")
    read: Any = mindscope.open_run(tmp_path).landscapes()["landscape_[1, 6]"]
    np.testing.assert_allclose(read.z, found.z.astype(np.float32), rtol=1e-6)
    assert read.facts.normalization == "as_trained"
    last = find_checkpoints(tmp_path, network)
    assert last.numbers == (1, 2, 3, 4, 5, 6)
    network.load_state_dict(dict(last.checkpoints[-1].read()), strict=False)
    network.eval()
    data = [(x, y) for x, y in labeled()]
    inputs, labels = torch.cat([x for x, _ in data])[:40], torch.cat([y for _, y in data])[:40]
    with torch.no_grad():
        want = float(nn.functional.cross_entropy(network(inputs), labels))
    assert found.convergence_point[2] == pytest.approx(want, rel=1e-4)


def train(directory: Path) -> None:
    torch.manual_seed(1)
    network = Fit()
    settings = {"landscape_size": 5, "unit": "step", "num_samples": 48, "intervals": [[1, 2, 3], [4, 5, 6]]}
    collector = SummaryCollector(directory, collect_specified_data={"collect_landscape": settings})
    optimizer = torch.optim.SGD(network.parameters(), lr=0.5)
    Model(network, nn.CrossEntropyLoss(), optimizer).train(2, labeled(), callbacks=[collector])


def test_summary_landscape(tmp_path: Path) -> None:
    train(tmp_path)
    made = SummaryLandscape(tmp_path)
    made.gen_landscapes_with_multi_process(make_model, full=True)
    run = mindscope.open_run(tmp_path)
    tags = ["landscape_[1, 3]", "landscape_[4, 6]", "landscape_[6]"]
    alone = [run.landscapes()[tag] for tag in tags]
    assert [each.decomposition for each in alone] == ["PCA", "PCA", "Random"]
    assert all(each.z.shape == (5, 5) and np.isfinite(each.z).all() for each in alone)
    for losses in (tmp_path / "ckpt_dir").glob("*.losses"):
        losses.unlink()
    made.gen_landscapes_with_multi_process(make_model, device_ids=[0, 1], output=tmp_path / "processes", full=True)
    run = mindscope.open_run(tmp_path / "processes")
    for tag, each in zip(tags, alone, strict=True):
        np.testing.assert_allclose(run.landscapes()[tag].z, each.z, rtol=1e-4)
    made.gen_landscapes_with_multi_process(
        make_model, {"create_landscape": {"train": False, "result": True}, "landscape_size": 4}, output=tmp_path / "one"
    )
    assert mindscope.open_run(tmp_path / "one").landscapes()["landscape_[6]"].z.shape == (4, 4)
    made.clean_ckpt()
    with pytest.raises(FileNotFoundError):
        made.gen_landscapes_with_multi_process(make_model)


@pytest.mark.parametrize("value", ["0", 0, [True], ["0"], [0.5]])
def test_devices_are_checked(tmp_path: Path, value: Any) -> None:
    with pytest.raises(TypeError, match="device_ids is"):
        SummaryLandscape(tmp_path).gen_landscapes_with_multi_process(make_model, device_ids=value)


def test_callback_functions_are_checked(tmp_path: Path) -> None:
    train(tmp_path)
    with pytest.raises(TypeError, match="callback_fn returned Fit, want"):
        SummaryLandscape(tmp_path).gen_landscapes_with_multi_process(Fit)  # type: ignore[arg-type]


def test_any_executor_computes_the_same() -> None:
    kwargs: dict[str, Any] = {"method": "random", "size": 6, "full": True}
    alone = landscape(Quadratic, None, rows(), **kwargs)
    with ThreadPoolExecutor(2) as threads:
        found = landscape(Quadratic, None, rows(), executor=threads, **kwargs)
    np.testing.assert_allclose(found.z, alone.z, rtol=1e-5)
    fx: Any = torch.fx
    assert not fx._symbolic_trace.is_fx_tracing()  # else torch.compile refuses every network from now on
    with ProcessPoolExecutor(1, get_context("spawn")) as processes:
        found = landscape(Quadratic, None, rows(), executor=processes, **kwargs)
        np.testing.assert_allclose(found.z, alone.z, rtol=1e-5)
        with pytest.raises(LandscapeError, match="an executor needs functions and classes of a module"):
            landscape(lambda: Quadratic(), None, rows(), executor=processes, **kwargs)


def test_re_estimated_statistics_are_those_of_the_samples() -> None:
    torch.manual_seed(0)
    network = Fit()
    data = labeled()[:1]
    found = landscape(
        network, nn.CrossEntropyLoss(), data, method="random", size=5, normalization="re_estimated", full=True
    )
    again = Fit()
    again.load_state_dict(network.state_dict())
    torch.optim.swa_utils.update_bn([data[0][:1]], again)
    with torch.no_grad():
        want = float(nn.functional.cross_entropy(again.eval()(data[0][0]), data[0][1]))
    assert found.convergence_point[2] == pytest.approx(want, rel=1e-4)
    assert found.facts.normalization == "re_estimated"


def test_bfloat16_is_measured_before_it_is_taken() -> None:
    torch.manual_seed(0)
    network, loss_fn = Fit(), nn.CrossEntropyLoss()
    half = landscape(network, loss_fn, labeled(), method="random", size=5, dtype="bfloat16", full=True)
    assert half.facts.dtype == "bfloat16"
    assert 0 < half.facts.dtype_error < 0.1
    exact = landscape(network, loss_fn, labeled(), method="random", size=5, full=True)
    assert exact.facts.dtype_error is None
    np.testing.assert_allclose(half.z, exact.z, rtol=0.1)
    chosen = landscape(network, loss_fn, labeled(), method="random", size=5, dtype="auto", full=True)
    assert chosen.facts.dtype == "float32" or chosen.facts.dtype_error <= 0.01


def test_checkpoints_of_another_network_are_named(tmp_path: Path) -> None:
    file = tmp_path / "other.ckpt"
    save_checkpoint(nn.Linear(4, 6), file)
    with pytest.raises(
        ValueError, match=r"other\.ckpt: it is of another network, and doesn't have layers\.0\.weight, "
    ):
        landscape(Fit(), nn.CrossEntropyLoss(), labeled(), [file], method="random")
    wide = {name: torch.zeros(9, *each.shape[1:]) for name, each in Fit().state_dict().items()}
    with pytest.raises(ValueError, match=r"has layers\.0\.weight \[9, 4\] instead of \[6, 4\]"):
        landscape(Fit(), nn.CrossEntropyLoss(), labeled(), [wide], method="random")


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"method": "tsne"}, "method is 'tsne', want pca, random, hessian, three, line"),
        ({"method": "pca"}, "method 'pca' wants at least 3 checkpoints, and there are 1"),
        ({"size": 2}, "size is 2, want a whole number from 3 to 256"),
        ({"normalization": "none"}, "normalization is 'none', want as_trained or re_estimated"),
        ({"dtype": "int8"}, "dtype is 'int8', want"),
        ({"num_samples": -1}, "num_samples is -1, want a whole number from 1"),
        ({"evaluation": "fast"}, "evaluation is 'fast', want"),
        ({"checkpoints": []}, "checkpoints is empty"),
    ],
)
def test_arguments_are_checked(kwargs: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        landscape(Quadratic(), None, rows(), **{"method": "random", **kwargs})


def test_a_network_without_a_loss_says_what_to_give() -> None:
    network = torch.nn.Linear(2, 2)
    batches = [(torch.ones(4, 2), torch.zeros(4, dtype=torch.long))]
    with pytest.raises(TypeError, match=r"Linear can't be called with a whole batch: .*; give a loss function"):
        landscape(network, None, batches, method="random", size=3)


def test_a_killed_computation_continues(tmp_path: Path) -> None:
    program = Path(__file__).with_name("landscape_killed.py")

    def run(kill_at: int) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, program, tmp_path, str(kill_at)], capture_output=True, text=True)

    assert run(20).returncode == -9
    continued = run(0)
    assert continued.returncode == 0, continued.stderr
    assert int(continued.stdout) > 20  # what was done before the first task
    torch.manual_seed(0)
    whole = landscape(Fit(), nn.CrossEntropyLoss(), labeled(), method="random", size=12, full=True)
    found: Any = mindscope.open_run(tmp_path).landscapes()["landscape_[1]"]
    np.testing.assert_allclose(found.z, whole.z, rtol=1e-5)
    assert found.facts.points_done == whole.facts.points_done
