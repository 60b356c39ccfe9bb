# SPDX-License-Identifier: Apache-2.0
"""Landscapes of MindSpore: those that MindSpore computed, modes of normalization, partial ones, failures."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

mindspore = pytest.importorskip("mindspore")
from mindspore import nn  # noqa: E402
from mindspore.train import Loss, Model  # noqa: E402
from trainings import Perceptron, digits, loss_function  # noqa: E402

import mindscope  # noqa: E402
from mindscope.errors import LandscapeError  # noqa: E402
from mindscope.landscape.grid import grid_of_path  # noqa: E402
from mindscope.landscape.planes import path_plane  # noqa: E402
from mindscope.mindspore import SummaryCollector, SummaryLandscape, SummaryRecord  # noqa: E402
from mindscope.mindspore.landscape_weights import read_checkpoint  # noqa: E402
from mindscope.types import Landscape, LandscapeFacts  # noqa: E402
from tests.landscape.networks import Network  # noqa: E402
from tests.landscape.test_refinement import errors  # noqa: E402

pytestmark = pytest.mark.framework
DATA = Path(__file__).parents[1] / "data" / "mindspore" / "landscape"
SETTINGS = {"landscape_size": 4, "num_samples": 64, "intervals": [[1, 2, 3, 4]]}


@pytest.fixture(autouse=True, scope="module")
def graph_mode() -> Iterator[None]:
    """BatchNorm1d fails in the other mode with NumPy 2."""
    before = mindspore.get_context("mode")
    mindspore.set_context(mode=mindspore.GRAPH_MODE)
    yield
    mindspore.set_context(mode=before)


def of_oracle(draws: Callable[[], None]) -> Any:
    """The model of the script that made the data, and NumPy's generator as it was when directions were drawn there."""
    network, metrics = Perceptron(32), {"Loss": Loss()}
    np.random.seed(1)
    draws()
    return Model(network, loss_function(), metrics=metrics), network, digits(256, 32), metrics


def parameters(count: int) -> None:
    """What making parameters takes of the generator."""
    for _ in range(count):
        np.random.randint(low=1, high=1 << 63, dtype=np.int64)


def before_epochs() -> None:
    parameters(14)
    np.random.normal(size=2 * 2410)  # the directions of the landscape before
    parameters(8)


