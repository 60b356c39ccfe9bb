# SPDX-License-Identifier: Apache-2.0
"""The built-in checks: each finds what it is for, exactly once, where it begins, and is quiet about all else."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from mindscope.alerts import Parameters
from mindscope.alerts.episodes import MOST_EPISODES, Episodes, SeriesRows
from mindscope.alerts.losses import LossDivergence, NotFinite
from mindscope.alerts.plateau import Plateau
from mindscope.alerts.spikes import Spikes
from mindscope.ingest import Catalog
from mindscope.types import Kind
from tests.event_log import DATA, append, scalars

from .made_logs import NAME, NOW, POINTS, Watch, healthy, losses, write_histograms, write_losses

CHECKS = {"nan": NotFinite, "spike": Spikes, "divergence": LossDivergence, "plateau": Plateau}


def rows_of(values: np.ndarray) -> SeriesRows:
    step = np.arange(1, values.size + 1)
    return SeriesRows(step, 1000.0 + step, values.astype(float))


@pytest.mark.parametrize(
    ("wrong", "began", "count"),
    [
        ("nan", (401, 401), 20),
        ("spike", (301, 301), 3),
        ("divergence", (301, 420), None),
        ("plateau", (1, POINTS), None),
    ],
)
def test_what_is_wrong_is_found_exactly_once(tmp_path: Path, wrong: str, began: tuple[int, int], count: int | None):
    write_losses(tmp_path / wrong, losses()[wrong])
    (alert,) = Watch(tmp_path).look()
    assert (alert.rule, alert.run, alert.tag) == (wrong, wrong, "train/loss")
    assert began[0] <= alert.finding.step <= began[1]
    assert alert.finding.wall_time == 1000.0 + alert.finding.step
    assert count in (None, alert.finding.count)
    assert alert.message


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("points", [30, 600, 5000])
def test_nothing_is_found_in_a_healthy_training(seed: int, points: int):
    values = rows_of(healthy(points, seed))
    for check in CHECKS.values():
        looking = check(Parameters())
        looking.extend(values)
        assert list(looking.findings) == [], check


@pytest.mark.parametrize("logs", sorted(DATA.iterdir()))
def test_in_the_real_logs_is_found_what_went_wrong_and_nothing_else(logs: Path):
    watch = Watch(logs)
    found = {(alert.run, alert.rule, alert.tag) for alert in watch.look()}
    truth = {(run, "nan", tag) for run in watch.catalog.runs for tag in losses_without_numbers(watch.catalog, run)}
    assert watch.catalog.runs
    assert found == truth


def losses_without_numbers(catalog: Catalog, run: str) -> list[str]:
    tags = [tag for kind, tag in catalog.run(run).series if kind is Kind.SCALAR and "loss" in tag]
    return [tag for tag in tags if not np.isfinite(catalog.run(run).scalars(tag).visible().value).all()]


@pytest.mark.parametrize("name", sorted(CHECKS))
@pytest.mark.parametrize("size", [1, 7, 64, 333])
def test_the_findings_do_not_depend_on_how_the_rows_arrive(name: str, size: int):
    for values in (*losses().values(), healthy(2000)):
        rows = rows_of(values)
        whole, parts = CHECKS[name](Parameters()), CHECKS[name](Parameters())
        whole.extend(rows)
        for start in range(0, len(rows), size):
            parts.extend(rows.cut(start, start + size))
        assert repr(list(whole.findings)) == repr(list(parts.findings))


def test_a_jump_that_stays_is_no_spike_but_a_divergence():
    values = healthy()
    values[300:] = 30.0
    spikes, divergence = Spikes(Parameters()), LossDivergence(Parameters())
    spikes.extend(rows_of(values))
    divergence.extend(rows_of(values))
    assert list(spikes.findings) == []
    (finding,) = divergence.findings
    assert 295 <= finding.step <= 311
    assert finding.is_active


def test_a_loss_that_falls_again_ends_its_plateau():
    random = np.random.default_rng(0)
    values = np.concatenate([np.full(1000, 2.3), np.linspace(2.3, 0.01, 3000)]) + 0.01 * random.normal(size=4000)
    plateau = Plateau(Parameters())
    plateau.extend(rows_of(values))
    (finding,) = plateau.findings
    assert not finding.is_active
    assert finding.step < 1000


def test_a_long_training_costs_little_memory():
    plateau = Plateau(Parameters())
    plateau.extend(rows_of(np.full(300_000, 2.0)))
    assert len(plateau._sums) <= 128
    assert len(list(plateau.findings)) == 1


def gradients(scale: float, count: int = 20) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    return [scale * random.normal(size=200) for _ in range(count)]


def test_gradients_that_vanish_are_found(tmp_path: Path):
    write_histograms(tmp_path / "run", "conv1/grad", [*gradients(0.1, 10), *gradients(1e-9, 10)])
    (alert,) = Watch(tmp_path).look()
    assert (alert.rule, alert.tag, alert.finding.step, alert.finding.count) == ("vanishing", "conv1/grad", 11, 10)


def test_a_bias_that_a_normalization_takes_off_has_not_vanished(tmp_path: Path):
    rounding = [1e-9 * np.ones(50)] * 6
    for run, weights in {"cancelled": [0.1 * np.ones(50)] * 6, "vanished": rounding}.items():
        for name, gradients in {"conv.weight": weights, "conv.bias": rounding}.items():
            write_histograms(tmp_path / run, f"grad/{name}", gradients)
    found = {(alert.run, alert.tag) for alert in Watch(tmp_path).look()}
    assert found == {("vanished", "grad/conv.weight"), ("vanished", "grad/conv.bias")}


def test_gradients_that_explode_are_found(tmp_path: Path):
    write_histograms(tmp_path / "run", "conv1/grad", [*gradients(0.1, 10), *gradients(1e3, 2), *gradients(0.1, 10)])
    (alert,) = Watch(tmp_path).look()
    assert (alert.rule, alert.finding.step, alert.finding.count) == ("exploding", 11, 2)
    assert not alert.finding.is_active


def test_gradients_that_are_no_numbers_have_exploded(tmp_path: Path):
    bad = gradients(0.1, 10)
    bad[4][7] = np.nan
    write_histograms(tmp_path / "run", "conv1/grad", bad)
    (alert,) = Watch(tmp_path).look()
    assert (alert.rule, alert.finding.step, alert.finding.count) == ("exploding", 5, 1)
    assert np.isnan(alert.finding.value)


def activations(dead_share: float, count: int) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    return [np.maximum(random.normal(size=2000), 0) * (random.random(2000) >= dead_share) for _ in range(count)]


def test_activations_that_are_dead_are_found(tmp_path: Path):
    write_histograms(tmp_path / "run", "fc1/relu", [*activations(0.0, 5), *activations(0.999, 5)])
    (alert,) = Watch(tmp_path).look()
    assert (alert.rule, alert.finding.step, alert.finding.count) == ("dead", 6, 5)
    assert alert.finding.value > 0.99


def test_small_activations_beside_one_large_are_alive(tmp_path: Path):
    values = [np.append(np.maximum(each, 0.01), 100.0) for each in activations(0.0, 10)]
    write_histograms(tmp_path / "run", "fc1/relu", values)
    assert Watch(tmp_path).look() == []


def test_a_damaged_histogram_is_passed_over(tmp_path: Path):
    write_histograms(tmp_path / "run", "conv1/grad", gradients(1e-9, 10))
    path = tmp_path / "run" / NAME
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    (alert,) = Watch(tmp_path).look()
    assert alert.rule == "vanishing"
    assert alert.finding.count == 9


def test_a_training_that_stands_still_is_found_by_its_own_pace(tmp_path: Path):
    write_losses(tmp_path / "run", healthy(100))
    last = 1100.0
    os.utime(tmp_path / "run" / NAME, (last, last))
    watch = Watch(tmp_path)
    assert watch.look(last + 100) == []
    (alert,) = watch.look(last + 200)
    assert (alert.rule, alert.finding.step, alert.finding.value) == ("stuck", 100, 1.0)
    assert watch.look(NOW) == []
    write_losses(tmp_path / "run", [0.1], first_step=190)
    os.utime(tmp_path / "run" / NAME, (1190.0, 1190.0))
    assert watch.look(1190 + 200) == []  # it is known to pause for 90 seconds
    assert [alert.rule for alert in watch.look(1190 + 2000)] == ["stuck"]


def test_metrics_of_the_machine_do_not_hide_that_a_training_stands_still(tmp_path: Path):
    write_losses(tmp_path / "run", healthy(100))
    path = tmp_path / "run" / NAME
    for sample in range(1, 31):  # one every 10 seconds after the last step
        append(path, scalars(100, {"system/cpu/percent": 3.0}, 1100.0 + 10 * sample))
    os.utime(path, (1400.0, 1400.0))
    watch = Watch(tmp_path)
    (alert,) = watch.look(1401.0)
    assert (alert.rule, alert.finding.step, alert.finding.wall_time, alert.finding.value) == ("stuck", 100, 1100.0, 1.0)


def test_a_training_that_goes_on_beside_metrics_of_the_machine_is_not_stuck(tmp_path: Path):
    path = tmp_path / "run" / NAME
    write_losses(tmp_path / "run", healthy(100))
    append(path, scalars(100, {"system/cpu/percent": 3.0}, 1100.0))
    os.utime(path, (1100.0, 1100.0))
    assert Watch(tmp_path).look(1101.0) == []


def test_a_copy_of_a_log_is_not_stuck(tmp_path: Path):
    write_losses(tmp_path / "run", healthy(100))
    os.utime(tmp_path / "run" / NAME, (1250.0, 1250.0))
    assert Watch(tmp_path).look(1300.0) == []


def test_a_training_that_was_closed_is_not_stuck(tmp_path: Path):
    write_losses(tmp_path / "run", healthy(100))
    os.utime(tmp_path / "run" / NAME, (1100.0, 1100.0))
    (tmp_path / "run" / NAME).chmod(0o400)
    assert Watch(tmp_path).look(1300.0) == []


def test_a_log_whose_writer_marks_no_end_is_not_called_stuck(tmp_path: Path):
    shutil.copytree(DATA / "tensorboard", tmp_path / "logs")
    watch = Watch(tmp_path / "logs")
    watch.look()
    for store in watch.catalog.runs.values():
        for file in store.files:
            os.utime(file.path, (store.last_wall_time, store.last_wall_time))
    watch = Watch(tmp_path / "logs")
    watch.look()
    newest = max(store.last_wall_time for store in watch.catalog.runs.values())
    assert [alert for alert in watch.look(newest + 300) if alert.rule == "stuck"] == []


def test_episodes_are_no_endless_list():
    episodes = Episodes()
    rows = rows_of(np.zeros(1000))
    episodes.extend(rows, np.arange(1000) % 2 == 0)
    assert len(episodes.findings) == MOST_EPISODES
    assert sum(finding.count for finding in episodes.findings) == 500
    assert episodes.findings[-1].last_step == 999
    assert not episodes.findings[-1].is_active


@pytest.mark.framework
def test_nothing_is_found_in_a_real_training(tmp_path: Path):
    torch = pytest.importorskip("torch")
    sklearn = pytest.importorskip("sklearn.datasets")
    from mindscope import SummaryRecord

    torch.manual_seed(0)
    digits = sklearn.load_digits()
    images = torch.tensor(digits.images / 16, dtype=torch.float32).unsqueeze(1)
    labels = torch.tensor(digits.target)
    relu = torch.nn.ReLU()
    body = [torch.nn.Conv2d(1, 6, 3), relu, torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(54, 84), relu]
    network = torch.nn.Sequential(*body, torch.nn.Linear(84, 10))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)
    shown = {}
    relu.register_forward_hook(lambda module, inputs, output: shown.update(relu=output.detach()))
    with SummaryRecord(str(tmp_path / "lenet")) as record:
        step = 0
        for _ in range(8):
            for batch in torch.randperm(len(images)).split(32):
                step += 1
                loss = torch.nn.functional.cross_entropy(network(images[batch]), labels[batch])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                record.add_value("scalar", "loss", loss)
                if step % 10 == 0:
                    record.add_value("histogram", "relu", shown["relu"])
                    for name, parameter in network.named_parameters():
                        record.add_value("histogram", f"{name}/grad", parameter.grad)
                record.record(step)
    watch = Watch(tmp_path)
    assert [(alert.rule, alert.tag) for alert in watch.look()] == []
    tags = {tag for _, tag in watch.catalog.runs["lenet"].series}
    assert {"loss", "relu", "0.weight/grad"} <= tags
    assert step == 456
