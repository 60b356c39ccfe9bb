# SPDX-License-Identifier: Apache-2.0
"""Opening runs, asking for tags, and what the answers say when there is nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from mindscope.errors import FormatError, MindscopeError, RunNotFoundError, SettingsError, TagNotFoundError
from mindscope.reading import ScalarPoint, export_runs, inspect_run, open_run, open_runs
from mindscope.types import DamageKind, Histogram, Kind
from tests.event_log import (
    DATA,
    LINEAGE_NAME,
    MINDSPORE_NAME,
    TENSORBOARD_NAME,
    append,
    event,
    histogram,
    lineage,
    scalars,
    steps,
    tensorboard_event,
    tensorboard_version,
    version,
)

NAME = MINDSPORE_NAME.format(1)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    path = tmp_path / "run"
    path.mkdir()
    append(path / NAME, version() + scalars(1, {"train/loss": 1.0, "train/lr": 0.5}) + steps([2, 3], tag="train/loss"))
    append(path / NAME, b"".join(event(step, histogram("weights", [step, 1])) for step in (1, 2, 3)))
    return path


def test_scalars_are_columns_and_points(directory: Path) -> None:
    loss = open_run(directory).scalars("train/loss")
    assert (loss.step.dtype, loss.wall_time.dtype, loss.value.dtype) == (np.int64, np.float64, np.float32)
    assert len(loss) == 3
    assert list(loss) == [ScalarPoint(1, 1.0, 1.0), ScalarPoint(2, 2.0, 0.0), ScalarPoint(3, 3.0, 1.0)]


def test_tags_by_kind_and_all(directory: Path) -> None:
    run = open_run(directory)
    assert run.tags("scalar") == run.tags(Kind.SCALAR) == ("train/loss", "train/lr")
    assert run.tags() == ("train/loss", "train/lr", "weights")
    assert run.tags("image") == ()
    real = open_run(DATA / "mindspore" / "lineage_sweep" / "run_01")
    assert real.tags("graph") == ("graph",)
    assert set(real.tags()) == {"loss/auto", "fc1.weight/auto", "fc1.bias/auto", "fc2.weight/auto", "fc2.bias/auto"}
    assert run.kinds == (Kind.SCALAR, Kind.HISTOGRAM)


def test_values_are_decoded_when_they_are_asked_for(directory: Path) -> None:
    weights = open_run(directory).histograms("weights")
    assert (weights.step.tolist(), weights.wall_time.tolist(), len(weights)) == ([1, 2, 3], [1.0, 2.0, 3.0], 3)
    last = weights[-1]
    assert (last.step, last.wall_time) == (3, 3.0)
    assert isinstance(last.value, Histogram)
    assert last.value is last.value
    assert last.value.count.tolist() == [3.0, 1.0]
    assert [sample.step for sample in weights[1:]] == [2, 3]
    assert weights[::-1][0].value.count.tolist() == [3.0, 1.0]
    with pytest.raises(IndexError):
        weights[3]


def test_a_run_follows_its_files(directory: Path) -> None:
    run = open_run(directory)
    assert not run.refresh()
    held = run.scalars("train/loss")
    append(directory / NAME, steps([4], tag="train/loss"))
    append(directory / MINDSPORE_NAME.format(2), version() + steps([5], tag="train/loss"))
    assert run.refresh()
    assert run.scalars("train/loss").step.tolist() == [1, 2, 3, 4, 5]
    assert held.step.tolist() == [1, 2, 3]
    (directory / NAME).unlink()
    assert run.refresh()
    assert run.scalars("train/loss").step.tolist() == [5]


def test_what_a_restart_replaced_is_there_when_asked_for(directory: Path) -> None:
    append(directory / MINDSPORE_NAME.format(2), version() + steps([2], tag="train/loss", first_value=9.0, begun=100.0))
    run = open_run(directory)
    assert list(run.scalars("train/loss").value) == [1.0, 9.0]
    assert run.scalars("train/loss", overwritten=True).step.tolist() == [1, 2, 3, 2]
    assert len(run.histograms("weights", overwritten=True)) == 3


def test_a_missing_tag_names_what_is_near(directory: Path) -> None:
    run = open_run(directory)
    with pytest.raises(TagNotFoundError, match="'train/los' is not in run 'run': did you mean 'train/loss'"):
        run.scalars("train/los")
    with pytest.raises(TagNotFoundError, match="it is there as histogram"):
        run.scalars("weights")
    with pytest.raises(TagNotFoundError, match="the run has none; it has scalar, histogram"):
        run.images("picture")
    with pytest.raises(KeyError):
        run.audio("nope")
    with pytest.raises(SettingsError, match="kind is 'scalars', want one of scalar, image"):
        run.tags("scalars")


def test_what_is_no_run_says_what_was_looked_for(tmp_path: Path, directory: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(RunNotFoundError, match="holds no run: looked for a name with"):
        open_run(tmp_path / "empty")
    with pytest.raises(RunNotFoundError, match=r"1 runs below it \('run'\): use open_runs"):
        open_run(tmp_path)
    with pytest.raises(RunNotFoundError, match="does not exist"):
        open_run(tmp_path / "nowhere")
    with pytest.raises(RunNotFoundError, match="is a file"):
        open_run(directory / NAME)
    with pytest.raises(RunNotFoundError, match="does not exist"):
        open_runs(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError):
        open_run(tmp_path / "nowhere")


def test_runs_by_id(tmp_path: Path, directory: Path) -> None:
    runs = open_runs(tmp_path)
    assert list(runs) == ["run"]
    assert runs["run"].scalars("train/lr").value.tolist() == [0.5]
    (tmp_path / "deep" / "er").mkdir(parents=True)
    append(tmp_path / "deep" / "er" / NAME, version() + steps([1]))
    assert runs.refresh()
    assert list(runs) == ["deep/er", "run"]
    assert "deep/er" in runs
    append(directory / NAME, steps([4], tag="train/loss"))
    assert runs["run"].refresh()
    assert runs["run"].scalars("train/loss").step[-1] == 4
    with pytest.raises(RunNotFoundError, match="did you mean 'run'"):
        runs["rum"]


def test_an_empty_base_has_no_runs(tmp_path: Path) -> None:
    runs = open_runs(tmp_path)
    assert (len(runs), list(runs.lineage())) == (0, [])
    with pytest.raises(RunNotFoundError, match="there is no run at all"):
        runs["any"]
    assert runs.to_arrow().num_rows == 0


def test_a_value_whose_file_became_shorter_says_so(directory: Path) -> None:
    sample = open_run(directory).histograms("weights")[-1]
    (directory / NAME).write_bytes(version())
    with pytest.raises(FormatError, match="Refresh and try again"):
        _ = sample.value


def test_a_value_whose_file_is_gone_from_the_run_says_so(directory: Path) -> None:
    run = open_run(directory)
    weights = run.histograms("weights")
    (directory / NAME).unlink()
    run.refresh()
    with pytest.raises(FormatError, match=r"The file with .* no longer exists\. Refresh and try again"):
        _ = weights[0].value


def test_one_broken_lineage_leaves_the_others(tmp_path: Path) -> None:
    append(tmp_path / LINEAGE_NAME.format(1), lineage({"train_lineage": {"algorithm": {"network": "A"}}}))
    odd = bytearray(lineage({"train_lineage": {"algorithm": {"network": "Broken"}, "hyper_parameters": {"epoch": 3}}}))
    text = odd.index(b"Broken") - 1
    odd[text] = 0x7F  # the text reaches beyond its message
    from mindscope.formats.frames import frame

    append(tmp_path / LINEAGE_NAME.format(2), frame(bytes(odd[12:-4])))
    run = open_run(tmp_path)
    assert run.lineage.train is not None
    assert run.lineage.train.network == "A"
    assert [(damage.kind, damage.file) for damage in run.damages] == [(DamageKind.MESSAGE, LINEAGE_NAME.format(2))]


def test_parts_that_are_missing_are_none(directory: Path) -> None:
    run = open_run(directory)
    assert not run.lineage
    assert (run.lineage.train, run.lineage.eval, run.lineage.custom) == (None, None, {})
    assert (run.dataset_graph, run.graphs(), run.landscapes(), run.hparams) == (None, {}, {}, {})
    assert (run.damages, run.dropped) == ((), 0)


def test_dropped_values_are_counted_by_the_recorder(directory: Path) -> None:
    append(directory / NAME, scalars(9, {"mindscope/dropped": 12.0}))
    assert open_run(directory).dropped == 12


def test_hparams_of_a_later_session_win(tmp_path: Path) -> None:
    from mindscope.formats import wire
    from mindscope.formats.tensorboard_schemas import HPARAMS

    def session(step: int, **values: dict[str, object]) -> bytes:
        content = wire.encode(HPARAMS, {"session_start_info": {"hparams": values}})
        metadata = {"plugin_data": {"plugin_name": "hparams", "content": content}}
        return tensorboard_event(step, {"tag": "_hparams_/session_start_info", "metadata": metadata})

    first = session(0, lr={"number_value": 0.1}, amp={"bool_value": True}, opt={"string_value": "adam"}, none={})
    append(tmp_path / TENSORBOARD_NAME.format(1), tensorboard_version() + first)
    append(tmp_path / TENSORBOARD_NAME.format(2), tensorboard_version() + session(0, lr={"number_value": 0.2}))
    assert open_run(tmp_path).hparams == {"lr": 0.2, "amp": True, "opt": "adam", "none": None}


def test_graph_files_beside_the_events_are_graphs_of_the_run(tmp_path: Path) -> None:
    from mindscope.formats import wire
    from mindscope.formats.mindspore_schemas import GRAPH, MODEL

    append(tmp_path / NAME, version() + steps([1]))
    graph = {"name": "net", "node": [{"name": "1", "op_type": "Add"}]}
    (tmp_path / "model.pb").write_bytes(wire.encode(MODEL, {"ir_version": 3, "graph": graph}))
    (tmp_path / "bare.pb").write_bytes(wire.encode(GRAPH, {**graph, "name": "bare"}))
    (tmp_path / "memory_usage_0.pb").write_bytes(wire.encode(GRAPH, graph))
    (tmp_path / "frozen.pb").write_bytes(b"something else entirely")
    graphs = open_run(tmp_path).graphs()
    assert [(name, graph.name) for name, graph in graphs.items()] == [("bare.pb", "bare"), ("model.pb", "net")]


def test_a_meta_graph_stands_in_for_a_graph(tmp_path: Path) -> None:
    from mindscope.formats import wire
    from mindscope.formats.tensorboard_schemas import GRAPH

    graph_def = wire.encode(GRAPH, {"node": [{"name": "a", "op": "NoOp"}], "versions": {"producer": 1}})
    meta_graph = b"\x12" + bytes([len(graph_def)]) + graph_def
    path = tmp_path / TENSORBOARD_NAME.format(1)
    append(path, tensorboard_version() + tensorboard_event(0, meta_graph_def=meta_graph))
    assert [[node.name for node in graph.nodes] for graph in open_run(tmp_path).graphs().values()] == [["a"]]
    append(path, tensorboard_event(0, graph_def=graph_def))
    assert len(open_run(tmp_path).graphs()) == 1


def test_everything_raised_has_one_root(tmp_path: Path) -> None:
    with pytest.raises(MindscopeError):
        open_run(tmp_path)


def test_names_and_texts_of_runs() -> None:
    run = open_run(DATA / "mindspore" / "ops")
    assert (run.id, run.name, run.path.name) == (".", "ops", "ops")
    assert "3 scalar" in repr(run)
    assert "17 runs" in repr(open_runs(DATA / "mindspore"))
    assert "13 values" in repr(run.images("input_image"))


def test_names_that_are_no_text_reach_tables_and_reports_as_text(tmp_path: Path) -> None:
    directory = tmp_path / os.fsdecode(b"caf\xe9\n")
    directory.mkdir()
    append(directory / NAME, version() + steps([1]))
    runs = open_runs(tmp_path)
    assert list(runs) == ["caf\ufffde9\n"]
    (row,) = runs.to_arrow().to_pylist()
    assert row["path"].endswith("caf\ufffde9\n")
    json.dumps(inspect_run(runs["caf\ufffde9\n"]).to_json(), ensure_ascii=False).encode()
    (path,) = export_runs(runs, tmp_path / "out").files
    assert path.relative_to(tmp_path).as_posix() == "out/caf%EF%BF%BDe9%0A/scalars.csv"
    assert open_run(directory).name == "caf\ufffde9\n"