@pytest.fixture(scope="module")
def of_checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Landscapes of ours from the checkpoints from which MindSpore computed its own, with NumPy 1.26."""
    directory = tmp_path_factory.mktemp("oracles")
    for unit, draws in (("unit_step", partial(parameters, 14)), ("unit_epoch", before_epochs)):
        shutil.copytree(DATA / unit / "ckpt_dir", directory / unit / "ckpt_dir")
        SummaryLandscape(directory / unit).gen_landscapes_with_multi_process(
            partial(of_oracle, draws), normalization="re_estimated", full=True
        )
    return directory


TAGS = [
    ("unit_step", "landscape_[1, 5]"), ("unit_step", "landscape_[6, 12]"), ("unit_step", "landscape_[12]"),
    ("unit_epoch", "landscape_[1, 6]"), ("unit_epoch", "landscape_[6]"),
]  # fmt: skip


@pytest.mark.parametrize(("unit", "tag"), TAGS)
def test_landscapes_equal_those_that_mindspore_computed(unit: str, tag: str, of_checkpoints: Path) -> None:
    want = mindscope.open_run(DATA / unit).landscapes()[tag]
    got = mindscope.open_run(of_checkpoints / unit).landscapes()[tag]
    assert (got.decomposition, got.unit, got.step_per_epoch) == (want.decomposition, want.unit, want.step_per_epoch)
    assert got.path_intervals == want.path_intervals
    for name in "x y z path_x path_y path_z".split():
        ours, theirs = getattr(got, name), getattr(want, name)
        assert (ours is None) == (theirs is None), name
        if theirs is not None:
            np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-6, err_msg=name)
    assert want.convergence_point is not None
    if len(want.x) % 2 or want.path_x is not None:  # mended: of an even size, theirs is the cell beside it
        assert got.convergence_point == pytest.approx(want.convergence_point, rel=2e-5)


def test_facts_say_how_a_landscape_was_computed(of_checkpoints: Path) -> None:
    found = mindscope.open_run(of_checkpoints / "unit_step").landscapes()
    facts = facts_of(found["landscape_[1, 5]"])
    states = np.stack([kept("unit_step", f"MLP_{number}_step").vector() for number in range(1, 6)])
    assert facts.method == "pca"
    assert facts.path_lengths == pytest.approx(np.linalg.norm(states - states[-1], axis=1), rel=1e-5)
    assert facts.path_distances is not None
    assert (facts.path_distances[:-1] > 0).all()
    assert facts.path_distances[-1] == 0
    first, second = facts.explained_variance
    assert 0 < second < first < first + second < 1
    assert (facts.normalization, facts.num_samples, facts.dtype) == ("re_estimated", 128, "float32")
    assert facts.points_done == facts.points_total == 36 + 5 + 1
    assert facts.evaluated is None
    assert facts.seconds > 0
    assert facts_of(found["landscape_[12]"]).method == "random"


def facts_of(landscape: Landscape) -> LandscapeFacts:
    assert landscape.facts is not None
    return landscape.facts


def kept(unit: str, name: str) -> Any:
    return read_checkpoint(DATA / unit / "ckpt_dir" / f"{name}.ckpt")


def test_a_finer_landscape_of_the_same_checkpoints_needs_a_third_of_its_points() -> None:
    states = [kept("unit_epoch", f"MLP_{number}_epoch").vector() for number in range(1, 7)]
    network = Network((64, 32, 10), relu=False, samples=64)
    plane = path_plane(states, network.shapes)
    grid = grid_of_path(plane.coordinates(states), range(1, 7), 40)
    full = np.array([network.loss(plane.at(a, b)) for a, b in grid.points()]).reshape(grid.shape)
    largest, mean, share = errors(full)
    print(f"{share:.1%} of the points, largest error {largest:.2%}, mean {mean:.3%}")
    assert share <= 0.34
    assert largest <= 0.01
    oracle = mindscope.open_run(DATA / "unit_epoch").landscapes()["landscape_[1, 6]"]
    on_coarse = grid_of_path(plane.coordinates(states), range(1, 7), 7)
    losses = [network.loss(plane.at(a, b)) for a, b in on_coarse.points()]
    np.testing.assert_allclose(np.reshape(losses, (7, 7)), oracle.z, rtol=1e-4)  # this network is MindSpore's


class Normalized(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.fc1, self.norm, self.drop = nn.Dense(64, 8), nn.BatchNorm1d(8, momentum=0.5), nn.Dropout(p=0.5)
        self.fc2 = nn.Dense(8, 10)

    def construct(self, x: Any) -> Any:
        return self.fc2(self.drop(self.norm(self.fc1(x))))


def normalized_model() -> Any:
    mindspore.set_seed(3)
    network, metrics = Normalized(), {"Loss": Loss()}
    return Model(network, loss_function(), metrics=metrics), network, digits(64, 32), metrics


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four checkpoints of a network with batch normalization and dropout."""
    directory = tmp_path_factory.mktemp("trained")
    mindspore.set_seed(3)
    network = Normalized()
    model = Model(network, loss_function(), nn.SGD(network.trainable_params(), 0.2))
    collector = SummaryCollector(str(directory), collect_specified_data={"collect_landscape": SETTINGS})
    model.train(1, digits(128, 32), callbacks=[collector])
    return directory


@pytest.fixture
def run(trained: Path, tmp_path: Path) -> Path:
    shutil.copytree(trained / "ckpt_dir", tmp_path / "run" / "ckpt_dir")
    metadata = tmp_path / "run" / "ckpt_dir" / "train_metadata.json"
    metadata.write_text(metadata.read_text().replace(str(trained), str(tmp_path / "run")))
    return tmp_path / "run"


def draw(run: Path, callback_fn: Any = normalized_model, **given: Any) -> dict[str, Landscape]:
    SummaryLandscape(run).gen_landscapes_with_multi_process(callback_fn, **given)
    return mindscope.open_run(run).landscapes()


