# SPDX-License-Identifier: Apache-2.0
"""TensorBoard's own readers find in an export what the logs hold, those of MindSpore too."""

from __future__ import annotations

import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.reading import Runs, export_tensorboard, open_runs
from mindscope.types import Kind
from tests.event_log import DATA

pytestmark = pytest.mark.framework

pytest.importorskip("tensorboard")


def of_tensorboard(module: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own dependencies warn at import
        return import_module(f"tensorboard.{module}")


@pytest.fixture(scope="module", params=["mindspore", "tensorboard"])
def exported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Runs, Path]:
    runs = open_runs(DATA / request.param)
    out = tmp_path_factory.mktemp("out")
    report = export_tensorboard(runs, out)
    assert report.failures == ()
    assert len(report.files) == len(runs)
    return runs, out


def accumulator(directory: Path, module: str = "plugin_event_accumulator") -> Any:
    kinds = ("images", "histograms", "audio", "tensors", "scalars", "graph", "compressedHistograms")
    reader = of_tensorboard(f"backend.event_processing.{module}").EventAccumulator(
        str(directory), size_guidance=dict.fromkeys(kinds, 0), **({} if module == "event_accumulator" else {
            "tensor_size_guidance": dict.fromkeys((*kinds, "text", "pr_curves", "mesh", "hparams"), 0)})
    )  # fmt: skip
    reader.Reload()
    return reader


def arrays(reader: Any, tag: str) -> list[tuple[int, float, Any]]:
    make_ndarray = of_tensorboard("util.tensor_util").make_ndarray
    return [(sample.step, sample.wall_time, make_ndarray(sample.tensor_proto)) for sample in reader.Tensors(tag)]


def same(one: list[tuple[int, float, Any]], other: list[tuple[int, float, Any]]) -> None:
    assert [sample[:2] for sample in one] == [sample[:2] for sample in other]
    for (*_, got), (*_, want) in zip(one, other, strict=True):
        np.testing.assert_array_equal(got, want)


def test_scalars_are_equal_to_the_bit(exported: tuple[Runs, Path]) -> None:
    runs, out = exported
    for id, run in runs.items():
        reader = accumulator(out / id, "event_accumulator")
        for tag in run.tags("scalar"):
            want, got = run.scalars(tag), reader.Scalars(tag)
            assert want.value.dtype == np.float32
            assert [sample.step for sample in got] == want.step.tolist()
            assert [sample.wall_time for sample in got] == want.wall_time.tolist()
            np.testing.assert_array_equal(np.array([sample.value for sample in got], np.float32), want.value)


def test_images_histograms_tensors_texts_and_audio_are_equal(exported: tuple[Runs, Path]) -> None:
    runs, out = exported
    for id, run in runs.items():
        reader = accumulator(out / id)
        for tag in run.tags("image"):
            want = [(sample.step, sample.wall_time, sample.value[0].encoded) for sample in run.images(tag)]
            assert [(step, time, value[2]) for step, time, value in arrays(reader, tag)] == want
        for tag in run.tags("histogram"):
            for sample, (step, _, got) in zip(run.histograms(tag), arrays(reader, tag), strict=True):
                assert step == sample.step
                check_histogram(got, sample.value)
        for tag in run.tags("tensor"):
            same(
                arrays(reader, tag),
                [(row.step, row.wall_time, row.value.value) for row in run.tensors(tag)],
            )
        for tag in run.tags("text"):
            got = [[text.decode() for text in value] for *_, value in arrays(reader, tag)]
            assert got == [list(sample.value) for sample in run.texts(tag)]


def check_histogram(got: Any, want: Any) -> None:
    """All counts are there, below the same edges; empty buckets may stand between them."""
    assert got[:, 2].sum() == np.float32(want.count.sum())
    seen, taken = want.count > 0, got[:, 2] > 0
    np.testing.assert_array_equal(got[taken, 2], want.count[seen].astype(np.float32))
    if seen.any():
        np.testing.assert_allclose(got[taken, 1][:-1], want.right[seen][:-1], rtol=1e-6)
        assert got[taken, 0][0] == np.float32(want.minimum)
        assert got[taken, 1][-1] == np.float32(want.maximum)


def test_logs_of_tensorboard_are_the_same_log(tmp_path: Path) -> None:
    runs = open_runs(DATA / "tensorboard")
    export_tensorboard(runs, tmp_path)
    for id, run in runs.items():
        got, want = accumulator(tmp_path / id), accumulator(run.path)
        assert got.Tags() | {"tensors": sorted(got.Tags()["tensors"])} == want.Tags() | {
            "tensors": sorted(want.Tags()["tensors"])
        }
        for tag in want.Tags()["tensors"]:
            if not tag.startswith("_hparams_"):  # one session for all that a run has
                same(arrays(got, tag), arrays(want, tag))
                assert got.SummaryMetadata(tag).plugin_data == want.SummaryMetadata(tag).plugin_data
        if want.Tags()["graph"]:
            assert got.Graph() == want.Graph()