def losses_of(run: Path, training: bool) -> list[float]:
    """Of the batches, with the last checkpoint; in training mode without dropout."""
    _, network, data, _ = normalized_model()
    mindspore.load_checkpoint(str(next((run / "ckpt_dir").glob("*_4_step.ckpt"))), network)
    network.set_train(False)
    network.norm.set_train(training)
    function = loss_function()
    return [float(function(network(x), y).asnumpy()) for x, y in data.create_tuple_iterator(num_epochs=1)]


@pytest.mark.parametrize(("normalization", "training"), [("as_trained", False), ("re_estimated", True)])
def test_normalization_has_the_statistics_that_were_chosen(normalization: str, training: bool, run: Path) -> None:
    found = draw(run, normalization=normalization)
    want = np.mean(losses_of(run, training))
    for landscape in found.values():
        assert landscape.convergence_point is not None
        assert landscape.convergence_point[2] == pytest.approx(want, rel=1e-5)
        assert facts_of(landscape).normalization == normalization
    assert np.mean(losses_of(run, True)) != pytest.approx(np.mean(losses_of(run, False)), rel=1e-3)


def test_model_with_an_optimizer_is_not_trained_by_its_landscape(run: Path) -> None:
    want = draw(run, seed=1)["landscape_[4]"]
    for losses in (run / "ckpt_dir").glob("*.losses"):
        losses.unlink()

    def with_optimizer() -> Any:
        _, network, data, metrics = normalized_model()
        optimizer = nn.SGD(network.trainable_params(), 10.0)
        return Model(network, loss_function(), optimizer, metrics=metrics), network, data, metrics

    got = draw(run, with_optimizer, seed=1)["landscape_[4]"]
    np.testing.assert_allclose(got.z, want.z, rtol=1e-5)


class Counting(Loss):
    """Counts landscapes' points, and fails at one."""

    def __init__(self, fails_at: int = 1 << 30) -> None:
        super().__init__()
        self.points, self._fails_at = 0, fails_at

    def eval(self) -> Any:
        self.points += 1
        if self.points > self._fails_at:
            raise ArithmeticError("no loss here")
        return super().eval()


def counted(metric: Counting) -> Any:
    model, network, data, _ = normalized_model()
    return model, network, data, {"Loss": metric}


def test_failed_computation_leaves_nothing_open_and_continues(run: Path) -> None:
    full = {"full": True, "seed": 1}
    failing, rest, none = Counting(15), Counting(), Counting()
    with pytest.raises(LandscapeError, match=r"the loss at \(.*\) can't be computed: ArithmeticError: no loss here"):
        draw(run, partial(counted, failing), **full)
    with SummaryRecord(str(run / "other")) as record:
        record.add_value("scalar", "a", 1.0)
        record.record(1)
    (partly,) = mindscope.open_run(run).landscapes().values()
    assert facts_of(partly).points_done == 15
    found = draw(run, partial(counted, rest), **full)
    again = draw(run, partial(counted, none), **full)
    assert rest.points == (16 + 4 + 1 - 15) + 16 + 1
    assert none.points == 0
    for tag, landscape in found.items():
        np.testing.assert_array_equal(again[tag].z, landscape.z)


def test_partial_landscapes_are_recorded_before_the_complete_one(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindscope.landscape.computation.SECONDS_BETWEEN", 0.0)
    settings = {"landscape_size": 12, "create_landscape": {"train": True, "result": False}}
    draw(run, collect_landscape=settings, full=True)
    values = [each.value for each in mindscope.open_run(run).values("landscape", "landscape_[1, 4]", overwritten=True)]
    done = [facts_of(each).points_done for each in values]
    assert 4 <= len(values) <= 17
    assert done == sorted(set(done))
    assert all(facts_of(each).points_done < facts_of(each).points_total for each in values[:-1])
    assert all(np.isfinite(each.z).all() for each in values)
    newest = mindscope.open_run(run).landscapes()["landscape_[1, 4]"]
    assert facts_of(newest).points_done == facts_of(newest).points_total == 144 + 5


def test_random_directions_of_a_stopped_landscape_are_used_again(run: Path, tmp_path: Path) -> None:
    settings = {"collect_landscape": {"create_landscape": {"train": False, "result": True}}}
    with pytest.raises(LandscapeError):
        draw(run, partial(counted, Counting(10)), **settings)
    rest = Counting()
    first = draw(run, partial(counted, rest), **settings)["landscape_[4]"]
    assert rest.points == 17 - 10
    assert not [*(run / "ckpt_dir").glob("*.directions*"), *(run / "ckpt_dir").glob("*.losses")]
    np.random.seed(99)
    model = partial(counted, Counting())
    other = draw(run, lambda: (*model()[:3], {"Loss": (np.random.seed(98), Loss())[1]}), **settings)["landscape_[4]"]
    assert (other.z != first.z).sum() > 12  # new directions, after a complete landscape


def test_directions_by_filter_do_not_move_biases(run: Path) -> None:
    by_parameter = draw(run, seed=5)["landscape_[4]"]
    by_filter = draw(run, seed=5, directions="filter")["landscape_[4]"]
    assert by_filter.convergence_point == pytest.approx(by_parameter.convergence_point)
    assert np.abs(by_filter.z - by_parameter.z).max() > 1e-3


@pytest.mark.parametrize("given", [{"normalization": "other"}, {"directions": "tensor"}])
def test_choices_are_checked(given: dict[str, str], run: Path) -> None:
    with pytest.raises(ValueError, match=r"is '(other|tensor)', want"):
        draw(run, **given)
    with pytest.raises(TypeError, match="is 1, want"):
        draw(run, **dict.fromkeys(given, 1))  # type: ignore[arg-type]


def test_executor_takes_the_points(run: Path, tmp_path: Path) -> None:
    want = draw(run)["landscape_[1, 4]"]
    for losses in (run / "ckpt_dir").glob("*.losses"):
        losses.unlink()
    with ProcessPoolExecutor(1, get_context("spawn")) as executor:
        got = draw(run, executor=executor, collect_landscape={"create_landscape": {"train": True, "result": False}})
    np.testing.assert_allclose(got["landscape_[1, 4]"].z, want.z, rtol=1e-5)


def test_checkpoints_that_are_equal_have_a_landscape(run: Path, caplog: pytest.LogCaptureFixture) -> None:
    first, *others = sorted((run / "ckpt_dir").glob("*.ckpt"))
    for other in others:
        other.unlink()
        shutil.copy(first, other)
    with caplog.at_level(logging.WARNING):
        found = draw(run)["landscape_[1, 4]"]
    assert facts_of(found).degenerate == "point"
    assert "the checkpoints lie in one point" in caplog.text
    assert np.isfinite(found.z).all()
    assert np.ptp(found.x) == np.ptp(found.y) == 2
    assert np.ptp(found.z) > 0.01


def test_checkpoints_of_a_diverged_training_are_left_out(run: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = next((run / "ckpt_dir").glob("*_2_step.ckpt"))
    arrays = dict(read_checkpoint(file).arrays)
    arrays["fc1.weight"] = np.full_like(arrays["fc1.weight"], np.nan)
    entries = [{"name": name, "data": mindspore.Tensor(array)} for name, array in arrays.items()]
    mindspore.save_checkpoint(entries, str(file))
    with caplog.at_level(logging.WARNING):
        found = draw(run)
    assert found["landscape_[1, 4]"].path_intervals == (1, 3, 4)
    assert np.isfinite(found["landscape_[1, 4]"].z).all()
    assert "the weights of step [2] are NaN or Infinity" in caplog.text


def test_network_without_weights_in_its_names_is_refused(run: Path) -> None:
    for file in (run / "ckpt_dir").glob("*.ckpt"):
        mindspore.save_checkpoint([{"name": "table", "data": mindspore.Tensor(np.ones(3, np.float32))}], str(file))
    with pytest.raises(ValueError, match="no parameter has 'weight' or 'bias' in its name, of table"):
        draw(run)