def test_the_graph_page_shows_graphs_of_mindspore(tmp_path: Path) -> None:
    runs = open_runs(DATA / "mindspore")
    export_tensorboard(runs, tmp_path)
    with_graph = [id for id, run in runs.items() if run.graphs()]
    assert len(with_graph) == 17
    for id in with_graph:
        (graph,) = runs[id].graphs().values()
        shown = accumulator(tmp_path / id).Graph()
        names = {node.name for node in shown.node}
        assert len(names) == len(shown.node) == len(graph.nodes)
        inputs = [name.removeprefix("^") for node in shown.node for name in node.input]
        assert set(inputs) <= names
        assert len(inputs) == sum(len(list(node.inputs)) for node in graph.nodes)
    convolution = next(node for node in accumulator(tmp_path / "ops").Graph().node if node.op == "Conv2D")
    assert convolution.name.startswith("Default/")
    assert list(convolution.attr["kernel_size"].list.i) == [5, 5]
    assert convolution.attr["format"].s == b"NCHW"
    assert [dim.size for dim in convolution.attr["_output_shapes"].list.shape[0].dim] == [32, 6, 28, 28]


def test_the_hparams_page_lists_lineage(tmp_path: Path) -> None:
    runs = open_runs(DATA / "mindspore" / "lineage_sweep")
    export_tensorboard(runs, tmp_path)
    experiment, groups = hparams_of(tmp_path)
    names = {info.name for info in experiment.hparam_infos}
    assert {"optimizer", "learning_rate", "batch_size", "algorithm/network"} <= names
    got = {group.sessions[0].name: group for group in groups}
    assert set(got) == set(runs) == {f"run_{number:02d}" for number in range(1, 13)}
    for id, run in runs.items():
        train, evaluation = run.lineage.train, run.lineage.eval
        assert train is not None
        values = got[id].hparams
        assert values["optimizer"].string_value == train.optimizer
        assert values["learning_rate"].number_value == train.learning_rate
        metrics = {metric.name.tag: metric.value for metric in got[id].metric_values}
        for name, value in ((evaluation and evaluation.metric) or {}).items():
            assert metrics[name] == value


def test_the_hparams_page_lists_sessions_of_tensorboard(tmp_path: Path) -> None:
    export_tensorboard(open_runs(DATA / "tensorboard"), tmp_path)
    shown = [hparams_of(directory) for directory in (tmp_path, DATA / "tensorboard")]
    (one, groups), (other, want) = shown
    assert [info.name for info in one.metric_infos] == [info.name for info in other.metric_infos]
    assert [info.name for info in one.hparam_infos] == [info.name for info in other.hparam_infos]
    assert [dict(group.hparams) for group in groups] == [dict(group.hparams) for group in want]
    assert [list(group.metric_values) for group in groups] == [list(group.metric_values) for group in want]


def hparams_of(directory: Path) -> tuple[Any, list[Any]]:
    """Return what the server of the page of hyperparameters answers: the experiment, and the groups of sessions."""
    multiplexer = of_tensorboard("backend.event_processing.plugin_event_multiplexer").EventMultiplexer()
    multiplexer.AddRunsFromDirectory(str(directory))
    multiplexer.Reload()
    data = of_tensorboard("backend.event_processing.data_provider").MultiplexerDataProvider(multiplexer, str(directory))
    page = of_tensorboard("plugins.base_plugin").TBContext(data_provider=data)
    context = of_tensorboard("plugins.hparams.backend_context").Context(page)
    request_context = of_tensorboard("context").RequestContext()
    sessions = context.hparams_metadata(request_context, "")
    experiment = context.experiment_from_metadata(request_context, "", True, sessions, [])
    api = of_tensorboard("plugins.hparams.api_pb2")
    request = api.ListSessionGroupsRequest(
        start_index=0, slice_size=100, allowed_statuses=list(api.Status.values()), include_metrics=True
    )
    handler = of_tensorboard("plugins.hparams.list_session_groups").Handler(
        request_context=request_context, backend_context=context, experiment_id="", request=request
    )
    return experiment, list(handler.run().session_groups)


@pytest.mark.filterwarnings("ignore")  # tbparse uses what pandas deprecated
def test_tbparse_reads_the_scalars(exported: tuple[Runs, Path]) -> None:
    tbparse: Any = pytest.importorskip("tbparse")
    runs, out = exported
    rows = tbparse.SummaryReader(str(out), event_types={"scalars"}, extra_columns={"dir_name", "wall_time"}).scalars
    for id, run in runs.items():
        name = "" if id == "." else id
        for tag in run.tags(Kind.SCALAR):
            got, want = rows[(rows["dir_name"] == name) & (rows["tag"] == tag)], run.scalars(tag)
            np.testing.assert_array_equal(got["value"].to_numpy(np.float32), want.value)
            assert got["step"].tolist() == want.step.tolist()
            assert got["wall_time"].tolist() == want.wall_time.tolist()
